"""Hand-built forms for the tests of the agent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orkernel.algebra.forms import LinearForm
from orkernel.testing.forms import build_form, market_split_form, wyndor_form

FormBuilder = Callable[..., LinearForm]


@pytest.fixture
def form() -> FormBuilder:
    return build_form


@pytest.fixture
def wyndor() -> LinearForm:
    return wyndor_form()


@pytest.fixture
def market_split() -> LinearForm:
    return market_split_form()

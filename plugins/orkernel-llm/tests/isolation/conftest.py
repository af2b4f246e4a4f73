"""The ways to isolate that this machine offers, and a host with things worth stealing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parent)
if FOLDER not in sys.path:
    sys.path.insert(0, FOLDER)

from llm_isolation_host import BACKENDS, Host, Recorded  # noqa: E402

from orkernel_llm.isolation import choose_backend  # noqa: E402


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Recorded:
    """Each way to isolate; both have to work where these tests run."""
    return Recorded(choose_backend(request.param))


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """Files, a variable and a folder of the host, readable by every user."""
    planted = Host(tmp_path)
    monkeypatch.setenv("PLANTED_API_KEY", planted.secret)
    yield planted
    planted.assert_untouched()

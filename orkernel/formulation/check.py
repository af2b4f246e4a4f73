"""Checks of a formulation: diagnostics with element, place, cause and suggestion."""

from __future__ import annotations

from orkernel.formulation.diagnostics import Diagnostic, Severity

__all__ = ["Diagnostic", "Severity"]

"""Makes the scripted models and servers of orkernel-llm importable."""

from __future__ import annotations

import sys
from pathlib import Path

SUPPORT = str(
    Path(__file__).resolve().parents[2] / "plugins" / "orkernel-llm" / "tests" / "support"
)
for folder in (SUPPORT, str(Path(__file__).parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

"""A console on which no text can act upon the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

CONTROLS = (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))
"""Control characters but tab and line feed; escape sequences start with them."""
TURNS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters of Unicode that turn the direction of the text after them around."""
DROPPED = dict.fromkeys((*CONTROLS, *TURNS))


class PlainConsole(Console):
    """Colours are its own; control characters in statements and names are left out."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The pieces to write, without control characters in their texts."""
        for piece in super().render(renderable, options):
            text = piece.text if piece.control else piece.text.translate(DROPPED)
            yield Segment(text, piece.style, piece.control)

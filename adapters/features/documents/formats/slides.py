"""The slides of a presentation: each as a section under its number and title.

Hidden slides stay in order, and their headings say that they are hidden.
"""

from collections.abc import Iterable, Sequence

import msgspec

from .draft import Cut, Draft
from .sheets import hidden_parts_note


class Slide(msgspec.Struct, frozen=True):
    """A slide; ``pieces`` are blocks of markdown, and may be empty."""

    number: int
    title: str
    pieces: Sequence[str]
    is_hidden: bool = False

    @property
    def slide_section(self) -> str:
        """The slide as markdown."""
        head = f"## Slide {self.number}{' (hidden)' if self.is_hidden else ''}"
        named = f"{head}: {self.title}" if self.title else head
        return "\n\n".join([named, *filter(None, self.pieces)])


def slides_draft(slides: Sequence[Slide], *, footer: str = "", cuts: Iterable[Cut] = ()) -> Draft:
    """Return slides as markdown; the title is that of the first visible slide."""
    first = next((slide.title for slide in slides if not slide.is_hidden), "")
    hidden = hidden_parts_note("slides", [str(slide.number) for slide in slides if slide.is_hidden])
    sections = [slide.slide_section for slide in slides]
    if footer and sections:
        sections.append(f"Footer: {footer}")
    return Draft(content="\n\n".join(sections), title=first, notes=tuple(hidden), cuts=tuple(cuts))

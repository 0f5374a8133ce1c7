"""Define what a search for words in one page tells: where they stand, or why nobody can say."""

from typing import Literal, TypeAlias

import msgspec

from .pages import PageView, PartName
from .text import strip_hidden

MAX_FIND_CHARS = 1000
MAX_FIND_WORDS = 50
DEFAULT_PASSAGES = 10
# found: one block has every word. apart: each word stands somewhere, and no block has all of them.
# absent: all of the view was looked through, and a word stands nowhere in it. unknown: a word was
# not seen, and there is text that could not be looked through.
FoundStatus: TypeAlias = Literal["found", "apart", "absent", "unknown"]
# wall: text behind a wall. cap: text over a limit of the reader. incomplete: not all of the page
# was read. other_reader: another service read the page. cut: the page was shortened and not kept.
# not_kept: a part was too long to keep. hidden: the words stand in text that the page does not
# show. shell: the page is empty until its script runs. expired: the page is no longer kept.
UnknownReason: TypeAlias = Literal[
    "wall",
    "cap",
    "incomplete",
    "other_reader",
    "cut",
    "not_kept",
    "hidden",
    "shell",
    "expired",
]
# Where a passage stands in a page.
PlaceName: TypeAlias = Literal["title", PartName]

_REASON_TEXTS: dict[UnknownReason, str] = {
    "wall": "a wall hides a part of the page",
    "cap": "a limit of the reader cut the page",
    "incomplete": "not all of the page was read",
    "other_reader": "another service read the page and does not say what it left out",
    "cut": "the page was shortened, and its rest was not kept",
    "not_kept": "a part of the page was too long to keep",
    "hidden": "it stands only in text that the page hides",
    "shell": "the page is empty until its script has run",
    "expired": "no page is kept under this handle, or no longer",
}


class FoundPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A block of a page: the part that it stands in, and the offset of the block there."""

    part: PlaceName
    offset: int
    text: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search for the words of ``asked`` in one view of a page says.

    ``passages`` are the blocks with all words, of ``total``; if the words stand ``apart``, a block
    for each word. ``missing`` are the words that were not seen: whole words are compared, without
    case and marks, and no inflections. ``reason`` says why the status is unknown. ``view`` is what
    was looked through; ``render`` is the command that looks through what a browser shows, if no
    script had run. Text that the page does not show is never looked through for a passage.
    """

    status: FoundStatus
    asked: str
    passages: tuple[FoundPassage, ...] = ()
    total: int = 0
    missing: tuple[str, ...] = ()
    reason: UnknownReason | None = None
    view: PageView | None = None
    render: str | None = None
    url: str = ""

    @property
    def sentence(self) -> str:
        """The status in words of our own, without text of the page."""
        view = "this page" if self.view is None else f"this page {self.view}"
        missing = ", ".join(f'"{word}"' for word in self.missing)
        if self.status == "found":
            passages = "1 passage" if self.total == 1 else f"{self.total:,} passages"
            return f"Found in {passages} of {view}."
        if self.status == "apart":
            return f"Every word stands in {view}, but no block has all of them."
        if self.status == "absent":
            return (
                f"Absent: {missing} stands nowhere in {view}. Whole words were compared, "
                "not their inflections."
            )
        why = "" if self.reason is None else f": {_REASON_TEXTS[self.reason]}"
        return f"Unknown whether {missing or 'it'} stands in {view}{why}."

    def __str__(self) -> str:
        lines = [self.sentence]
        lines += [
            f"[{item.part}, {item.offset}] {strip_hidden(item.text)}" for item in self.passages
        ]
        if self.render is not None and self.status != "found":
            lines.append(f"No script ran. To look at what a browser shows: {self.render}")
        return "\n\n".join(lines)

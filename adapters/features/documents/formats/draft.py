"""A body to convert, and the draft of a page that a reader makes of it."""

import re
from collections import Counter
from typing import Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.detection import file_name_of_url, suffix_of_name
from webseam.adapters.pages.safe_text import one_line, removal_note, strip_hidden
from webseam.ports.errors import EmptyContent, ParseFailed, WebError
from webseam.ports.pages import (
    PARTS_CAP,
    LeftOut,
    LeftOutKind,
    PagePart,
    ReadPage,
    fitting_parts,
)
from webseam.ports.words import count_words

# A page, or why there is none.
PageResult: TypeAlias = Result[ReadPage, WebError]
_MARKDOWN_LINK_PATTERN: Final = re.compile(r"\]\((?:https?|mailto):")
_BLANK_LINES_PATTERN: Final = re.compile(r"\n{4,}")
_MAX_DESCRIPTION_CHARS: Final = 1000


class Cut(msgspec.Struct, frozen=True):
    """A cap of ``caps.py`` that a file met, and a note on what is missing."""

    cap: str
    note: str


# A file of which only some parts could be read.
DAMAGED: Final = Cut("damaged", "it is damaged: some of it may be missing")


class StepAllowance:
    """A limit on work, counted in steps: a clock would cut a file at another point each time."""

    def __init__(self, steps: int) -> None:
        self._steps_left = steps

    def spend(self, steps: int) -> None:
        """Subtract steps that were done."""
        self._steps_left -= steps

    @property
    def is_spent(self) -> bool:
        """Whether no steps are left."""
        return self._steps_left <= 0


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The page as a reader wrote it, before ``finish_draft`` cleans it.

    ``parts`` are the texts that are left out: those that a viewer of the document cannot see
    (``hidden``), and margins that repeat, page and line numbers among them (``margins``).
    """

    content: str
    title: str = ""
    author: str = ""
    published_at: str | None = None
    language: str = ""
    description: str = ""
    site_name: str = ""
    notes: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()
    parts: tuple[PagePart, ...] = ()


def finish_draft(draft: Draft) -> PageResult:
    """Clean a draft; a draft without content is ``EmptyContent``."""
    content, removed = strip_hidden(draft.content)
    if not content.strip():
        return Failure(EmptyContent(reason="no_text"))
    parts = _joined_parts(draft.parts)
    words = {part.kind: count_words(part.text) for part in parts}
    fitting = fitting_parts(parts)
    cuts = [cut.cap for cut in draft.cuts]
    if len(fitting) < len(parts):
        cuts.append(PARTS_CAP)
    removals = ((words.get("hidden", 0), "hidden word"), (removed, "invisible character"))
    notes = [*(cut.note for cut in draft.cuts), *draft.notes]
    return Success(
        ReadPage(
            title=one_line(draft.title),
            content=_BLANK_LINES_PATTERN.sub("\n\n\n", content).strip("\n"),
            author=one_line(draft.author) or None,
            published_at=draft.published_at,
            language=one_line(draft.language) or None,
            description=one_line(draft.description, _MAX_DESCRIPTION_CHARS) or None,
            site_name=one_line(draft.site_name) or None,
            links=len(_MARKDOWN_LINK_PATTERN.findall(content)),
            notes=(*notes, *(removal_note(*removal) for removal in removals if removal[0])),
            left_out=tuple(LeftOut(kind=part.kind, words=words[part.kind]) for part in parts),
            parts=fitting,
            cuts=tuple(dict.fromkeys(cuts)),
            complete=not draft.cuts,
        )
    )


def _joined_parts(parts: tuple[PagePart, ...]) -> tuple[PagePart, ...]:
    """Return one part for each kind that has words."""
    texts: dict[LeftOutKind, list[str]] = {}
    for part in parts:
        text = strip_hidden(part.text)[0].strip()
        if count_words(text):
            texts.setdefault(part.kind, []).append(text)
    return tuple(PagePart(kind=kind, text="\n".join(lines)) for kind, lines in texts.items())


class Losses:
    """What is left out of a draft while it is written."""

    def __init__(self) -> None:
        self.parts: list[PagePart] = []
        self._notes: dict[str, str] = {}

    def add_cut(self, cap: str, note: str) -> None:
        """Add a cap that was met; the last note on it counts."""
        self._notes[cap] = note

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The caps that were met."""
        return tuple(Cut(cap, note) for cap, note in self._notes.items())


def left_out_parts(kind: LeftOutKind, *texts: str) -> tuple[PagePart, ...]:
    """Return texts as parts of one kind, without those that are blank."""
    squeezed = (" ".join(text.split()) for text in texts)
    return tuple(PagePart(kind=kind, text=text) for text in squeezed if text)


def missing_words(text: str, remaining: str) -> str:
    """Return the words of a text that are not in what remained of it, in order.

    >>> missing_words("7 one two one", "one two")
    '7 one'
    """
    left = Counter(remaining.split())
    missing: list[str] = []
    # The last of equal words are missing: what remains is looked for from the start.
    for word in text.split():
        if left[word] > 0:
            left[word] -= 1
        else:
            missing.append(word)
    return " ".join(missing)


def corrupt_failure(detail: str) -> PageResult:
    """Return the failure of a damaged file, or of one that is not of its kind."""
    return Failure(ParseFailed(reason="corrupt", detail=detail))


def encrypted_failure() -> PageResult:
    """Return the failure of a file that needs a password."""
    return Failure(ParseFailed(reason="encrypted"))


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One body to convert."""

    body: bytes
    content_type: str = ""
    url: str = ""

    @property
    def media_type(self) -> str:
        """The type without its parameters, in lower case."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def file_name(self) -> str:
        """The last part of the URL's path, empty when it ends in a slash."""
        return file_name_of_url(self.url)

    @property
    def suffix(self) -> str:
        """The file name's ending, in lower case and without the dot."""
        return suffix_of_name(self.file_name)

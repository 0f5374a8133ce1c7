"""A body to convert, and the draft of a page that a reader makes of it."""

import re
from typing import Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.detection import file_name_of_url, suffix_of_name
from webseam.adapters.pages.safe_text import one_line, removal_note, strip_hidden
from webseam.ports.errors import EmptyContent, ParseFailed, WebError
from webseam.ports.pages import LeftOut, ReadPage

# A page, or why there is none.
PageResult: TypeAlias = Result[ReadPage, WebError]
# The note on a file of which only some parts could be read.
DAMAGED_NOTE: Final = "it is damaged: some of it may be missing"


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


_MARKDOWN_LINK_PATTERN: Final = re.compile(r"\]\((?:https?|mailto):")
_BLANK_LINES_PATTERN: Final = re.compile(r"\n{4,}")
_MAX_DESCRIPTION_CHARS: Final = 1000


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The page as a reader wrote it, before ``finish_draft`` cleans it.

    ``hidden_words`` counts the words that a viewer of the document cannot see; they are left out.
    """

    content: str
    title: str = ""
    author: str = ""
    published_at: str | None = None
    language: str = ""
    description: str = ""
    site_name: str = ""
    notes: tuple[str, ...] = ()
    hidden_words: int = 0


def finish_draft(draft: Draft) -> PageResult:
    """Clean a draft; a draft without content is ``EmptyContent``."""
    content, removed = strip_hidden(draft.content)
    if not content.strip():
        return Failure(EmptyContent(reason="no_text"))
    hidden = draft.hidden_words
    removals = ((hidden, "hidden word"), (removed, "invisible character"))
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
            notes=(*draft.notes, *(removal_note(*removal) for removal in removals if removal[0])),
            left_out=(LeftOut(kind="hidden", words=hidden),) if hidden else (),
        )
    )


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

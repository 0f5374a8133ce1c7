"""A document that was read becomes a page, or says that there was nothing to read."""

import re
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import EmptyContent, ParseFailed, WebError
from ....ports.pages import ReadPage
from ..reader.characters import one_line, unhide

_LINK: Final = re.compile(r"\]\((?:https?|mailto):")
_GAPS: Final = re.compile(r"\n{4,}")
_MOST_DESCRIPTION: Final = 1000


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What a format's reader found; nothing in it has been cleaned yet."""

    content: str
    title: str = ""
    author: str = ""
    published_at: str | None = None
    language: str = ""
    description: str = ""
    site_name: str = ""
    notes: tuple[str, ...] = ()


def page_of(draft: Draft) -> Result[ReadPage, WebError]:
    """Clean a draft; one without a word of content is ``EmptyContent``."""
    content, removed = unhide(draft.content)
    if not content.strip():
        return Failure(EmptyContent(reason="no_text"))
    hidden = (f"removed {removed} invisible characters",) if removed else ()
    return Success(
        ReadPage(
            title=one_line(draft.title),
            content=_GAPS.sub("\n\n\n", content).strip("\n"),
            author=one_line(draft.author) or None,
            published_at=draft.published_at,
            language=one_line(draft.language) or None,
            description=one_line(draft.description, _MOST_DESCRIPTION) or None,
            site_name=one_line(draft.site_name) or None,
            links=len(_LINK.findall(content)),
            notes=(*draft.notes, *hidden),
        )
    )


def corrupt(detail: str) -> Result[ReadPage, WebError]:
    """Return the failure of a file that is not whole, or not of its kind."""
    return Failure(ParseFailed(reason="corrupt", detail=detail))

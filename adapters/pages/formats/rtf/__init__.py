"""Rich text: paragraphs, headings, lists, links and tables; pictures and hidden text are left out.

Read by ourselves, in one pass over the bytes: the packages there are (striprtf, pyth) give text
without structure or have had no release for years, and the format is a stack and a table of words.
"""

from __future__ import annotations

from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..draft import Draft, Source, page_of
from .document import Document
from .tokens import tokens

# About a second (measured 2026-11-15: 1 to 2 µs a mark).
MOST_MARKS: Final = 600_000


def read_rtf(source: Source) -> Result[ReadPage, WebError]:
    """Return a document as markdown."""
    document = Document(source.url)
    notes: tuple[str, ...] = ()
    for count, token in enumerate(tokens(source.body)):
        if count >= MOST_MARKS:
            notes = (f"only the first {MOST_MARKS:,} marks of the document",)
            break
        document.take(token)
    about = document.properties
    return page_of(
        Draft(
            content=document.content(),
            title=about.get("title") or document.title or source.file_name,
            author=about.get("author", ""),
            description=about.get("subject", ""),
            published_at=document.day,
            notes=notes,
        )
    )

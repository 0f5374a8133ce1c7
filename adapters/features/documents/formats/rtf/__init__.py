"""Rich text: paragraphs, headings, lists, links, tables, comments; not pictures or hidden text.

Read by ourselves, in one pass over the bytes: the packages there are (striprtf, pyth) give text
without structure or have had no release for years, and the format is a stack and a table of words.
"""

from __future__ import annotations

from typing import Final

from ..draft import Cut, Draft, PageResult, Source, finish_draft, left_out_parts
from .colours import RtfColours
from .rtf_document import RtfDocument
from .tokens import read_rtf_tokens

# About a second (measured 2026-11-17: 2 µs a mark, and as much as six for the end of a paragraph).
MAX_RTF_TOKENS: Final = 600_000
_TOKENS_PER_END: Final = 6


def read_rtf(source: Source) -> PageResult:
    """Return a document as markdown."""
    document = RtfDocument(source.url, RtfColours(source.body))
    cuts: tuple[Cut, ...] = ()
    for count, token in enumerate(read_rtf_tokens(source.body)):
        if count + document.ends * _TOKENS_PER_END >= MAX_RTF_TOKENS:
            cuts = (Cut("work", f"only the first {count:,} marks of the document"),)
            break
        document.take_token(token)
    about = document.properties
    return finish_draft(
        Draft(
            content=document.write_markdown(),
            title=about.get("title") or document.leading_title or source.file_name,
            author=about.get("author", ""),
            description=about.get("subject", ""),
            published_at=document.creation_day,
            cuts=cuts,
            parts=left_out_parts("hidden", *document.hidden),
        )
    )


READERS: Final = {"rtf": read_rtf}

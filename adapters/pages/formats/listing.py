"""A feed as a list of titled links, whichever format it came in."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from turbohtml import parse

from ..reader.characters import one_line
from ..reader.dates import iso_date
from .markup import link, tamed

_MOST_ENTRIES: Final = 500
_MOST_SUMMARY: Final = 1000
_MOST_MARKUP: Final = 50_000


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a feed, as it was written."""

    title: str = ""
    url: str = ""
    date: str = ""
    author: str = ""
    summary: str = ""


def listed(entries: Sequence[Entry], base: str) -> tuple[str, tuple[str, ...]]:
    """Return the entries as a markdown list, and a note when not all of them are in it."""
    shown = entries[:_MOST_ENTRIES]
    lines = "\n".join(_item(entry, base) for entry in shown)
    if len(entries) == len(shown):
        return lines, ()
    return lines, (f"only the first {len(shown):,} of {len(entries):,} entries",)


def _item(entry: Entry, base: str) -> str:
    title = one_line(plain(entry.title), 300) or entry.url or "(untitled)"
    about = " · ".join(_words((_day(entry.date), plain(entry.author))))
    summary = one_line(plain(entry.summary), _MOST_SUMMARY)
    lines = (link(title, entry.url, base), about and f"({tamed(about)})")
    head = f"- {' '.join(line for line in lines if line)}"
    return f"{head}\n  {tamed(summary)}" if summary else head


def _day(date: str) -> str:
    return (iso_date(date) or "")[: len("2024-03-05")]


def _words(texts: Iterable[str]) -> list[str]:
    return [line for line in (one_line(text, 200) for text in texts) if line]


def plain(text: str) -> str:
    """Return the words of a text that may be HTML, as feeds have it.

    >>> plain("<p>Bread &amp; <b>wine</b></p>")
    'Bread & wine'
    """
    text = text[:_MOST_MARKUP].removeprefix("<![CDATA[").removesuffix("]]>")
    return parse(text).text if "<" in text or "&" in text else text

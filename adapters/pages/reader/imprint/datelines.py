"""The date that stands beside a page's heading, where nothing else tells when it was published."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from turbohtml import Document, Element, Node, Text

from ...dates import iso_date

_AFTER: Final = 12
_BEFORE: Final = 6
_MAX_NODES: Final = 150
_MAX_DATELINE_CHARS: Final = 60
_MAX_SIBLING_STEPS: Final = 3
_MIN_DATE_NUMBERS: Final = 2
_HEADINGS: Final = ("h1", "h2", "h3")
_MAX_HEADINGS: Final = 20
_MIN_TITLE_CHARS: Final = 6
# Links lead to other pages, whose dates stand beside them.
_NOT_IN: Final = frozenset({"a", "noscript", "option", "script", "style", "template"})
_NUMBER: Final = re.compile(r"\d+")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?!\d)")
# What is not when a page was published: changes, deadlines, the days that members joined.
_OTHER: Final = re.compile(
    r"\b(?:updated|last update|revised|reviewed|joined|registered|sale|expires?|until|ends?)\b"
    r"|modifi|aktualis|aktualiz|actuali[sz]|atuali[sz]|aggiorn|bijgewerkt|mise? à jour|uppdater"
    r"|opdater|oppdater|päivit|обновл|оновл|güncelle|frissít|diperbarui",
    re.IGNORECASE,
)


def read_dateline(document: Document, language: str = "") -> str | None:
    """Return the day that a short line right behind or before the page's heading names."""
    heading = _heading(document)
    if heading is None:
        return None
    lines = chain(_lines(heading.following, _AFTER), _lines(heading.preceding, _BEFORE))
    return next((day for line in lines if (day := _day(line, language))), None)


def _heading(document: Document) -> Element | None:
    """Return the heading that says what the title does; else the first of the highest rank."""
    title = document.find("title")
    words = "" if title is None else " ".join(title.text.split())
    for heading in islice(document.iter_elements(_HEADINGS), _MAX_HEADINGS):
        text = " ".join(heading.text.split())
        if len(text) >= _MIN_TITLE_CHARS and text in words:
            return heading
    return document.find("h1")


def _lines(nodes: Iterable[Node], most: int) -> Iterator[str]:
    texts = (node for node in islice(nodes, _MAX_NODES) if isinstance(node, Text))
    shown = (text for text in texts if text.data.strip() and not _is_elsewhere(text))
    for text in islice(shown, most):
        yield text.data.strip()


def _is_elsewhere(text: Text) -> bool:
    above = text.parent
    for _ in range(_MAX_SIBLING_STEPS):
        if not isinstance(above, Element):
            return False
        if above.tag in _NOT_IN:
            return True
        above = above.parent
    return False


def _day(line: str, language: str) -> str | None:
    """Return the one whole date of a line; a year alone, a month or a span of days is none."""
    if len(line) > _MAX_DATELINE_CHARS or len(_YEAR.findall(line)) != 1:
        return None
    whole = len(_NUMBER.findall(line)) >= _MIN_DATE_NUMBERS
    return iso_date(line, language) if whole and not _OTHER.search(line) else None

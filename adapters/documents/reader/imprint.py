"""Who wrote a page and when, as the page itself shows it."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain, islice
from typing import Final

from turbohtml import Document, Element, Node, Text

from ...pages.safe_text import one_line
from ..dates import iso_date

# What others added to a page: who wrote that did not write the page.
BY_OTHERS: Final = (
    ".comment,[itemprop=comment],[itemprop=review],[itemprop=reviews],[itemprop=acceptedAnswer],"
    "[itemprop=suggestedAnswer]"
)
_METAS: Final = (
    "author", "article:author", "dc.creator", "dcterms.creator", "citation_author",
    "parsely-author", "sailthru.author", "twitter:creator",
)  # fmt: skip
_BYLINES: Final = '[rel~="author"],[itemprop="author"],.byline,.author-name'
_NAMES: Final = "[itemprop=name],[rel~=author],.author-name,.fn"
_CALLED: Final = '[class*="author" i],[class*="byline" i]'
_ELSEWHERE: Final = (
    f"{BY_OTHERS},aside,footer,nav,[class*=comment i],[class*=related i],[class*=card i],"
    "[class*=review i],[class*=testimonial i],[class*=authori i]"
)
_MAX_AUTHOR_BOXES: Final = 12
_NAME_WORDS: Final = 4
_MAX_AUTHORS: Final = 5
_MAX_NAME_CHARS: Final = 100
# More words in a row are a sentence about somebody.
_MAX_NAME_WORDS: Final = 10
# Several who wrote one page are named beside each other.
_MAX_SIBLING_STEPS: Final = 3
_UNSEEN: Final = frozenset({"noscript", "script", "style", "template"})
_BY: Final = re.compile(
    r"(?:(?i:(?:written|posted|published|reported|guide|review|story|text|words)?\s*by)(?![a-z])"
    r"|(?i:authors?(?:\s*:|\s(?=\w+\s\w+\Z)))|Par\b|Por\b)[\s:]*"
)
_DAY: Final = (
    r"\S+\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d|\d{1,2}\S{0,2}\s\S+\s(?:19|20)\d\d"
    r"|\d+\s\S+(?:\s\d+\s\S+)?\sago|\d{1,2}:\d\d|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
)
_WHEN: Final = re.compile(
    r"(?i:\b(?:last\s)?(?:updated|published|posted)\s*|\bon\s"
    rf"|\b(?:mon|tue|wed|thu|fri|sat|sun)(?:\w*day)?\b,?\s)*(?:{_DAY}).*"
)
_EDGES: Final = " \t,;:|-\u2013\u2014\u00b7\u2022"
_NOBODY: Final = re.compile(
    r"(?:undefined|null|none|n/a|[\W\d_]*)\Z|[@/]|(?:view|see|read|more|all)\s.*\b(?:posts|articles)\Z"
    r"|www\.|.*(?:://|\{\{|\}\})",
    re.IGNORECASE,
)


def declared_author(things: Iterable[dict[str, object]], metas: dict[str, str]) -> str | None:
    """Return who linked data, else meta tags, say wrote the page."""
    names = [name for thing in things for name in _names(thing.get("author"))]
    return _authors(names) or _authors(metas[name] for name in _METAS if name in metas)


def _names(author: object) -> Iterator[str]:
    if isinstance(author, list):
        for one in author[:_MAX_AUTHORS]:
            yield from _names(one)
    name = author.get("name") if isinstance(author, dict) else author
    if isinstance(name, str):
        yield name


def read_byline(document: Document) -> str | None:
    """Return who the body says wrote the page: not who wrote what others added to it."""
    bylines = document.select(_BYLINES)[:_MAX_AUTHORS]
    named = [(one, name) for one in bylines if not one.closest(BY_OTHERS) and (name := _name(one))]
    if not named:
        return _likely_author(document)
    around, whose = list(_above(named[0][0])), _holder(named[0][0])
    return _authors(
        name for one, name in named if _holder(one) is whose and _is_beside(one, around)
    )


def _likely_author(document: Document) -> str | None:
    """Return the one name that stands in boxes called after an author; of several, none."""
    boxes = [
        box for box in document.select(_CALLED)[:_MAX_AUTHOR_BOXES] if not box.closest(_ELSEWHERE)
    ]
    texts = (" ".join(_shown(box)) for box in boxes)
    names = dict.fromkeys(name for text in texts if _is_name(name := clean_name(text)))
    return None if len(names) > 1 else next(iter(names), None)


def _is_name(line: str) -> bool:
    """Tell whether a line is a name without a doubt: two to four words with large letters."""
    words = line.split()
    return 1 < len(words) <= _NAME_WORDS and all(word[0].isupper() for word in words)


def _name(byline: Element) -> str:
    named = byline.select_one(_NAMES) or byline
    return clean_name(named.attr("content") or "".join(_shown(named)))


def _shown(element: Element) -> list[str]:
    texts = (node for node in element.descendants if isinstance(node, Text))
    return [text.data for text in texts if getattr(text.parent, "tag", "") not in _UNSEEN]


def _above(element: Element) -> Iterator[Element]:
    above = element.parent
    for _ in range(_MAX_SIBLING_STEPS):
        if isinstance(above, Element) and above.tag != "body":
            yield above
            above = above.parent


def _is_beside(element: Element, around: list[Element]) -> bool:
    return not around or any(one is other for one in _above(element) for other in around)


def _holder(element: Element) -> Element | None:
    """Return the thing of microdata that an element tells of."""
    above = element.parent
    return above.closest("[itemscope]") if isinstance(above, Element) else None


def _authors(names: Iterable[str]) -> str | None:
    authors: list[str] = []
    for name in map(clean_name, names):
        if name and not any(name.casefold() in one.casefold() for one in authors):
            authors.append(name)
    return ", ".join(authors[:_MAX_AUTHORS]) or None


def clean_name(text: str) -> str:
    """Return a name without "by" and when it was; blank where it names nobody.

    >>> clean_name("By Ann Mason on June 29, 2014 08:08 pm"), clean_name("undefined")
    ('Ann Mason', '')
    """
    line = one_line(unescape(text), _MAX_NAME_CHARS)
    line = _BY.sub("", line, count=1) if _BY.match(line) else line
    line = line.partition("|")[0]
    if any(map(str.isdigit, line)):
        line = _WHEN.sub("", line)
    line = line.strip(_EDGES)
    is_told = len(line.split()) > _MAX_NAME_WORDS and "," not in line
    return "" if is_told or _NOBODY.match(line) else line


# The date that stands beside a page's heading, where nothing else tells when it was published.

_AFTER: Final = 12
_BEFORE: Final = 6
_MAX_NODES: Final = 150
_MAX_DATELINE_CHARS: Final = 60
_DATELINES_MAX_SIBLING_STEPS: Final = 3
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
    for _ in range(_DATELINES_MAX_SIBLING_STEPS):
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

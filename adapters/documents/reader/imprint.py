"""Read the author and the date that a page shows."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain, islice
from typing import Final

from turbohtml import Document, Element, Node, Text

from ...dates import iso_date
from ...pages.safe_text import one_line

# Comments and reviews have authors of their own, who are not the author of the page.
FOREIGN_TEXT_SELECTOR: Final = (
    ".comment,[itemprop=comment],[itemprop=review],[itemprop=reviews],[itemprop=acceptedAnswer],"
    "[itemprop=suggestedAnswer]"
)
_META_NAMES: Final = (
    "author", "article:author", "dc.creator", "dcterms.creator", "citation_author",
    "parsely-author", "sailthru.author", "twitter:creator",
)  # fmt: skip
_BYLINE_SELECTOR: Final = '[rel~="author"],[itemprop="author"],.byline,.author-name'
_AUTHOR_NAME_SELECTOR: Final = "[itemprop=name],[rel~=author],.author-name,.fn"
_AUTHOR_CLASS_SELECTOR: Final = '[class*="author" i],[class*="byline" i]'
_FOREIGN_AUTHOR_SELECTOR: Final = (
    f"{FOREIGN_TEXT_SELECTOR},aside,footer,nav,[class*=comment i],[class*=related i],"
    "[class*=card i],[class*=review i],[class*=testimonial i],[class*=authori i]"
)
_MAX_AUTHOR_BOXES: Final = 12
_MAX_CERTAIN_NAME_WORDS: Final = 4
_MAX_AUTHORS: Final = 5
_MAX_NAME_CHARS: Final = 100
# A line of more words is a sentence about a person.
_MAX_NAME_WORDS: Final = 10
# The authors of one page are named beside each other.
_MAX_SIBLING_STEPS: Final = 3
_PAGE_TAGS: Final = frozenset({"body", "html"})
_HIDDEN_TAGS: Final = frozenset({"noscript", "script", "style", "template"})
_BY_PATTERN: Final = re.compile(
    r"(?:(?i:(?:[a-z]+\s+){0,4}by)(?![a-z])"
    r"|(?i:authors?(?:\s*:|\s(?=\w+\s\w+\Z)))|Par\b|Por\b)[\s:]*"
)
_DAY_FORMS: Final = (
    r"\S+\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d|\d{1,2}\S{0,2}\s\S+\s(?:19|20)\d\d"
    r"|\d+\s\S+(?:\s\d+\s\S+)?\sago|\d{1,2}:\d\d|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
)
_WHEN_PATTERN: Final = re.compile(
    r"(?i:\b(?:last\s)?(?:updated|published|posted)\s*|\bon\s"
    rf"|\b(?:mon|tue|wed|thu|fri|sat|sun)(?:\w*day)?\b,?\s)*(?:{_DAY_FORMS}).*"
)
_NAME_EDGE_CHARS: Final = " \t,;:|-\u2013\u2014\u00b7\u2022"
_NOT_A_NAME_PATTERN: Final = re.compile(
    r"(?:undefined|null|none|n/a|[\W\d_]*)\Z|[@/]|(?:view|see|read|more|all)\s.*\b(?:posts|articles)\Z"
    r"|www\.|.*(?:://|\{\{|\}\})",
    re.IGNORECASE,
)


def declared_author(things: Iterable[dict[str, object]], metas: dict[str, str]) -> str | None:
    """Return the authors that linked data, or else meta tags, declare; None if there are none."""
    names = [name for thing in things for name in _linked_author_names(thing.get("author"))]
    return _join_byline_authors(names) or _join_byline_authors(
        metas[name] for name in _META_NAMES if name in metas
    )


def _linked_author_names(author: object) -> Iterator[str]:
    if isinstance(author, list):
        for entry in author[:_MAX_AUTHORS]:
            yield from _linked_author_names(entry)
    name = author.get("name") if isinstance(author, dict) else author
    if isinstance(name, str):
        yield name


def read_byline(document: Document) -> str | None:
    """Return the authors that the body names; authors of comments and reviews do not count."""
    bylines = document.select(_BYLINE_SELECTOR)[:_MAX_AUTHORS]
    pairs = [
        (byline, name)
        for byline in bylines
        if not byline.closest(FOREIGN_TEXT_SELECTOR) and (name := _byline_name(byline))
    ]
    if not pairs:
        return _find_likely_author(document)
    ancestors, item = set(_byline_lineage(pairs[0][0])), _microdata_item(pairs[0][0])
    return _join_byline_authors(
        name
        for byline, name in pairs
        if _microdata_item(byline) is item
        and (not ancestors or not ancestors.isdisjoint(_byline_lineage(byline)))
    )


def _find_likely_author(document: Document) -> str | None:
    """Return the only name in boxes with an author class; None where there are several."""
    boxes = [
        box
        for box in document.select(_AUTHOR_CLASS_SELECTOR)[:_MAX_AUTHOR_BOXES]
        if not box.closest(_FOREIGN_AUTHOR_SELECTOR)
    ]
    texts = (" ".join(_byline_texts(box)) for box in boxes)
    names = dict.fromkeys(name for text in texts if _is_byline_name(name := clean_name(text)))
    return None if len(names) > 1 else next(iter(names), None)


def _is_byline_name(line: str) -> bool:
    """Tell whether a line is surely a name: two to four capitalised words."""
    words = line.split()
    return 1 < len(words) <= _MAX_CERTAIN_NAME_WORDS and all(word[0].isupper() for word in words)


def _byline_name(byline: Element) -> str:
    name_element = byline.select_one(_AUTHOR_NAME_SELECTOR) or byline
    return clean_name(name_element.attr("content") or "".join(_byline_texts(name_element)))


def _byline_texts(element: Element) -> list[str]:
    texts = (node for node in element.descendants if isinstance(node, Text))
    return [text.data for text in texts if getattr(text.parent, "tag", "") not in _HIDDEN_TAGS]


def _byline_lineage(element: Element) -> list[Element]:
    ancestors = islice(element.ancestors, _MAX_SIBLING_STEPS)
    return [node for node in ancestors if isinstance(node, Element) and node.tag not in _PAGE_TAGS]


def _microdata_item(element: Element) -> Element | None:
    """Return the microdata item that an element describes."""
    above = element.parent
    return above.closest("[itemscope]") if isinstance(above, Element) else None


def _join_byline_authors(names: Iterable[str]) -> str | None:
    authors: list[str] = []
    for name in map(clean_name, names):
        if name and not any(name.casefold() in author.casefold() for author in authors):
            authors.append(name)
    return ", ".join(authors[:_MAX_AUTHORS]) or None


def clean_name(text: str) -> str:
    """Return a name without "by" and a date; blank where the text is not a name.

    >>> clean_name("By Ann Mason on June 29, 2014 08:08 pm"), clean_name("undefined")
    ('Ann Mason', '')
    """
    line = one_line(unescape(text), _MAX_NAME_CHARS)
    line = _BY_PATTERN.sub("", line, count=1) if _BY_PATTERN.match(line) else line
    line = line.partition("|")[0]
    if any(map(str.isdigit, line)):
        line = _WHEN_PATTERN.sub("", line)
    line = line.strip(_NAME_EDGE_CHARS)
    is_sentence = len(line.split()) > _MAX_NAME_WORDS and "," not in line
    return "" if is_sentence or _NOT_A_NAME_PATTERN.match(line) else line


_MAX_LINES_AFTER_HEADING: Final = 12
_MAX_LINES_BEFORE_HEADING: Final = 6
_MAX_NODES: Final = 150
_MAX_DATELINE_CHARS: Final = 60
_MAX_DATELINE_ANCESTORS: Final = 3
_MIN_DATE_NUMBERS: Final = 2
_HEADINGS: Final = ("h1", "h2", "h3")
_MAX_HEADINGS: Final = 20
_MIN_TITLE_CHARS: Final = 6
# A date inside a link belongs to the linked page.
_NO_DATELINE_TAGS: Final = frozenset({"a", "noscript", "option", "script", "style", "template"})
_NUMBER_PATTERN: Final = re.compile(r"\d+")
_YEAR_PATTERN: Final = re.compile(r"(?:19|20)\d\d(?!\d)")
# These words mark dates that are not of publication: changes, deadlines, the day a member joined.
_OTHER_DATE_PATTERN: Final = re.compile(
    r"\b(?:updated|last update|revised|reviewed|joined|registered|sale|expires?|until|ends?)\b"
    r"|modifi|aktualis|aktualiz|actuali[sz]|atuali[sz]|aggiorn|bijgewerkt|mise? à jour|uppdater"
    r"|opdater|oppdater|päivit|обновл|оновл|güncelle|frissít|diperbarui",
    re.IGNORECASE,
)

# A date behind another label, such as "Born", is not the day of publication.
_PUBLICATION_PATTERN: Final = re.compile(
    r"publi|post|issued|released|written|date|datum|fecha|data|ver\u00f6ffentlich|erschien",
    re.IGNORECASE,
)


def read_dateline(document: Document, language: str = "") -> str | None:
    """Return the date in a short line shortly after or before the heading; None if none."""
    heading = _find_title_heading(document)
    if heading is None:
        return None
    lines = chain(
        _dateline_lines(heading.following, _MAX_LINES_AFTER_HEADING),
        _dateline_lines(heading.preceding, _MAX_LINES_BEFORE_HEADING),
    )
    return next((day for line in lines if (day := _full_byline_date(line, language))), None)


def _find_title_heading(document: Document) -> Element | None:
    """Return the heading whose text is in the title, or else the first h1."""
    title = document.find("title")
    title_text = "" if title is None else " ".join(title.text.split())
    for heading in islice(document.iter_elements(_HEADINGS), _MAX_HEADINGS):
        text = " ".join(heading.text.split())
        if len(text) >= _MIN_TITLE_CHARS and text in title_text:
            return heading
    return document.find("h1")


def _dateline_lines(nodes: Iterable[Node], max_lines: int) -> Iterator[str]:
    texts = (node for node in islice(nodes, _MAX_NODES) if isinstance(node, Text))
    shown = (
        text.data.strip()
        for text in texts
        if text.data.strip()
        and not any(map(_is_link_or_script, islice(text.ancestors, _MAX_DATELINE_ANCESTORS)))
        and not (isinstance(text.parent, Element) and is_other_value(text.parent))
    )
    return islice(shown, max_lines)


def is_other_value(element: Element) -> bool:
    """Tell whether an element is the value of a label that does not name a publication."""
    value = element.closest("dd,th + td")
    if value is None:
        return False
    labels = (node for node in value.previous_siblings if isinstance(node, Element))
    label = next(labels, None)
    return label is None or _PUBLICATION_PATTERN.search(label.text) is None


def _is_link_or_script(node: Node) -> bool:
    return isinstance(node, Element) and node.tag in _NO_DATELINE_TAGS


def _full_byline_date(line: str, language: str) -> str | None:
    """Return the only full date of a line; None for a year, a month or a range."""
    if len(line) > _MAX_DATELINE_CHARS or len(_YEAR_PATTERN.findall(line)) != 1:
        return None
    is_full = len(_NUMBER_PATTERN.findall(line)) >= _MIN_DATE_NUMBERS
    return iso_date(line, language) if is_full and not _OTHER_DATE_PATTERN.search(line) else None

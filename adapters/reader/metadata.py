"""Read a page's author, date, language, canonical address and descriptions."""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import unescape
from itertools import islice
from typing import Final, Literal, TypeAlias

import msgspec
from turbohtml import Document, Element, Node, Text

from webseam.ports.pages import PageDate, ReadPage
from webseam.ports.usage import UsageStatement

from ..pages.safe_text import absolute_url, one_line
from ..values.dates import iso_date, read_date_field
from ..values.json_values import as_list

# Comments and reviews have authors of their own, who are not the author of the page.
FOREIGN_TEXT_SELECTOR: Final = (
    ".comment,[itemprop=comment],[itemprop=review],[itemprop=reviews],[itemprop=acceptedAnswer],"
    "[itemprop=suggestedAnswer]"
)
_AUTHOR_META_NAMES: Final = (
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
_NAME_EDGE_CHARS: Final = " \t,;:|-\u2013\u2014\u00b7\u2022\u2192\u00bb\u203a"
_NOT_A_NAME_PATTERN: Final = re.compile(
    r"(?:undefined|null|none|n/a|[\W\d_]*)\Z|[@/]|(?:view|see|read|more|all)\s.*\b(?:posts|articles)\Z"
    r"|www\.|.*(?:://|\{\{|\}\})",
    re.IGNORECASE,
)


def declared_author(things: Iterable[dict[str, object]], metas: dict[str, str]) -> str | None:
    """Return the authors that linked data, or else meta tags, declare; None if there are none."""
    names = [name for thing in things for name in linked_author_names(thing.get("author"))]
    return _join_authors(names) or _join_authors(
        metas[name] for name in _AUTHOR_META_NAMES if name in metas
    )


def linked_author_names(author: object) -> list[str]:
    """Return the names of the authors in linked data."""
    authors = author[:_MAX_AUTHORS] if isinstance(author, list) else [author]
    names = [entry.get("name") if isinstance(entry, dict) else entry for entry in authors]
    return [name for name in names if isinstance(name, str)]


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
    ancestors, item = set(_near_ancestors(pairs[0][0])), _microdata_item(pairs[0][0])
    return _join_authors(
        name
        for byline, name in pairs
        if _microdata_item(byline) is item
        and (not ancestors or not ancestors.isdisjoint(_near_ancestors(byline)))
    )


def _find_likely_author(document: Document) -> str | None:
    """Return the only name in boxes with an author class; None where there are several.

    A line is surely a name where it is two to four capitalised words.
    """
    boxes = document.select(_AUTHOR_CLASS_SELECTOR)[:_MAX_AUTHOR_BOXES]
    own_boxes = (box for box in boxes if not box.closest(_FOREIGN_AUTHOR_SELECTOR))
    words = (clean_author(" ".join(_visible_texts(box))).split() for box in own_boxes)
    names = {
        " ".join(line)
        for line in words
        if 1 < len(line) <= _MAX_CERTAIN_NAME_WORDS and all(word[0].isupper() for word in line)
    }
    return names.pop() if len(names) == 1 else None


def _byline_name(byline: Element) -> str:
    name_element = byline.select_one(_AUTHOR_NAME_SELECTOR) or byline
    return clean_author(name_element.attr("content") or "".join(_visible_texts(name_element)))


def _visible_texts(element: Element) -> list[str]:
    texts = (node for node in element.descendants if isinstance(node, Text))
    return [text.data for text in texts if getattr(text.parent, "tag", "") not in _HIDDEN_TAGS]


def _near_ancestors(element: Element) -> list[Element]:
    ancestors = islice(element.ancestors, _MAX_SIBLING_STEPS)
    return [node for node in ancestors if isinstance(node, Element) and node.tag not in _PAGE_TAGS]


def _microdata_item(element: Element) -> Element | None:
    """Return the microdata item that an element describes."""
    above = element.parent
    return above.closest("[itemscope]") if isinstance(above, Element) else None


def _join_authors(names: Iterable[str]) -> str | None:
    authors: list[str] = []
    for name in map(clean_author, names):
        # "View all posts by Ann Mason" names nobody else than "Ann Mason" before it.
        known = map(str.casefold, authors)
        if name and not any(name.casefold() in one or one in name.casefold() for one in known):
            authors.append(name)
    return ", ".join(authors[:_MAX_AUTHORS]) or None


def clean_author(text: str) -> str:
    """Return a name without "by" and a date; blank where the text is not a name.

    >>> clean_author("By Ann Mason on June 29, 2014 08:08 pm"), clean_author("undefined")
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


# Lines after and before the heading, in the order in which they are looked through. Fitted
# 2026-11-18 on the 782 development pages with a known day.
_MAX_NEAR_LINES: Final = 12
_MAX_LINES_BEFORE: Final = 6
_MAX_FAR_LINES: Final = 60
_MAX_NEAR_NODES: Final = 1000
_MAX_PAGE_NODES: Final = 20_000
_MAX_DATELINE_CHARS: Final = 60
_MAX_LABEL_CHARS: Final = 25
_MIN_DATE_NUMBERS: Final = 2
_HEADING_TAGS: Final = ("h1", "h2", "h3")
_MAX_HEADINGS: Final = 20
_MIN_TITLE_CHARS: Final = 6
_NUMBER_PATTERN: Final = re.compile(r"\d+")
_YEAR_PATTERN: Final = re.compile(r"(?:19|20)\d\d(?!\d)")
_ADDRESS_DAY_PATTERN: Final = re.compile(r"/((?:19|20)\d\d)([/-])(\d\d)\2(\d\d)(?=[/_.+-]|\Z)")
_CHANGE_PATTERN: Final = re.compile(
    r"\b(?:updated|last update|revised|reviewed|edited)\b"
    r"|modifi|aktualis|aktualiz|actuali[sz]|atuali[sz]|aggiorn|bijgewerkt|mise? à jour|uppdater"
    r"|opdater|oppdater|päivit|обновл|оновл|güncelle|frissít|diperbarui",
    re.IGNORECASE,
)
# These words mark dates of neither publication nor change: deadlines, the day a member joined.
_OTHER_DATE_PATTERN: Final = re.compile(
    r"\b(?:joined|registered|sale|expires?|until|ends?|release|born|birth)\b", re.IGNORECASE
)
# Before the first page, a day is one of birth or of another event.
_WEB_START: Final = "1991-08-06"
# A date behind another label, such as "Born", is not the day of publication.
_PUBLICATION_PATTERN: Final = re.compile(
    r"publi|post|issued|released|written|date|datum|fecha|data|ver\u00f6ffentlich|erschien",
    re.IGNORECASE,
)
_DAY_CHARS: Final = len("2026-01-31")
_DATE_PROPERTIES: Final = frozenset({"date", "dateCreated", "dateModified", "datePublished"})
_DateKind: TypeAlias = Literal["published", "modified"]


def _shown_dates(document: Document, language: str, *, far: bool) -> Iterator[PageDate]:
    """Yield the dates shown near the heading, the likeliest first; with ``far``, also farther."""
    heading = _find_title_heading(document)
    nodes = document.descendants if heading is None else heading.following
    max_lines = _MAX_FAR_LINES if far else _MAX_NEAR_LINES
    lines = list(islice(_dateline_lines(islice(nodes, _MAX_NEAR_NODES)), max_lines))
    if far and heading is not None:
        before = list(islice(heading.preceding, _MAX_NEAR_NODES // 5))[::-1]
        lines[_MAX_NEAR_LINES:_MAX_NEAR_LINES] = [*_dateline_lines(before)][
            : -_MAX_LINES_BEFORE - 1 : -1
        ]
    yield from _dates_in_lines(lines, language)


def _dates_in_lines(lines: Iterable[tuple[Node, str, str]], language: str) -> Iterator[PageDate]:
    for node, line, label in lines:
        # Nearly no line has a year; this test is faster than a call.
        day = _full_date(line, language) if "20" in line or "19" in line else None
        if day and day > _WEB_START:
            element = node if isinstance(node, Element) else node.parent
            if not isinstance(element, Element) or element.tag in _HIDDEN_TAGS:
                continue
            if kind := _shown_date_kind(element, line, label):
                yield PageDate(kind=kind, date=day, source="page")


def _only_shown_date(document: Document, language: str) -> PageDate | None:
    """Return the day that a page shows where it shows no other."""
    lines = _dateline_lines(islice(document.descendants, _MAX_PAGE_NODES))
    dates = {date.date: date for date in _dates_in_lines(lines, language)}
    return dates.popitem()[1] if len(dates) == 1 else None


def _find_title_heading(document: Document) -> Element | None:
    """Return the heading whose text is in the title, or else the first h1."""
    title = document.find("title")
    title_text = "" if title is None else " ".join(title.text.split())
    for heading in islice(document.iter_elements(_HEADING_TAGS), _MAX_HEADINGS):
        text = " ".join(heading.text.split())
        if len(text) >= _MIN_TITLE_CHARS and text in title_text:
            return heading
    return document.find("h1")


def _dateline_lines(nodes: Iterable[Node]) -> Iterator[tuple[Node, str, str]]:
    """Yield each line and each ``time`` with its node and the short line before it."""
    label = ""
    for node in nodes:
        if isinstance(node, Text):
            if line := node.data.strip():
                yield node, line, label
                label = line if len(line) <= _MAX_LABEL_CHARS else ""
        elif isinstance(node, Element) and node.tag == "time" and (day := node.attr("datetime")):
            yield node, day, f"{label} {node.text}"


def _shown_date_kind(element: Element, line: str, label: str) -> _DateKind | None:
    """Return what a date in a line is the day of; None where it is that of another thing."""
    item, words = element.attr("itemprop") or "date", f"{label} {line}"
    if _DATE_PROPERTIES.isdisjoint(item.split()) or _OTHER_DATE_PATTERN.search(words):
        return None
    # A link that holds more than a date leads to the page that the date belongs to.
    link = element.closest("a:not([rel~=bookmark])")
    if link is not None and read_date_field(" ".join(link.text.split())) is None:
        return None
    if element.closest(FOREIGN_TEXT_SELECTOR) or is_unrelated_value(element):
        return None
    return "modified" if _CHANGE_PATTERN.search(f"{words} {item}") else "published"


def is_unrelated_value(element: Element) -> bool:
    """Tell whether an element is the value of a label that does not name a publication."""
    value = element.closest("dd,th + td")
    if value is None:
        return False
    labels = (node for node in value.previous_siblings if isinstance(node, Element))
    label = next(labels, None)
    return label is None or _PUBLICATION_PATTERN.search(label.text) is None


def _full_date(line: str, language: str) -> str | None:
    """Return the only full date of a line; None for a year, a month or a range."""
    if len(line) > _MAX_DATELINE_CHARS or len(_YEAR_PATTERN.findall(line)) != 1:
        return None
    if len(_NUMBER_PATTERN.findall(line)) < _MIN_DATE_NUMBERS:
        return None
    stated = iso_date(line, language)
    return stated if stated is not None and _has_day(stated) else None


_MAX_JSON_CHARS: Final = 2_000_000
# Numbers stay text, so that a price keeps its form: 49.90, not 49.9.
_JSON_DECODER: Final = json.JSONDecoder(strict=False, parse_float=str)
_JSON_START_PATTERN: Final = re.compile(r"\{|(?<!CDATA)\[(?=\s*[\[{\]])")


def decode_leading_json(text: str) -> object:
    """Return the first JSON object or list of objects in a script; None where it is invalid.

    A comment may stand before it, and anything may follow it.
    """
    start = _JSON_START_PATTERN.search(text)
    if start is None or len(text) > _MAX_JSON_CHARS:
        return None
    try:
        return _JSON_DECODER.raw_decode(text, start.start())[0]
    except (ValueError, RecursionError):
        return None


_MAX_THING_DEPTH: Final = 12
_MAX_THINGS: Final = 400
_MAX_STEP_CHARS: Final = 60
_MAX_METAS: Final = 500
_MARKDOWN_LINK_SELECTOR: Final = 'link[rel~="alternate" i][type="text/markdown" i]'
_ROBOTS_SELECTOR: Final = 'meta[name="robots" i][content], meta[name="webseam" i][content]'
_MAX_ROBOTS_METAS: Final = 5
_MAX_ROBOTS_CHARS: Final = 300
_MAX_STATEMENT_CHARS: Final = 2000


class PageHead(msgspec.Struct, frozen=True):
    """The page's statements about itself; nothing here is verified."""

    title: str
    metas: dict[str, str]
    things: tuple[dict[str, object], ...]
    language: str
    canonical: str
    body_names: str
    robots: tuple[str, ...] = ()
    licence: str = ""
    markdown: str = ""

    @property
    def titles(self) -> str:
        """Return all titles in the head, joined."""
        return f"{self.title} {self.metas.get('og:title', '')}"

    @property
    def address(self) -> str:
        """Return the address that the page declares; blank where it declares none."""
        return self.canonical or self.metas.get("og:url", "")

    @property
    def descriptions(self) -> str:
        """Return all descriptions in the head, joined."""
        texts = [text for thing in self.things if isinstance(text := thing.get("description"), str)]
        metas = self.metas
        return " ".join([metas.get("description", ""), metas.get("og:description", ""), *texts])


def read_head(document: Document) -> PageHead:
    """Read the title, meta tags, linked data and other declarations of a page."""
    root, title = document.root, document.select_one("head title") or document.find("title")
    return PageHead(
        # A <title> inside an <svg> names a drawing.
        title="" if title is None else title.text,
        metas=read_meta_tags(document),
        things=tuple(thing for _, thing in linked_data_objects(document)),
        language=(root.attr("lang") or root.attr("xml:lang") or "") if root is not None else "",
        canonical=_attribute_or_blank(document.select_one('link[rel~="canonical" i]'), "href"),
        body_names=_attribute_or_blank(document.find("body"), "class"),
        robots=tuple(
            one_line(meta.attr("content") or "", _MAX_ROBOTS_CHARS)
            for meta in document.select(_ROBOTS_SELECTOR)[:_MAX_ROBOTS_METAS]
        ),
        licence=_attribute_or_blank(document.select_one('link[rel~="license" i]'), "href"),
        markdown=_attribute_or_blank(document.select_one(_MARKDOWN_LINK_SELECTOR), "href"),
    )


def _attribute_or_blank(element: Element | None, name: str) -> str:
    return "" if element is None else element.attr(name) or ""


def read_meta_tags(document: Document) -> dict[str, str]:
    """Return the content of the meta tags by their names, the first of each."""
    metas: dict[str, str] = {}
    for meta in document.select("meta[content]")[:_MAX_METAS]:
        name = meta.attr("property") or meta.attr("name") or meta.attr("itemprop")
        if name:
            metas.setdefault(name.strip().lower(), meta.attr("content") or "")
    return metas


def linked_data_objects(document: Document) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield every JSON-LD object of the page and its place, outer ones first."""
    scripts = document.select('script[type*="ld+json" i]')[:50]
    queue: list[tuple[str, object, int]] = [
        (f"json-ld[{index}]", decode_leading_json(script.text), 0)
        for index, script in enumerate(scripts)
    ]
    object_count = 0
    for path, value, depth in queue:
        if isinstance(value, dict):
            object_count += 1
            yield path, value
        if depth < _MAX_THING_DEPTH and object_count < _MAX_THINGS:
            parts = ((f"{path}{step}", part) for step, part in _json_parts(value))
            queue += [(*part, depth + 1) for part in parts if isinstance(part[1], dict | list)]


def _json_parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the values of an object or a list, and the step of the path that leads to each."""
    if isinstance(value, dict):
        yield from ((f".{name[:_MAX_STEP_CHARS]}", part) for name, part in value.items())
    elif isinstance(value, list):
        yield from ((f"[{index}]", part) for index, part in enumerate(value))


_WORD_PATTERN: Final = re.compile(r"\w+")
_LANGUAGE_TAG_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*\Z")
# A name with a word of change is never of publication: ``last_published``, ``modified-date``.
_CHANGE_META: Final = r"modifi|updated|last"
_DECLARED_DATES: Final[tuple[tuple[_DateKind, str, re.Pattern[str]], ...]] = (
    (
        "published",
        "datePublished",
        re.compile(
            rf"(?!.*(?:{_CHANGE_META}))"
            r".*(?:publi(?:sh|cation)|pub[-_.]?date|issued|created|(?<![^.:_-])date\Z)"
        ),
    ),
    ("modified", "dateModified", re.compile(rf".*(?:{_CHANGE_META})")),
)
_MICRODATA_DAY_SELECTOR: Final = '[itemprop~="datePublished"],[itemprop~="dateCreated"]'
_REPLY_TYPES: Final = ("Answer", "Comment")
_REVIEW_FIELDS: Final = frozenset({"review", "reviews"})
_MAX_DESCRIPTION_CHARS: Final = 1_000


# What a page is by its own statement (https://schema.org/docs/full.html, read 2026-11-19).
_ONE_TEXT_TYPES: Final = frozenset({"Article", "BlogPosting", "NewsArticle", "Product", "Recipe"})
_THREAD_TYPES: Final = frozenset({"DiscussionForumPosting", "QAPage"})


def is_stated_one_text(things: Iterable[dict[str, object]]) -> bool:
    """Tell whether a page states that it is an article, a recipe or an offer, and no discussion."""
    types: set[str] = set()
    for thing in things:
        stated = thing.get("@type")
        types.update(name for name in as_list(stated) or [stated] if isinstance(name, str))
    return not types.isdisjoint(_ONE_TEXT_TYPES) and types.isdisjoint(_THREAD_TYPES)


class BodyMarks(msgspec.Struct, frozen=True):
    """The author, date and heading of a page, read before the tree is pruned."""

    author: str | None
    published_at: str | None
    heading: str
    dates: tuple[PageDate, ...] = ()


def read_body_marks(document: Document, head: PageHead) -> BodyMarks:
    """Read the author and the date from the head, or else from the body."""
    heading = document.find("h1")
    dates = _ranked_dates(document, head)
    published_at = next((one.date for one in dates if one.kind == "published"), None)
    return BodyMarks(
        author=declared_author(_page_linked_data(head.things), head.metas) or read_byline(document),
        published_at=published_at,
        heading="" if heading is None else heading.text,
        dates=tuple(dates),
    )


def read_metadata(head: PageHead, marks: BodyMarks, base: str) -> ReadPage:
    """Return a page without content; each field is from its best source."""
    metas = head.metas
    address = absolute_url(head.address, base) if head.address.strip() else None
    language = (head.language or metas.get("og:locale", "")).strip()
    return ReadPage(
        content="",
        title=_page_title([metas.get("og:title", ""), head.title, marks.heading]),
        author=marks.author,
        published_at=marks.published_at,
        language=language.replace("_", "-") if _LANGUAGE_TAG_PATTERN.match(language) else None,
        canonical_url=address if address and address.startswith("http") else None,
        description=_first_clean_text(
            [metas.get("description", ""), metas.get("og:description", ""), head.descriptions],
            _MAX_DESCRIPTION_CHARS,
        ),
        site_name=_first_clean_text(
            [metas.get("og:site_name", ""), metas.get("application-name", "")], 100
        ),
        robots=head.robots,
        statements=tuple(_usage_statements(head, base)),
        dates=marks.dates,
        markdown_url=absolute_url(head.markdown, base) if head.markdown.strip() else None,
    )


def _page_title(texts: Iterable[str]) -> str:
    """Return the first title that another one repeats in part: "Home" is that of every page."""
    titles = list(dict.fromkeys(filter(None, (one_line(text, 300) for text in texts))))
    words = [set(_WORD_PATTERN.findall(title.casefold())) for title in titles]
    for index, title in enumerate(titles):
        if any(words[index] & others for others in words[:index] + words[index + 1 :]):
            return title
    return titles[-1 if len(words[0]) == 1 else 0] if titles else ""


def _usage_statements(head: PageHead, base: str) -> Iterator[UsageStatement]:
    """Yield what the page says about its use, but for its robots directives."""
    licence = absolute_url(head.licence, base) if head.licence.strip() else ""
    metas = {**head.metas, "license": licence or ""}
    for name in ("license", "tdm-policy", "tdm-reservation"):
        if value := one_line(metas.get(name, ""), _MAX_STATEMENT_CHARS):
            yield UsageStatement("page", name, value)


def _first_clean_text(texts: Iterable[str], max_chars: int) -> str | None:
    return next((line for text in texts if (line := one_line(text, max_chars))), None)


def _declared_dates(head: PageHead) -> Iterator[PageDate]:
    things, metas = _page_linked_data(head.things), head.metas
    for kind, field, pattern in _DECLARED_DATES:
        linked = _first_iso_date(
            text for thing in things if isinstance(text := thing.get(field), str)
        )
        if linked is not None:
            yield PageDate(kind=kind, date=linked, source="linked data")
        in_meta = _first_iso_date(text for name, text in metas.items() if pattern.match(name))
        if in_meta is not None:
            yield PageDate(kind=kind, date=in_meta, source="meta")


def _ranked_dates(document: Document, head: PageHead) -> list[PageDate]:
    """Return the dates that a page states, the most certain day of publication first."""
    declared = list(_declared_dates(head))
    dates = [date for date in declared if _has_day(date.date)]
    day, change = (
        next((date.date[:10] for date in dates if date.kind == kind), "")
        for kind in ("published", "modified")
    )
    if not day or change <= day:
        shown = list(_shown_dates(document, head.language, far=not day))
        published = next((date for date in shown if date.kind == "published"), None)
        if not day:
            published = _marked_date(document, _MICRODATA_DAY_SELECTOR) or published
        if not day and not shown:
            published = published or _marked_date(document, "time[datetime]:not([itemprop])")
            if published is None and (only := _only_shown_date(document, head.language)):
                shown = [only]
                published = only if only.kind == "published" and only.date[:10] != change else None
        # A site that publishes a page anew declares that day, and still shows the first one.
        if published is not None and (not day or _utc_day(published.date) < day):
            dates.insert(0, published)
        dates += [date for date in shown if date.kind == "modified" and not change][:1]
    # A month or a year says less than any day.
    partial = [date for date in declared if not _has_day(date.date)]
    return [*(date for date in _address_dates(head.address) if date.date != day), *dates, *partial]


def _utc_day(date: str) -> str:
    """Return the day of a moment in UTC; a day stays as it is."""
    moment = datetime.fromisoformat(date)
    return date[:10] if moment.tzinfo is None else moment.astimezone(UTC).date().isoformat()


def _address_dates(address: str) -> Iterator[PageDate]:
    if (match := _ADDRESS_DAY_PATTERN.search(address)) and (
        day := iso_date("-".join(match.group(1, 3, 4)))
    ):
        yield PageDate(kind="published", date=day, source="address")


def _marked_date(document: Document, selector: str) -> PageDate | None:
    """Return the first day of publication that an element gives to machines."""
    day = _first_iso_date(
        element.attr("datetime") or element.attr("content") or element.text
        for element in document.select(selector)[:5]
        if _shown_date_kind(element, element.text, "") == "published"
    )
    if day is None or not _has_day(day):
        return None
    return PageDate(kind="published", date=day, source="page")


def _first_iso_date(texts: Iterable[str]) -> str | None:
    """Return the first date that has a day; without one, the first month or year."""
    dates = [stated for text in texts if (stated := iso_date(text))]
    return max(dates, key=_has_day, default=None)


def _has_day(iso: str) -> bool:
    return len(iso) >= _DAY_CHARS


def _page_linked_data(things: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Return the linked data without comments, answers and lists of reviews.

    A single review stays: it may be the page itself.
    """
    foreign = {
        id(review)
        for thing in things
        for name in _REVIEW_FIELDS.intersection(thing)
        if isinstance(reviews := thing[name], list) and len(reviews) > 1
        for review in reviews
    }
    return [
        thing
        for thing in things
        if thing.get("@type") not in _REPLY_TYPES and id(thing) not in foreign
    ]

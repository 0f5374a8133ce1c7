"""Measure a whole page, to predict its kind."""

import re
from collections import Counter
from itertools import accumulate, compress
from math import log1p
from operator import add
from typing import Final

import msgspec
from turbohtml import Document

from ..metadata import BodyMarks, PageHead, read_body_marks, read_head
from ..page_segments import HEADINGS, PageSegments, TextRun, segment_page
from ..structured_data.microdata import read_microdata, read_rdfa
from ..verdicts import has_challenge
from ..visibility.pruning import PrunedPage, prune_page
from ..visibility.stated import StatedText
from ..walls import declared_access
from .cues import QUESTION_MARKS
from .repeats import (
    KinFacts,
    Repeats,
    Tallies,
    best_parent_share,
    count_marks_before_runs,
    find_repeated_boxes,
    measure_kin,
    tally_runs,
)
from .signs import (
    Anchor,
    OwnText,
    SectionSigns,
    find_own_text,
    page_words,
    read_section_signs,
    title_heading,
)
from .vocabulary import GROUPS

KINDS: Final = (
    "article", "collection", "documentation", "forum", "listing", "product", "service",
)  # fmt: skip
_COUNTED_TAG_LIST: Final = (
    "article main table pre img time form h1 h2 h3 p li button iframe video script input"
)
COUNTED_TAG_NAMES: Final = tuple(_COUNTED_TAG_LIST.split())
# The text is in lower case already: ignoring case takes twice as long.
_DATE_PATTERN: Final = re.compile(
    r"\b(?:\d{1,2}[./:-]\d{1,2}|20[0-3]\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ago\b).*"
)
_DIGIT_PATTERN: Final = re.compile(r"\d")
_MAX_LABEL_WORDS: Final = 12
_MAX_COUNTED_TAGS: Final = 5_000
_MAX_ADDRESS_CHARS: Final = 500
_DATE_REACH_RUNS: Final = (2, 4)
_MIN_HEADED_SHARE: Final = 0.7


def _compile_lines(table: str, flags: int = 0) -> list[re.Pattern[str]]:
    """Compile each line of a table to a pattern."""
    return [re.compile(line, flags) for line in table.split()]


_GENERATOR_PATTERNS: Final = _compile_lines(
    r"""
discourse|phpbb|vbulletin|xenforo|invision|mybb|smf|flarum|vanilla|stackexchange|nodebb
shopify|woocommerce|magento|prestashop|bigcommerce
sphinx|mkdocs|docusaurus|mediawiki|doxygen|gitbook|hugo|vitepress|readthedocs|javadoc
""",
    re.IGNORECASE,
)
_ITEM_TYPE_PATTERNS: Final = _compile_lines(
    r"""
Article|BlogPosting|Report
Product|Offer
Discussion|QAPage|Question|Answer|Comment
ItemList|CollectionPage|SearchResults|OfferCatalog
Service|Organization|LocalBusiness
TechArticle|APIReference|HowTo
FAQPage
BreadcrumbList
JobPosting|Event|Recipe|Course|Place|RealEstate
Review|AggregateRating
"""
)
_ADDRESS_PATTERNS: Final = _compile_lines(
    r"""
\d{4}/\d{1,2}|article|story|news|blog|post|-\w+-\w+-\w+-
/(?:p|dp|products?|item|shop|buy)[/-]|\.html?$
forum|thread|topic|viewtopic|showthread|discuss|community|questions?/|/t/|/r/
docs?[./]|documentation|reference|manual|guide|api|wiki|tutorial|learn|developer|help
categor|collections?|/c/|shop|store|browse|list|search|tags?/|archive|topics?$|directory
service|solution|about|pricing|features?|platform|company|what-we
jobs?|events?|properties|recipes?|courses?|hotels|apartments|for-sale|listing
""",
    re.IGNORECASE,
)


class TagCounts(msgspec.Struct, frozen=True):
    """The logarithmic count of each counted tag before pruning, and the microdata types."""

    logs: tuple[float, ...]
    microdata: str


def count_tags(document: Document) -> TagCounts:
    """Count the tags that distinguish kinds of pages."""
    items = document.select("[itemtype]")[:50]
    return TagCounts(
        logs=tuple(
            log1p(len(document.find_all(tag, limit=_MAX_COUNTED_TAGS))) for tag in COUNTED_TAG_NAMES
        ),
        microdata=" ".join(item.attr("itemtype") or "" for item in items),
    )


class MeasuredPage(msgspec.Struct, frozen=True):
    """A page with all its measures."""

    segments: PageSegments
    head: PageHead
    counts: TagCounts
    tallies: Tallies
    repeats: Repeats
    signs: SectionSigns
    best_share: float
    url: str
    title: Anchor
    own: OwnText
    images: list[int]
    dates: list[int]
    kin: list[KinFacts]


def page_shape_features(page: MeasuredPage) -> list[float]:
    """Return the few page measures that are also part of each run's row."""
    tallies = page.tallies
    return [
        log1p(tallies.total_words),
        log1p(len(page.segments.runs)),
        log1p(tallies.longs[-1]),
        tallies.link_share,
        page.best_share,
    ]


def page_features(page: MeasuredPage) -> list[float]:
    """Return every measure that the kind of a page is predicted from."""
    runs, groups = page.segments.runs, page.repeats.groups
    masks = Counter([box.own for box in page.segments.boxes])
    lengths = sorted((run.words for run in runs), reverse=True)
    picked = [lengths[min(index, len(runs) - 1)] for index in (0, 5, 20, len(runs) // 2)]
    # The first entry is for boxes in no group.
    largest_group = max(groups[1:] or groups, key=lambda facts: facts[2])
    return [
        *page_shape_features(page),
        *page.counts.logs,
        *_declared_features(page.head, page.counts.microdata),
        *_address_features(page.url),
        *_label_features(runs, page.signs),
        *[
            log1p(sum([count for mask, count in masks.items() if mask >> bit & 1]))
            for bit in range(len(GROUPS))
        ],
        *[log1p(words) for words in picked],
        sum(lengths) / len(lengths),
        *largest_group[:4],
        *own_text_features(page),
    ]


def _declared_features(head: PageHead, microdata: str) -> list[float]:
    metas = head.metas
    og_type = metas.get("og:type", "").lower()
    generator = (
        f"{metas.get('generator', '')} {metas.get('application-name', '')} {head.body_names}"
    )
    types = f"{microdata} {' '.join(str(thing.get('@type')) for thing in head.things)}"
    return [
        "article" in og_type,
        "product" in og_type,
        "website" in og_type,
        "article:published_time" in metas,
        "author" in metas,
        *[
            pattern.search(generator[:_MAX_ADDRESS_CHARS]) is not None
            for pattern in _GENERATOR_PATTERNS
        ],
        *[pattern.search(types[:5000]) is not None for pattern in _ITEM_TYPE_PATTERNS],
    ]


def page_address(declared_address: str, url: str) -> str:
    """Return the address that a page declares, or else the one it was fetched from.

    The name in a file, a mirror or an archive says nothing about a page's kind. Some sites declare
    their home page on every page; that does not count.

    >>> page_address("https://a.example/2024/05/storm", "http://127.0.0.1:8000/17.html")
    'https://a.example/2024/05/storm'
    >>> page_address("https://a.example/", "https://a.example/forum/7")
    'https://a.example/forum/7'
    """
    declared_address = declared_address.strip()[:_MAX_ADDRESS_CHARS]
    return declared_address if len(_page_path(declared_address)) > 1 else url[:_MAX_ADDRESS_CHARS]


def _page_path(url: str) -> str:
    rest = url.partition("://")[2] or url
    return rest[rest.find("/") :] if "/" in rest else "/"


def _address_features(url: str) -> list[float]:
    path = _page_path(url)
    return [
        *[pattern.search(url) is not None for pattern in _ADDRESS_PATTERNS],
        path.count("/"),
        len(path),
        len(_DIGIT_PATTERN.findall(path)),
        path.count("-"),
        "?" in path,
    ]


def _label_features(runs: list[TextRun], signs: SectionSigns) -> list[float]:
    is_label = [run.words < _MAX_LABEL_WORDS for run in runs]
    # One search over all lines takes half the time of a search per line.
    dates = len(_DATE_PATTERN.findall("\n".join(compress(signs.starts, is_label))))
    questions = sum([run.text[-1] in QUESTION_MARKS for run in runs])
    count, prices = len(runs), sum(signs.prices)
    return [log1p(prices), prices / count, log1p(dates), dates / count, questions / count]


class OpenedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed page: its declarations, and the part that can be read."""

    document: Document
    head: PageHead
    counts: TagCounts
    marks: BodyMarks
    items: tuple[dict[str, object], ...]
    scripts: int
    passwords: int
    challenge: bool
    pruned: PrunedPage | None


def open_document(document: Document, *, walled: bool = False, parts: bool = False) -> OpenedPage:
    """Read a page's declarations and marks, then prune ``document`` in place.

    ``walled`` keeps the hidden rest of a text, as does a page that declares its text free. Hidden
    text that linked data state stays, unless the page declares a wall. ``parts`` keeps the order of
    what is removed.
    """
    head = read_head(document)
    access = declared_access(head)
    stated = None if access == "payment" else StatedText(head.things)
    return OpenedPage(
        document=document,
        head=head,
        counts=count_tags(document),
        marks=read_body_marks(document, head),
        # Hardly any page has both linked data and RDFa.
        items=read_microdata(document) or (() if head.things else read_rdfa(document)),
        scripts=len(document.find_all("script", limit=100)),
        passwords=len(document.select("input[type=password i]")),
        challenge=has_challenge(document),
        # Prune last: it removes elements that the other readers need.
        pruned=prune_page(document, walled=walled or access == "free", stated=stated, parts=parts),
    )


def measure_opened(page: OpenedPage, url: str) -> MeasuredPage | None:
    """Measure the runs and boxes of a page; None when it has no text.

    Raises ``TooManyBlocksError`` for a page that is too large to be segmented.
    """
    if page.pruned is None:
        return None
    segments = segment_page(page.pruned.body)
    if not segments.runs:
        return None
    runs, boxes = segments.runs, segments.boxes
    tallies = tally_runs(runs)
    repeats = find_repeated_boxes(boxes, tallies)
    signs = read_section_signs(runs, boxes)
    title = title_heading(runs, boxes, frozenset(page_words(page.head.titles)))
    images = count_marks_before_runs(segments.images, len(runs))
    # A date is a ``<time>`` or a text that looks like one.
    times = count_marks_before_runs(segments.times, len(runs))
    dates = list(map(add, times, accumulate(signs.dates, initial=0)))
    return MeasuredPage(
        segments=segments,
        head=page.head,
        counts=page.counts,
        tallies=tallies,
        repeats=repeats,
        signs=signs,
        best_share=best_parent_share(runs, boxes, tallies),
        url=page_address(page.head.address, url),
        title=title,
        own=find_own_text(runs, boxes, tallies, title),
        images=images,
        dates=dates,
        kin=measure_kin(repeats.members, runs, tallies, images, dates),
    )


def own_text_features(page: MeasuredPage) -> tuple[float, ...]:
    """Return the size of the page's own text and of the largest group of cards."""
    runs, tallies, own, dates = page.segments.runs, page.tallies, page.own, page.dates
    words, linked, chars, longs = tallies.words, tallies.linked, tallies.chars, tallies.longs
    first, last = own.first, own.last
    before, after = _DATE_REACH_RUNS
    cards = [
        facts
        for facts, kin_facts in zip(page.repeats.groups, page.kin, strict=True)
        if kin_facts[3] >= _MIN_HEADED_SHARE
    ]
    largest = max(cards, key=lambda facts: facts[2], default=page.repeats.groups[0])
    return (
        (words[last] - words[first]) / tallies.total_words,
        log1p(longs[last] - longs[first]),
        (linked[last] - linked[first]) / ((chars[last] - chars[first]) or 1),
        float(runs[first].tag[1]) if runs[first].tag in HEADINGS else 0.0,
        float(dates[min(first + after, len(runs))] > dates[max(first - before, 0)]),
        (words[own.end] - words[last]) / tallies.total_words,
        *largest[:3],
    )

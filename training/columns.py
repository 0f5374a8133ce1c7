"""Name the columns of the reader's rows, in the order in which it measures them."""

from collections.abc import Iterator
from typing import Final

import msgspec

from webseam.adapters.reader.measures.page_features import (
    COUNTED_TAG_NAMES,
    KINDS,
    MeasuredPage,
    TagCounts,
)
from webseam.adapters.reader.measures.vocabulary import GROUPS
from webseam.adapters.reader.page_segments import CONTEXTS
from webseam.adapters.reader.scores import TAG_SETS, FeatureRow, measure_page

CARD_NAMES: Final = ("prices_before", "bylines_before", "dates_before", "from_buying")
PAGE_NAMES: Final = (
    "body_share", "body_links", "articles", "own_share", "own_longs", "own_links", "title_level",
    "title_dated", "own_rest", "cards_count", "cards_words", "cards_share",
)  # fmt: skip
BOX_NAMES: Final = (
    "kin_images", "kin_times", "kin_spread", "kin_linked", "article_share", "article_rank",
    "body_depth", "body_parting", "title_parting", "item_body", "part_heading", "part_dated",
)  # fmt: skip
RUN_NAMES: Final = (
    "related_share", "after_related", "body_distance", "title_distance", "own_side", "own_words",
    "last_words", "last_runs", "last_level", "high_headings", "linked_headings",
    "images_near", "widest_gap", *CARD_NAMES,
)  # fmt: skip
_GROUP_NAMES: Final = ("count", "words", "share", "links", "longs")
_SPAN_NAMES: Final = ("words", "share", "links", "longs", "mean")
# The numbers of a row, group by group.
NUMBERS: Final = (
    ("log_words", "link_share", "place", "words_before", "from_h1"),
    ("letters", "ends", "commas", "capitals", "boilerplate", "copies", "titled", "told"),
    ("window8_longs", "window8_links", "window8_words", "window20_longs", "window20_links"),
    RUN_NAMES,
    ("depth", "siblings", "siblings1", "siblings2", "twins", "twins1", "twins2", "near_steps"),
    *(tuple(f"{group}_{name}" for name in _GROUP_NAMES) for group in ("near", "large", "wide")),
    *(
        tuple(f"{span}_{name}" for name in _SPAN_NAMES)
        for span in ("box", "up1", "up2", "up3", "up5")
    ),
    BOX_NAMES,
    (
        *("page_words", "page_runs", "page_longs", "page_links", "page_best"),
        *PAGE_NAMES,
        *(f"kind_{kind}" for kind in KINDS),
    ),
)
# The bit masks of a row.
MASKS: Final = (
    ("tag", tuple(name.replace(" ", "_") for name in TAG_SETS)),
    ("above", GROUPS),
    ("own", GROUPS),
    ("near", GROUPS),
    ("inside", tuple(CONTEXTS)),
)
_SCRIPTED_TAGS: Final = frozenset({"iframe", "video", "script", "input"})


def bare_feature_page(page: MeasuredPage) -> MeasuredPage:
    """Return the page like one that a program saved: without address, scripts and linked data."""
    logs = tuple(
        0.0 if tag in _SCRIPTED_TAGS else log
        for tag, log in zip(COUNTED_TAG_NAMES, page.counts.logs, strict=True)
    )
    return msgspec.structs.replace(
        page, counts=TagCounts(logs, ""), head=msgspec.structs.replace(page.head, things=()), url=""
    )


def html_run_rows(page: MeasuredPage, kinds: list[float]) -> Iterator[FeatureRow]:
    """Yield the row of every run."""
    return measure_page(page, kinds).rows(range(len(page.segments.runs)))

"""Define what a page's publisher says about the use of the page."""

from typing import Literal, NamedTuple, TypeAlias

import msgspec

# search: an index that links to the page. train: training of models. input: answers of models.
UsagePurpose: TypeAlias = Literal["search", "train", "input"]
UsageAnswer: TypeAlias = Literal["yes", "no", "unsaid"]
StatementOrigin: TypeAlias = Literal["header", "page", "robots.txt"]
# The response headers with statements about use.
USAGE_HEADERS = (
    "content-signal", "content-usage", "link", "tdm-policy", "tdm-reservation", "x-robots-tag",
)  # fmt: skip


class UsageStatement(NamedTuple):
    """A statement as it was written: in a header, in the page or in robots.txt."""

    origin: StatementOrigin
    name: str
    value: str


class UsageSource(msgspec.Struct, frozen=True, kw_only=True):
    """What one statement says about one purpose."""

    purpose: UsagePurpose
    says: UsageAnswer
    source: str


class PageUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What a page may be used for, by all statements of its publisher.

    These are wishes, not locks. Where statements contradict each other, ``no`` wins, and
    ``sources`` has both. ``licence`` is the address of the terms, if one is stated.
    """

    search: UsageAnswer = "unsaid"
    train: UsageAnswer = "unsaid"
    input: UsageAnswer = "unsaid"
    sources: tuple[UsageSource, ...] = ()
    licence: str | None = None

"""A terminal that is none: it says what it can do and remembers what was written to it."""

import io
import re

from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import SearchOutcome, WebSearchResult


class Terminal(io.StringIO):
    """A stream that somebody is looking at."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a StringIO has none
        return self._encoding

    def isatty(self) -> bool:
        return True


ROWS = (
    WebSearchResult(
        title="Tide tables for Brest",
        url="https://tides.example/ports/brest/2026-11",
        snippet="High and low water at Brest for every day of the month, with heights and "
        "coefficients. Tide tables for 120 other ports.",
        position=1,
        source="brave",
        published_at="2026-11-12T08:00:00Z",
    ),
    WebSearchResult(
        title="潮汐表 布雷斯特港",
        url="https://chaoxi.example/" + "school/" * 20,
        snippet="布雷斯特 **Brest** 潮汐时间表每日更新。" * 6,
        position=2,
        source="brave",
    ),
)


def outcome(*rows: WebSearchResult, cached: bool = False) -> SearchOutcome:
    receipt = SearchReceipt(
        backend="brave",
        query="tide tables brest",
        asked_max_results=None,
        max_results=10,
        clamped=False,
        filters=(),
        returned=len(rows),
        rejected=0,
        trimmed=0,
        cached=cached,
    )
    return SearchOutcome(rows=rows, answer=None, rejected=(), receipt=receipt)


ESCAPE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\")


def bare(line: str) -> str:
    return ESCAPE.sub("", line)

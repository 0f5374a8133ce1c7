"""The rows of a search, for a person."""

import re
from collections.abc import Iterator, Mapping, Sequence

from webseam.adapters.folder_files import file_path
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.ports.errors.error_fields import quote_foreign
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import RejectedRow, SearchOutcome, WebSearchResult

from .shown_values import cached_words, duration_text, shown_address, shown_date
from .styled_lines import (
    NextStep,
    Span,
    display_width,
    fact_footer,
    hanging_lines,
    paint_spans,
    shell_quote,
    step_lines,
    truncate_middle,
    wrap_spans,
)
from .terminal_look import TerminalLook

_INDENT = 4
_MAX_LINES = 3
_BOLD_PATTERN = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_MIN_WORD_CHARS = 2


def search_lines(outcome: SearchOutcome, look: TerminalLook) -> Iterator[str]:
    """Yield the answer, the rows and the rows that were set aside, an empty line between them."""
    words = _highlighted_query_words(outcome.receipt.query)
    answer = [_answer_lines(outcome.answer.text, look)] if outcome.answer is not None else []
    rows = [search_row_lines(row, words, look) for row in outcome.rows]
    rejected = [_rejected_row_lines(row, look) for row in outcome.rejected]
    for number, block in enumerate([*answer, *rows, *rejected]):
        if number:
            yield ""
        yield from block


def _answer_lines(text: str, look: TerminalLook) -> Iterator[str]:
    for paragraph in strip_hidden(text).strip().split("\n"):
        yield from hanging_lines([Span(paragraph)], look)


def _rejected_row_lines(row: RejectedRow, look: TerminalLook) -> Iterator[str]:
    reason = f" Row {row.index} was left out: {row.field} {quote_foreign(row.reason)}"
    yield from hanging_lines([Span(look.symbols.care, "care"), Span(reason)], look, hang=2)


def search_row_lines(
    row: WebSearchResult, words: Sequence[str], look: TerminalLook
) -> Iterator[str]:
    """Yield a row: its number and title, where and when, a few lines of it."""
    title = one_line(row.title) or "(no title)"
    number = f"{row.position:2}  "
    room, blank = look.prose - _INDENT, " " * _INDENT
    title_span = Span(title, "title", _row_link(row.url))
    for index, line in enumerate(wrap_spans([title_span], room)):
        yield (blank if index else number) + paint_spans(line, look)
    yield blank + paint_spans(_row_address_spans(row, look), look)
    if snippet := one_line(row.snippet, 2000):
        spans = mark_query_matches(snippet, words)
        for line in wrap_spans(spans, room, max_lines=_MAX_LINES, ellipsis=look.symbols.cut):
            yield blank + paint_spans(line, look)
    yield from _row_page_lines(row, look)


def _row_page_lines(row: WebSearchResult, look: TerminalLook) -> Iterator[str]:
    """Yield the text of a row's page, or why there is none."""
    if row.error is not None:
        reason = Span(f" {one_line(row.error.message)}")
        yield from hanging_lines([Span(look.symbols.care, "care"), reason], look, indent=_INDENT)
    if row.content is not None:
        from .page_lines import markdown_lines  # noqa: PLC0415  draws pages, which few searches read

        yield ""
        yield from markdown_lines(strip_hidden(row.content), look)


def _row_address_spans(row: WebSearchResult, look: TerminalLook) -> list[Span]:
    day = shown_date(row.published_at)
    tail = f"{look.symbols.dot}{day}" if day else ""
    room = look.width - _INDENT - display_width(tail)
    shown = truncate_middle(shown_address(row.url), max(room, 20), look.symbols.cut)
    return [Span(shown, "quiet", _row_link(row.url)), Span(tail, "quiet")]


def _row_link(url: str) -> str:
    """Return the link of a row; empty for an indexed file, which browsers cannot open."""
    return url if file_path(url) is None else ""


def mark_query_matches(text: str, words: Sequence[str]) -> list[Span]:
    """Return a text with the query's words marked; marks of the service, ``**word**``, win."""
    parts = _BOLD_PATTERN.split(text)
    if len(parts) == 1 and words:
        pattern = rf"(?<!\w)({'|'.join(map(re.escape, words))})(?!\w)"
        parts = re.split(pattern, text, flags=re.IGNORECASE)
    return [Span(part, "match" if index % 2 else "plain") for index, part in enumerate(parts)]


def _highlighted_query_words(query: str) -> tuple[str, ...]:
    words = {word for word in re.findall(r"\w+", query) if len(word) >= _MIN_WORD_CHARS}
    return tuple(sorted(words, key=len, reverse=True))[:16]


def search_footer(outcome: SearchOutcome, seconds: float, look: TerminalLook) -> Iterator[str]:
    """Yield the count of rows, the backend, whether it was cached, the duration, and the checks."""
    count = len(outcome.rows)
    rows = "1 result" if count == 1 else f"{count} results"
    facts = (
        rows,
        outcome.receipt.backend,
        cached_words(outcome.receipt),
        duration_text(seconds),
        *_check_facts(outcome.receipt),
    )
    yield from fact_footer(facts, look)


def _check_facts(receipt: SearchReceipt) -> Iterator[str]:
    """Yield what the rows were checked for, what was only sent, and the keys that nobody reads."""
    if receipt.filtered:
        yield f"{receipt.filtered} left out by filters"
    if receipt.undated:
        yield f"{receipt.undated} without a date"
    unverified = [name for name in receipt.sent if name not in receipt.verified]
    if unverified:
        yield f"not verified: {', '.join(unverified)}"
    if receipt.unread:
        yield one_line(f"not read: {', '.join(receipt.unread)}")


def nothing_found_lines(
    query: Mapping[str, object], look: TerminalLook, elsewhere: Sequence[str]
) -> Iterator[str]:
    """Yield a sentence with the query and the filters, and commands to try."""
    text = one_line(str(query["query"]))
    filters = list(_filter_phrases(query))
    sentence = " ".join([f"Nothing found for {text}", *filters]) + "."
    yield from hanging_lines([Span(sentence)], look)
    again = f"webseam search {shell_quote(text)}"
    offers = [NextStep("Wider", again, "without filters")] if filters else []
    if elsewhere:
        offers += [NextStep("Others", f"{again} --backend {elsewhere[0]}", "needs no key")]
    if offers:
        yield ""
        yield from step_lines(offers, look, indent=0)


def _filter_phrases(query: Mapping[str, object]) -> Iterator[str]:
    prepositions = {
        "include_domains": "on", "exclude_domains": "not on", "published_after": "since",
        "published_before": "until", "country": "in", "language": "in", "topic": "under",
        "safe_search": "with safe search", "page": "on page",
    }  # fmt: skip
    for name, preposition in prepositions.items():
        if value := query.get(name):
            shown = ", ".join(value) if isinstance(value, list) else str(value)
            yield f"{preposition} {shown_date(shown) or shown}"

"""Trim a page to a budget, keep all of it, and read the rest of it later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.pages import PartName
from webseam.ports.stores import TextStore
from webseam.ports.web import WebExtractResult

from ..boundary import attempt_call, attempt_or, attempt_port, rebuild_error
from ..deps import WebDeps
from ..laws.field_checks import refuse_field
from ..port_answers import ask_port, port_crash, port_error
from ..text.display import is_plain_text, is_text, plain_text, quote_value
from ..text.trim import Budget, Piece, TrimmedText, budgeted_characters, read_text_piece, trim_text
from .page_record import (
    PageRecord,
    PageSource,
    has_rest,
    name_handle,
    oversized_kinds,
    page_reading,
    page_record,
    read_page_record,
    write_page_record,
)

if TYPE_CHECKING:
    from webseam.ports.found import Found


async def trim_page_to_budget(page: WebExtractResult, deps: WebDeps) -> WebExtractResult:
    """Trim a page that is over budget; the receipt says what is omitted and where to go on."""
    trimmed = await _trim_content(page.content, deps)
    if not trimmed.omitted:
        return page
    receipt = replace(page.receipt, omitted=trimmed.omitted, next_cursor=trimmed.next_cursor)
    return replace(page, content=trimmed.text, receipt=receipt)


async def keep_page(
    page: WebExtractResult, shown: WebExtractResult, texts: TextStore | None
) -> WebExtractResult:
    """Keep all of ``page`` if ``shown`` has less, and name the handle in the receipt of that.

    If the store fails, there is no handle, and the receipt warns of it.
    """
    is_shortened = shown.receipt.compressed or bool(shown.receipt.omitted)
    if texts is None or not (is_shortened or has_rest(page)):
        return shown
    record = page_record(page)
    parts = record.reading.parts
    saved = await save_page_record(record, texts)
    if isinstance(saved, Failure):
        warning = f"The omitted text could not be stored. {saved.failure().message}"
        return add_page_warning(shown, warning)
    kept = name_handle(shown, saved.unwrap(), parts)
    if kept.receipt.compressed:
        # The whole text of a compressed page is another one, so reading it starts at 0.
        kept = replace(kept, receipt=replace(kept.receipt, next_cursor=0))
    oversized = oversized_kinds(page_reading(page))
    if not oversized:
        return kept
    return add_page_warning(kept, f"Too long to keep: the {', '.join(oversized)} of the page.")


async def save_page_record(record: PageRecord, texts: TextStore) -> Result[str, WebError]:
    """Store a page, and return its handle."""
    return await _call_text_store(lambda: texts.save(write_page_record(record)))


def add_page_warning(page: WebExtractResult, warning: str) -> WebExtractResult:
    """Return a page whose receipt has one warning more."""
    warnings = (*page.receipt.warnings, warning)
    return replace(page, receipt=replace(page.receipt, warnings=warnings))


# Returns why the caller may not read a page, or None.
PageJudge: TypeAlias = Callable[[PageSource], WebError | None]


async def _trim_content(text: str, deps: WebDeps) -> TrimmedText:
    budget = deps.budget or Budget()
    room = budgeted_characters(text, budget)
    focus, condense = deps.focus, deps.condense
    if focus is None or condense is None or room >= len(text):
        return trim_text(text, budget)
    condensed = await attempt_port(lambda: _await_passages(condense(text, focus, room)))
    passages = condensed.value_or(None)
    passages = plain_text(passages) if is_text(passages) else ""
    if not is_plain_text(passages) or not passages.strip() or len(passages) > room:
        # Fall back to head and tail.
        return trim_text(text, budget)
    # Passages are omitted in many places, so reading the rest starts at 0.
    return TrimmedText(
        text=passages, omitted=len(text) - len(passages), next_cursor=0, total=len(text)
    )


async def _await_passages(passages: object) -> object:
    return await passages if isinstance(passages, Awaitable) else passages


async def web_more(
    handle: object,
    cursor: object,
    budget: Budget,
    texts: TextStore,
    judge: PageJudge,
    part: PartName = "content",
) -> Result[Piece, WebError]:
    """Return the next piece of a part of a page that is kept. Never raises.

    Pieces from cursor 0 on join to the full text. ``judge`` decides about the source of the page.
    """
    if not is_text(handle):
        return refuse_field("handle", f"must be text, got {quote_value(handle)}")
    loaded = await load_page_record(plain_text(handle), texts, judge)
    return loaded.bind(lambda record: read_page_piece(record, cursor, budget, part))


def read_page_piece(
    record: PageRecord, cursor: object, budget: Budget, part: PartName = "content"
) -> Result[Piece, WebError]:
    """Return the piece of a part of a page that begins at ``cursor``."""
    if type(cursor) is not int or cursor < 0:
        return refuse_field("cursor", "must be a whole number from 0 on")
    found = _part_text(record, part)
    if isinstance(found, Failure):
        return found
    text = found.unwrap()
    if cursor > len(text):
        return refuse_field("cursor", f"is beyond the end of the text, which is at {len(text)}")
    piece = attempt_or(lambda: read_text_piece(text, cursor, budget), None)
    if piece is None:
        return refuse_field("budget", f"must be a Budget of numbers, got {quote_value(budget)}")
    return Success(piece)


def _part_text(record: PageRecord, part: PartName) -> Result[str, WebError]:
    """Return the text of a part, or why it is not kept."""
    if part == "content":
        return Success(record.content)
    texts = [kept.text for kept in record.reading.parts if kept.kind == part]
    if texts:
        return Success("\n\n".join(texts))
    left_out = record.reading.left_out
    if part == "walled":
        reason = "is not kept; extract_walled or --walled reads it as content"
    elif left_out is None:
        reason = "is not kept: the reader of this page does not say what it left out"
    elif any(entry.kind == part and entry.words for entry in left_out):
        reason = "is too long to be kept"
    else:
        reason = f"is empty: nothing of the page was left out as {part}"
    return refuse_field("part", reason)


async def web_find(
    handle: object, text: object, max_passages: object, texts: TextStore, judge: PageJudge
) -> Result[Found, WebError]:
    """Say where words stand in a page that is kept. Never raises.

    A page that is not kept, or no longer, is no failure: nobody can say what stands in it.
    """
    from .find import find_words, unknown_found  # noqa: PLC0415  few calls look for words

    if not is_text(handle):
        return refuse_field("handle", f"must be text, got {quote_value(handle)}")
    loaded = await load_page_record(plain_text(handle), texts, judge)
    if isinstance(loaded, Success):
        searched: Result[Found, WebError] = find_words(loaded.unwrap(), text, max_passages)
        return searched
    error = loaded.failure()
    is_missing = isinstance(error, InvalidQuery) and error.field == "handle"
    if not is_missing or not is_text(text):
        return Failure(error)
    return Success(unknown_found(plain_text(text), "expired"))


async def load_page_record(
    handle: str, texts: TextStore, judge: PageJudge
) -> Result[PageRecord, WebError]:
    """Return the page under a handle, if its reader may read it."""
    loaded = await _call_text_store(lambda: texts.load(handle))
    if isinstance(loaded, Failure):
        return loaded
    if (record := read_page_record(loaded.unwrap())) is None:
        return refuse_field("handle", "the store has no source for its text")
    source = record.source
    judged = attempt_call(lambda: judge(source))
    if isinstance(judged, Failure):
        return Failure(port_crash(judged.failure(), "judge", source.final_url))
    refusal = judged.unwrap()
    if refusal is None:
        return Success(record)
    error = rebuild_error(refusal)
    return Failure(port_error(refusal, "judge", None) if error is None else error)


async def _call_text_store(call: Callable[[], Awaitable[object]]) -> Result[str, WebError]:
    opened = await ask_port(call, "texts")
    if isinstance(opened, Failure):
        return opened
    answer = opened.unwrap()
    text = plain_text(answer) if is_text(answer) else None
    if text is None or not is_plain_text(text):
        return refuse_field("handle", "the store did not return text")
    return Success(text)

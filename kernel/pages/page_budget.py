"""Trim a page to a budget, and read the rest of it later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import WebError
from webseam.ports.stores import TextStore
from webseam.ports.web import WebExtractResult

from ..boundary import attempt_or, attempt_port
from ..deps import WebDeps
from ..laws.field_checks import refuse_field
from ..port_answers import ask_port
from ..text.display import is_plain_text, is_text, plain_text, quote_value
from ..text.trim import Budget, Piece, TrimmedText, budgeted_characters, read_text_piece, trim_text


async def trim_page_to_budget(page: WebExtractResult, deps: WebDeps) -> WebExtractResult:
    """Trim a page that is over budget; the receipt says what is omitted and how to read it.

    If the store fails, the page is returned without a handle, and the receipt warns of it.
    """
    trimmed = await _trim_content(page.content, deps)
    if not trimmed.omitted:
        return page
    if page.receipt.handle is not None:
        # The handle of a compressed page is that of the full text, so reading starts at 0.
        receipt = replace(page.receipt, omitted=trimmed.omitted)
    else:
        stored = await store_full_page_text(page.content, deps)
        receipt = replace(
            page.receipt,
            omitted=trimmed.omitted,
            next_cursor=trimmed.next_cursor,
            handle=stored.handle,
            warnings=(*page.receipt.warnings, *stored.warnings),
        )
    return replace(page, content=trimmed.text, receipt=receipt)


class KeptText(msgspec.Struct, frozen=True, kw_only=True):
    """The handle of a stored text, or why it was not stored."""

    handle: str | None = None
    warnings: tuple[str, ...] = ()


async def store_full_page_text(text: str, deps: WebDeps) -> KeptText:
    """Store a text before it is shortened, if there is a store."""
    if deps.texts is None:
        return KeptText()
    texts = deps.texts
    saved = await _call_text_store(lambda: texts.save(text))
    if isinstance(saved, Failure):
        warning = f"The omitted text could not be stored. {saved.failure().message}"
        return KeptText(warnings=(warning,))
    return KeptText(handle=saved.unwrap())


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
    handle: object, cursor: object, budget: Budget, texts: TextStore
) -> Result[Piece, WebError]:
    """Return the next piece of a text that was shown in part. Never raises.

    Pieces from cursor 0 on join to the full text.
    """
    if not is_text(handle):
        return refuse_field("handle", f"must be text, got {quote_value(handle)}")
    name = plain_text(handle)
    if type(cursor) is not int or cursor < 0:
        return refuse_field("cursor", "must be a whole number from 0 on")
    loaded = await _call_text_store(lambda: texts.load(name))
    if isinstance(loaded, Failure):
        return loaded
    text = loaded.unwrap()
    if cursor > len(text):
        return refuse_field("cursor", f"is beyond the end of the text, which is at {len(text)}")
    piece = attempt_or(lambda: read_text_piece(text, cursor, budget), None)
    if piece is None:
        return refuse_field("budget", f"must be a Budget of numbers, got {quote_value(budget)}")
    return Success(piece)


async def _call_text_store(call: Callable[[], Awaitable[object]]) -> Result[str, WebError]:
    opened = await ask_port(call, "texts")
    if isinstance(opened, Failure):
        return opened
    answer = opened.unwrap()
    text = plain_text(answer) if is_text(answer) else None
    if text is None or not is_plain_text(text):
        return refuse_field("handle", "the store did not return text")
    return Success(text)

"""A page kept within a budget, and the way to the rest of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import InvalidQuery, WebError
from ..ports.stores import TextStore
from ..ports.web import WebExtractResult
from .boundary import attempt_call, attempt_port
from .deps import WebDeps
from .port_answers import crash_error, open_answer
from .text.display import is_plain, quote_value
from .text.trim import Budget, Piece, TrimmedText, characters_for, read_piece as page_of, trim_text


async def bound_page(page: WebExtractResult, deps: WebDeps) -> WebExtractResult:
    """Trim a page that is over budget; the receipt says what is left out and where it is kept.

    A store that fails costs the handle, not the page, and the receipt says so.
    """
    trimmed = _trimmed(page.content, deps)
    if not trimmed.omitted:
        return page
    if page.receipt.handle is not None:
        # Compressed before: under its handle is the whole page, and the way there begins at 0.
        receipt = msgspec.structs.replace(page.receipt, omitted=trimmed.omitted)
    else:
        kept = await keep_full_text(page.content, deps)
        receipt = msgspec.structs.replace(
            page.receipt,
            omitted=trimmed.omitted,
            next_cursor=trimmed.next_cursor,
            handle=kept.handle,
            warnings=(*page.receipt.warnings, *kept.warnings),
        )
    return msgspec.structs.replace(page, content=trimmed.text, receipt=receipt)


class KeptText(msgspec.Struct, frozen=True, kw_only=True):
    """Where a text is kept, or why it is not."""

    handle: str | None = None
    warnings: tuple[str, ...] = ()


async def keep_full_text(text: str, deps: WebDeps) -> KeptText:
    """Keep a text that is about to be shortened, if there is a store."""
    if deps.texts is None:
        return KeptText()
    saved = await _saved(text, deps.texts)
    if isinstance(saved, Failure):
        return KeptText(
            warnings=(f"What is left out could not be kept. {saved.failure().message}",)
        )
    return KeptText(handle=saved.unwrap())


def _trimmed(text: str, deps: WebDeps) -> TrimmedText:
    budget = deps.budget or Budget()
    room = characters_for(text, budget)
    focus, condense = deps.focus, deps.condense
    if focus is None or condense is None or room >= len(text):
        return trim_text(text, budget)
    passages = attempt_call(lambda: condense(text, focus, room)).value_or(None)
    if (
        not isinstance(passages, str)
        or not is_plain(passages)
        or not passages.strip()
        or len(passages) > room
    ):
        # What cannot be focused is still kept short.
        return trim_text(text, budget)
    # Passages were left out in many places, so the way to the rest begins at the beginning.
    return TrimmedText(
        text=passages, omitted=len(text) - len(passages), next_cursor=0, total=len(text)
    )


async def web_more(
    handle: object, cursor: object, budget: Budget, texts: TextStore
) -> Result[Piece, WebError]:
    """Return the next piece of a text that was shown in part. Never raises.

    Pieces from cursor 0 on join to the whole text.
    """
    if not isinstance(handle, str):
        return _refuse("handle", f"must be text, got {quote_value(handle)}")
    if type(cursor) is not int or cursor < 0:
        return _refuse("cursor", "must be a whole number from 0 on")
    loaded = await _opened(lambda: texts.load(handle))
    if isinstance(loaded, Failure):
        return loaded
    text = loaded.unwrap()
    if cursor > len(text):
        return _refuse("cursor", f"is beyond the end of the text, which is at {len(text)}")
    return Success(page_of(text, cursor, budget))


async def _saved(text: str, texts: TextStore) -> Result[str, WebError]:
    return await _opened(lambda: texts.save(text))


async def _opened(call: Callable[[], Awaitable[object]]) -> Result[str, WebError]:
    answered = await attempt_port(call)
    if isinstance(answered, Failure):
        return Failure(crash_error(answered.failure(), "texts", None))
    opened = open_answer(answered.unwrap(), "texts", None)
    if isinstance(opened, Failure):
        return opened
    text = opened.unwrap()
    if not isinstance(text, str) or not is_plain(text):
        return _refuse("handle", "the store did not return text")
    return Success(text)


def _refuse(field: str, reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field=field, reason=reason))

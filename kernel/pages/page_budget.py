"""Trim a page to a budget, and read the rest of it later.

A handle is all that a caller needs to read the rest. It can reach others: keys that share a cache
have one store of texts, and an agent may pass a handle on. So a text is stored with the URLs of its
page, and who asks for it is judged by them as for a fresh read. They stand in the stored text and
not beside it: whatever store keeps the text keeps them, and the handle names both.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import WebError
from webseam.ports.stores import TextStore
from webseam.ports.web import WebExtractResult

from ..boundary import attempt_call, attempt_or, attempt_port, rebuild_error
from ..deps import WebDeps
from ..laws.field_checks import refuse_field
from ..port_answers import ask_port, port_crash, port_error
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
        stored = await store_full_page_text(page, deps)
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


class PageSource(msgspec.Struct, frozen=True, kw_only=True):
    """The URL of a page and the one that it led to, both without credentials."""

    url: str
    final_url: str


# Returns why the caller may not read a page, or None.
PageJudge: TypeAlias = Callable[[PageSource], WebError | None]
_SOURCE_MARK = "webseam page "
_SOURCE_DECODER = msgspec.json.Decoder(PageSource)


def write_stored_page(text: str, source: PageSource) -> str:
    r"""Return a text for a store, with the source of its page in the first line.

    >>> source = PageSource(url="https://a.example/", final_url="https://b.example/")
    >>> write_stored_page("Tides.", source).partition("\n")[2]
    'Tides.'
    """
    return f"{_SOURCE_MARK}{msgspec.json.encode(source).decode()}\n{text}"


def read_stored_page(stored: str) -> tuple[PageSource, str] | None:
    """Return the source of a stored text, and the text; None if it has no source."""
    line, _, text = stored.partition("\n")
    if not line.startswith(_SOURCE_MARK):
        return None
    try:
        return _SOURCE_DECODER.decode(line.removeprefix(_SOURCE_MARK)), text
    except ValueError:
        return None


async def store_full_page_text(page: WebExtractResult, deps: WebDeps) -> KeptText:
    """Store the text of a page before it is shortened, if there is a store."""
    if deps.texts is None:
        return KeptText()
    texts, receipt = deps.texts, page.receipt
    source = PageSource(url=receipt.url, final_url=receipt.final_url or receipt.url)
    text = write_stored_page(page.content, source)
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
    handle: object, cursor: object, budget: Budget, texts: TextStore, judge: PageJudge
) -> Result[Piece, WebError]:
    """Return the next piece of a text that was shown in part. Never raises.

    Pieces from cursor 0 on join to the full text. ``judge`` decides about the source of the text.
    """
    if not is_text(handle):
        return refuse_field("handle", f"must be text, got {quote_value(handle)}")
    name = plain_text(handle)
    if type(cursor) is not int or cursor < 0:
        return refuse_field("cursor", "must be a whole number from 0 on")
    loaded = await load_stored_page(name, texts, judge)
    if isinstance(loaded, Failure):
        return loaded
    text = loaded.unwrap()
    if cursor > len(text):
        return refuse_field("cursor", f"is beyond the end of the text, which is at {len(text)}")
    piece = attempt_or(lambda: read_text_piece(text, cursor, budget), None)
    if piece is None:
        return refuse_field("budget", f"must be a Budget of numbers, got {quote_value(budget)}")
    return Success(piece)


async def load_stored_page(
    handle: str, texts: TextStore, judge: PageJudge
) -> Result[str, WebError]:
    """Return the whole text under a handle, if its reader may read its page."""
    loaded = await _call_text_store(lambda: texts.load(handle))
    if isinstance(loaded, Failure):
        return loaded
    if (stored := read_stored_page(loaded.unwrap())) is None:
        return refuse_field("handle", "the store has no source for its text")
    source, text = stored
    judged = attempt_call(lambda: judge(source))
    if isinstance(judged, Failure):
        return Failure(port_crash(judged.failure(), "judge", source.final_url))
    refusal = judged.unwrap()
    if refusal is None:
        return Success(text)
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

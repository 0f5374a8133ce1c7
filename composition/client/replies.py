"""What plugins made of a reply, read back into the types that callers expect.

A plugin may put anything in place of a result, as long as it still is one: rows with URLs, a page.
"""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.boundary import attempt_call
from ...kernel.envelopes import ANSWER_TITLE
from ...kernel.laws.document_law import check_document
from ...kernel.laws.row_law import check_rows, number_rows, split_answer
from ...kernel.text.trim import Piece
from ...ports.errors import MiddlewareFailed, WebError
from ...ports.evidence import AskOutcome
from ...ports.receipts import ExtractReceipt, SearchReceipt
from ...ports.web import SearchAnswer, SearchOutcome, WebExtractResult

Outcome = TypeVar("Outcome")
Receipt = TypeVar("Receipt")
Fields: TypeAlias = dict[str, object]


class _Envelope(msgspec.Struct, frozen=True):
    data: Fields
    receipt: Fields = {}


class _Row(msgspec.Struct, frozen=True):
    title: str
    url: str
    description: str = ""


def search_from_reply(reply: object) -> Result[SearchOutcome, WebError]:
    """Return a search's outcome, or the one that a changed envelope still describes."""
    return _typed(reply, SearchOutcome, _search)


def page_from_reply(reply: object) -> Result[WebExtractResult, WebError]:
    """Return a page, or the one that a changed envelope still describes."""
    return _typed(reply, WebExtractResult, _page)


def answer_from_reply(reply: object) -> Result[AskOutcome, WebError]:
    """Return an answer with sources; what a plugin put in its place is none: nobody checked it."""
    return _typed(reply, AskOutcome, lambda _: None)


def piece_from_reply(reply: object) -> Result[Piece, WebError]:
    """Return a piece of a text, or the one that a changed envelope still describes."""
    return _typed(reply, Piece, lambda envelope: msgspec.convert(_data(envelope), Piece))


def _typed(
    reply: object, kind: type[Outcome], decode: Callable[[object], Outcome | None]
) -> Result[Outcome, WebError]:
    if isinstance(reply, kind):
        return Success(reply)
    changed = attempt_call(lambda: decode(reply)).value_or(None)
    if changed is not None:
        return Success(changed)
    what = f"put something in its place that is not a {kind.__name__}"
    return Failure(MiddlewareFailed(plugin="a plugin", stage="tool_execution", error=what))


def _search(envelope: object) -> SearchOutcome | None:
    data, receipt = _data(envelope), _receipt(envelope, SearchReceipt)
    reply_rows = msgspec.convert(data["web"], list[_Row])
    # Prose without rows is told of as a row without a URL.
    prose = [row.description for row in reply_rows if not row.url and row.title == ANSWER_TITLE]
    rows = [
        {"title": row.title, "url": row.url, "snippet": row.description}
        for row in reply_rows
        if row.url or row.title != ANSWER_TITLE
    ]
    checked = check_rows(split_answer(rows).unwrap())
    if isinstance(checked, Failure):
        return None
    answer = data.get("answer", prose[0] if prose else None)
    return SearchOutcome(
        rows=number_rows(checked.unwrap(), receipt.backend),
        answer=SearchAnswer(text=answer) if isinstance(answer, str) else None,
        rejected=(),
        receipt=receipt,
    )


def _page(envelope: object) -> WebExtractResult | None:
    data, receipt = _only(_data(envelope)), _only_receipt(envelope)
    url = str(data["url"])
    checked = check_document(data, url)
    if isinstance(checked, Failure):
        return None
    page = checked.unwrap()
    return WebExtractResult(
        url=url,
        final_url=page.final_url or url,
        title=page.title,
        content=page.content,
        raw_content=page.content,
        metadata=page.metadata or {},
        receipt=receipt,
    )


def _only(data: Fields) -> Fields:
    """Return the one page of an envelope."""
    (page,) = msgspec.convert(data["results"], list[Fields])
    return {name: value for name, value in page.items() if name != "error"}


def _only_receipt(envelope: object) -> ExtractReceipt:
    (receipt,) = msgspec.convert(
        msgspec.convert(envelope, _Envelope).receipt["pages"], list[Fields]
    )
    return msgspec.convert(receipt, ExtractReceipt)


def _data(envelope: object) -> Fields:
    return msgspec.convert(envelope, _Envelope).data


def _receipt(envelope: object, kind: type[Receipt]) -> Receipt:
    return msgspec.convert(msgspec.convert(envelope, _Envelope).receipt, kind)

"""Build the JSON object that a tool call returns, success or failure.

A plugin may replace a result, turn it into a failure, or recover from one; the receipt says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import CallRefused, MiddlewareFailed, WebError
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchResult

from .boundary import attempt_or, encode_text
from .middleware.execution import Recovery
from .text.display import (
    is_plain_text,
    is_text,
    one_line,
    plain_text,
    strip_hidden,
    strip_hidden_values,
    type_name,
)
from .text.trim import Piece

if TYPE_CHECKING:
    from webseam.ports.found import Found

NO_PROGRESS_NOTE = (
    "The last searches found nothing new: ask differently, or work with what was found."
)
Fields: TypeAlias = dict[str, object]
# What is known about the text of a page that is not in its content; JSON always has it.
# What an entry has of a page's HTML, if it was asked for.
HTML_FIELDS = ("links", "html")
READING_FIELDS = ("view", "complete", "cuts", "left_out", "notes")


class Replaced(msgspec.Struct, frozen=True):
    """The envelope of a plugin that keeps the laws of its tool, and the typed result of it."""

    envelope: Fields
    outcome: object


# Returns the envelope of a plugin as far as it keeps the laws of its tool, or what breaks them. The
# text names the plugins.
CheckEnvelope: TypeAlias = Callable[[Fields, str], Result[Replaced, WebError]]


def search_envelope(result: Result[SearchOutcome, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"web": [...]}}`` or the failure envelope.

    The text of a model is ``answer`` beside the rows, and never a row.
    """
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    outcome = result.unwrap()
    data: dict[str, object] = {"web": [_row_entry(row) for row in outcome.rows]}
    if outcome.answer is not None:
        data["answer"] = strip_hidden(outcome.answer.text)
    if outcome.receipt.no_progress:
        data["note"] = NO_PROGRESS_NOTE
    if outcome.rejected:
        data["rejected"] = msgspec.to_builtins(outcome.rejected)
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(outcome.receipt)}


def extract_envelope(
    urls: Sequence[str], pages: Sequence[Result[WebExtractResult, WebError]]
) -> dict[str, object]:
    """Return the envelope of one or more pages: an entry for each of ``urls``, in order.

    ``{"success", "data": {"results": [{"url", "final_url", "title", "content", "view", "complete",
    "cuts", "left_out", "notes", "metadata", "error"}]}, "failed", "receipt"}``: one page that was
    read is a success. Without any, the first error makes it a failure.
    """
    errors = [page.failure() for page in pages if isinstance(page, Failure)]
    results = [page_envelope_entry(url, page) for url, page in zip(urls, pages, strict=True)]
    envelope: dict[str, object] = {
        "success": not errors or len(errors) < len(pages),
        "data": {"results": results},
        "failed": len(errors),
        "receipt": _extract_receipt(pages),
    }
    return {**envelope, **failure_envelope(errors[0])} if not envelope["success"] else envelope


def page_envelope_entry(url: str, result: Result[WebExtractResult, WebError]) -> dict[str, object]:
    """Return the entry of one page, or of its error."""
    if isinstance(result, Failure):
        return {
            # Keep the URL as requested, unless it cannot be encoded.
            "url": url if is_plain_text(url) else strip_hidden(url),
            "final_url": None,
            "title": "",
            "content": "",
            "view": None,
            "complete": None,
            "cuts": [],
            "left_out": None,
            "notes": [],
            "metadata": {},
            "error": _described_error(result.failure()),
        }
    page = result.unwrap()
    entry: dict[str, object] = {
        "url": page.url,
        "final_url": page.final_url,
        "title": one_line(page.title),
        "content": strip_hidden(page.content),
        **{name: _reading_json(getattr(page, name)) for name in READING_FIELDS},
        "metadata": strip_hidden_values(page.metadata),
        "error": None,
    }
    if page.links is not None:
        entry["links"] = [{"url": link.url, "text": one_line(link.text)} for link in page.links]
    if page.html is not None:
        entry["html"] = strip_hidden(page.html)
    # No text is sent twice: a shortened page is stored in full under its handle.
    is_sent = page.html is not None or page.receipt.compressed or page.receipt.omitted
    if page.receipt.raw and not is_sent:
        raw = strip_hidden(page.raw_content)
        entry |= {"raw_content": raw} if raw.strip() != strip_hidden(page.content).strip() else {}
    return entry


def _reading_json(value: object) -> object:
    return strip_hidden_values(msgspec.to_builtins(value))


def _extract_receipt(pages: Sequence[Result[WebExtractResult, WebError]]) -> dict[str, object]:
    """Return the backends, and each page's receipt, null for a page that was not read."""
    receipts = [None if isinstance(page, Failure) else page.unwrap().receipt for page in pages]
    served = [receipt for receipt in receipts if receipt is not None]
    backends = dict.fromkeys(
        page.failure().backend or "" if isinstance(page, Failure) else page.unwrap().receipt.backend
        for page in pages
    )
    return {
        "backend": ", ".join(filter(None, backends)),
        "pages": msgspec.to_builtins(receipts),
        "middleware": msgspec.to_builtins(served[0].middleware) if served else [],
    }


def joined_pages(envelopes: Sequence[dict[str, object]]) -> dict[str, object]:
    """Merge the envelopes of several extract calls; return a single one unchanged.

    An envelope that a plugin replaced becomes an entry of its own.
    """
    if len(envelopes) == 1:
        return envelopes[0]
    failed = [envelope for envelope in envelopes if envelope.get("success") is not True]
    receipts = [envelope_mapping(envelope.get("receipt")) for envelope in envelopes]
    backends = dict.fromkeys(str(receipt.get("backend", "")) for receipt in receipts)
    joined: dict[str, object] = {
        "success": not failed or len(failed) < len(envelopes),
        "data": {"results": [entry for envelope in envelopes for entry in _page_entries(envelope)]},
        "failed": len(failed),
        "receipt": {
            "backend": ", ".join(filter(None, backends)),
            "pages": [page for receipt in receipts for page in envelope_list(receipt.get("pages"))],
            "middleware": next(
                (item["middleware"] for item in receipts if item.get("middleware")), []
            ),
        },
    }
    first = {name: failed[0].get(name) for name in ("error", "failure")} if failed else {}
    return joined if joined["success"] else {**joined, **first}


def _page_entries(envelope: dict[str, object]) -> list[object]:
    return envelope_list(envelope_mapping(envelope.get("data")).get("results")) or [envelope]


def envelope_mapping(value: object) -> dict[str, object]:
    """Return a mapping of an envelope; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def envelope_list(value: object) -> list[object]:
    """Return a list of an envelope; an empty one for anything else."""
    return value if isinstance(value, list) else []


def piece_envelope(result: Result[Piece, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"text", "next_cursor", ...}}``, or the failure."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    piece = result.unwrap()
    shown = replace(
        piece,
        text=strip_hidden(piece.text),
        before=strip_hidden(piece.before),
        after=strip_hidden(piece.after),
    )
    return {"success": True, "data": msgspec.to_builtins(shown)}


def found_envelope(result: Result[Found, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"status", "passages", ...}}``, or the failure."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    data = msgspec.to_builtins(result.unwrap())
    return {"success": True, "data": strip_hidden_values(data)}


def failure_envelope(error: WebError) -> dict[str, object]:
    """Return ``{"success": false, "error": sentence, "failure": {kind, retryable, ...}}``."""
    return {
        "success": False,
        "error": strip_hidden(error.message),
        "failure": _error_fields(error),
    }


def _described_error(error: WebError) -> dict[str, object]:
    """Return the error of one page or row: its sentence, its kind and its facts."""
    return {"message": strip_hidden(error.message), **_error_fields(error)}


def _error_fields(error: WebError) -> dict[str, object]:
    fields = {
        name: strip_hidden_values(value)
        for name, value in msgspec.to_builtins(error).items()
        # An error without attempts happened before any backend was asked.
        if value is not None and (name != "attempts" or value)
    }
    return {**fields, "retryable": error.retryable}


def _row_entry(row: WebSearchResult) -> dict[str, object]:
    # Agents know the snippet as "description"; only this function renames it.
    fields: dict[str, object] = {
        "title": one_line(row.title),
        "url": row.url,
        "description": strip_hidden(row.snippet),
        "position": row.position,
    }
    if row.published_at is not None:
        fields["published_at"] = one_line(row.published_at)
    if row.origin != "index":
        fields["origin"] = row.origin
    if row.found_by:
        fields["found_by"] = msgspec.to_builtins(row.found_by)
    if row.content is not None:
        fields["content"] = strip_hidden(row.content)
    if row.error is not None:
        fields["error"] = _described_error(row.error)
    return fields


class ToolReply(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An envelope, and the error if it is a failure.

    ``outcome`` is the typed result of a success; if there is none, ``untyped`` says why.
    """

    envelope: dict[str, object]
    error: WebError | None = None
    outcome: object = None
    untyped: WebError | None = None

    @cached_property
    def text(self) -> str:
        """The envelope as JSON text; MCP never asks for it."""
        return msgspec.json.encode(self.envelope).decode()


def envelope_reply(envelope: dict[str, object], error: WebError | None = None) -> ToolReply:
    """Return the reply for an envelope."""
    return ToolReply(envelope=envelope, error=error)


def error_reply(error: WebError) -> ToolReply:
    """Return the reply for ``error``."""
    return envelope_reply(failure_envelope(error), error)


def result_to_reply(
    result: Result[object, WebError], envelope: object, plugins: str, check: CheckEnvelope
) -> ToolReply:
    """Return the reply to a call that ended with ``result``, or with a plugin's ``envelope``.

    A value is an envelope, as JSON text or a mapping, that passes ``check``; anything else is a
    failure that names the ``plugins``.
    """
    if isinstance(result, Success):
        return _read_plugin_reply(result.unwrap(), plugins, check)
    reply = error_reply(result.failure())
    text = _error_text(envelope_fields(envelope))
    return reply if text is None else envelope_reply({**reply.envelope, "error": text}, reply.error)


def note_recoveries(reply: ToolReply, recoveries: Sequence[Recovery]) -> ToolReply:
    """Return a reply that replaced a failure, with a receipt that records the recovery.

    If the replacement is a failure itself, it only changes the error text. One that breaks the laws
    of its tool is the plugin's own failure, after the first.
    """
    if not recoveries:
        return reply
    first = recoveries[0].error
    if isinstance(reply.error, MiddlewareFailed):
        return error_reply(replace(reply.error, cause=first.kind))
    if reply.error is not None:
        failure = error_reply(first)
        return envelope_reply({**failure.envelope, "error": reply.envelope["error"]}, first)
    recovered = [
        {"by": cure.plugin, "stage": cure.stage, "from": cure.error.kind} for cure in recoveries
    ]
    receipt = {**envelope_mapping(reply.envelope.get("receipt")), "recovered": recovered}
    return ToolReply(
        envelope={**reply.envelope, "receipt": receipt},
        outcome=reply.outcome,
        untyped=reply.untyped,
    )


def transform_reply(reply: ToolReply, text: str, plugins: str, check: CheckEnvelope) -> ToolReply:
    """Return ``reply`` with ``text`` in place of its own; a failure stays a failure.

    An envelope must pass ``check``; any other text is for the reader.
    """
    fields = envelope_fields(text)
    if reply.error is None and fields is None:
        fault = "put a text in place of the result"
        untyped = MiddlewareFailed(plugin=plugins, stage="transform_tool_result", error=fault)
        envelope: Fields = {"success": True, "data": {"text": strip_hidden(text)}}
        return ToolReply(envelope=envelope, untyped=untyped)
    if reply.error is None:
        return _read_plugin_reply(fields, plugins, check, "transform_tool_result")
    if fields is None:
        return envelope_reply({**reply.envelope, "text": strip_hidden(text)}, reply.error)
    message = _error_text(fields) or reply.envelope["error"]
    verdict = {"success": False, "error": message, "failure": reply.envelope["failure"]}
    return envelope_reply({**_drop_unlawful_data(fields, plugins, check), **verdict}, reply.error)


def envelope_fields(value: object) -> dict[str, object] | None:
    """Return a mapping or a JSON text as an object, or None."""
    fields = attempt_or(lambda: _decode_envelope(value), None)
    return fields if isinstance(fields, dict) else None


def _decode_envelope(value: object) -> object:
    if is_text(value):
        return msgspec.json.decode(plain_text(value))
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=encode_text))


def _read_plugin_reply(
    value: object, plugins: str, check: CheckEnvelope, stage: str = "tool_execution"
) -> ToolReply:
    fields = envelope_fields(value)
    if fields is None:
        fault = f"returned {type_name(value)[:100]}, not a tool result"
        return error_reply(MiddlewareFailed(plugin=plugins, stage=stage, error=fault))
    if _is_failure(fields):
        message = _error_text(fields) or "no reason given"
        error = CallRefused(by=plugins, reason=message.rstrip("."))
        rest = _drop_unlawful_data(fields, plugins, check)
        return envelope_reply({**rest, **failure_envelope(error), "error": message}, error)
    checked = check(fields, plugins)
    if isinstance(checked, Failure):
        broken = replace(checked.failure(), backend=plugins)
        facts = {"error": broken.kind, "detail": broken.message}
        return error_reply(MiddlewareFailed(plugin=plugins, stage=stage, **facts))
    replaced = checked.unwrap()
    return ToolReply(envelope={**replaced.envelope, "success": True}, outcome=replaced.outcome)


def _drop_unlawful_data(
    fields: dict[str, object], plugins: str, check: CheckEnvelope
) -> dict[str, object]:
    """Return a plugin's failure with its data as far as they keep the laws of a success."""
    if "data" not in fields:
        return fields
    rest = {name: value for name, value in fields.items() if name != "data"}
    verdict = ("success", "error", "failure")
    as_success = {name: value for name, value in fields.items() if name not in verdict}
    checked = check({**as_success, "success": True}, plugins)
    if isinstance(checked, Failure):
        return rest
    return {**rest, "data": checked.unwrap().envelope.get("data")}


def _is_failure(fields: dict[str, object]) -> bool:
    success = fields.get("success")
    return success is False or (success is not True and bool(fields.get("error")))


def _error_text(fields: dict[str, object] | None) -> str | None:
    message = None if fields is None else fields.get("error")
    return one_line(message, 1000) if type(message) is str and message.strip() else None


def strip_hidden_outcome(outcome: SearchOutcome) -> SearchOutcome:
    """Return a search outcome without hidden characters, for callers with their own format."""
    answer = outcome.answer
    if answer is not None:
        answer = replace(answer, text=strip_hidden(answer.text))
    rows = tuple(
        replace(
            row,
            title=one_line(row.title),
            snippet=strip_hidden(row.snippet),
            content=None if row.content is None else strip_hidden(row.content),
        )
        for row in outcome.rows
    )
    return replace(outcome, rows=rows, answer=answer)


def strip_hidden_page(page: WebExtractResult) -> WebExtractResult:
    """Return a page without hidden characters."""
    return replace(
        page,
        title=one_line(page.title),
        content=strip_hidden(page.content),
        raw_content=strip_hidden(page.raw_content),
        metadata={name: strip_hidden_values(value) for name, value in page.metadata.items()},
        notes=tuple(map(strip_hidden, page.notes)),
    )

"""The JSON an agent sees: one shape for success, one for failure, never mistaken for each other."""

import msgspec
from returns.result import Failure, Result

from ..ports.errors import WebError
from ..ports.web import SearchOutcome, WebExtractResult, WebSearchResult
from .text import one_line, visible
from .trim import Piece

ANSWER_TITLE = "Search Answer"


def search_envelope(result: Result[SearchOutcome, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"web": [...]}}`` or the failure envelope."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    outcome = result.unwrap()
    data: dict[str, object] = {"web": _rows(outcome)}
    if outcome.answer is not None and outcome.rows:
        data["answer"] = visible(outcome.answer.text)
    if outcome.rejected:
        data["rejected"] = msgspec.to_builtins(outcome.rejected)
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(outcome.receipt)}


def extract_envelope(result: Result[WebExtractResult, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {...page...}}`` or the failure envelope."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    page = result.unwrap()
    data = {
        "url": page.url,
        "final_url": page.final_url,
        "title": one_line(page.title),
        "content": visible(page.content),
        "metadata": page.metadata,
    }
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(page.receipt)}


def piece_envelope(result: Result[Piece, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"text", "next_cursor", ...}}``, or the failure."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    piece = result.unwrap()
    shown = msgspec.structs.replace(piece, text=visible(piece.text))
    return {"success": True, "data": msgspec.to_builtins(shown)}


def failure_envelope(error: WebError) -> dict[str, object]:
    """Return ``{"success": false, "error": sentence, "failure": {kind, retryable, ...}}``."""
    fields = msgspec.to_builtins(error)
    said = {name: value for name, value in fields.items() if value is not None}
    return {
        "success": False,
        "error": error.message,
        "failure": {**said, "retryable": error.retryable},
    }


def _rows(outcome: SearchOutcome) -> list[dict[str, object]]:
    if not outcome.rows and outcome.answer is not None:
        prose = visible(outcome.answer.text)
        return [{"title": ANSWER_TITLE, "url": "", "description": prose, "position": 1}]
    return [_row(row) for row in outcome.rows]


def _row(row: WebSearchResult) -> dict[str, object]:
    # Here, and nowhere else, our snippet takes the name agents know it by.
    return {
        "title": one_line(row.title),
        "url": row.url,
        "description": visible(row.snippet),
        "position": row.position,
    }

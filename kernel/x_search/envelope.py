"""The JSON an agent sees of a search of X: one flat object for success, one shape for failure."""

import msgspec
from returns.result import Failure, Result

from ...ports.errors import WebError
from ...ports.x_search import InlineCitation, XSearchOutcome
from ..envelope import failure_envelope
from ..text import one_line, visible

TOOL = "x_search"
PROVIDER = "xai"


def x_search_envelope(result: Result[XSearchOutcome, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "tool": "x_search", "answer": ..., ...}`` or the failure."""
    if isinstance(result, Failure):
        return x_failure_envelope(result.failure())
    outcome = result.unwrap()
    told = msgspec.to_builtins(outcome)
    told["answer"] = visible(outcome.answer)
    told["citations"] = list(outcome.citations)
    told["inline_citations"] = [_inline(each) for each in outcome.inline_citations]
    told["structured_output"] = _visible(told["structured_output"])
    return {"success": True, **_named(), **told}


def x_failure_envelope(error: WebError) -> dict[str, object]:
    """Return the failure that every tool gives, with the names that this one also has."""
    return {**failure_envelope(error), **_named(), "error_type": error.kind}


def _named() -> dict[str, object]:
    return {"provider": PROVIDER, "tool": TOOL}


def _inline(citation: InlineCitation) -> dict[str, object]:
    return {
        "url": citation.url,
        "title": one_line(citation.title),
        "start": citation.start,
        "end": citation.end,
        # As the original names them, beside our own.
        "start_index": citation.start,
        "end_index": citation.end,
    }


def _visible(value: object) -> object:
    """Drop what hides in the texts of a JSON value; an agent reads them like any other."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): _visible(each) for name, each in value.items()}
    return [_visible(each) for each in value] if isinstance(value, list | tuple) else value

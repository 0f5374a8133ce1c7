"""The JSON an agent sees of a search of X: one flat object for success, one shape for failure."""

import msgspec
from returns.result import Failure, Result

from ...ports.errors import WebError
from ...ports.x_search import XSearchOutcome
from ..envelope import failure_envelope
from ..text import visible

TOOL = "x_search"
PROVIDER = "xai"


def x_search_envelope(result: Result[XSearchOutcome, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "tool": "x_search", "answer": ..., ...}`` or the failure."""
    named: dict[str, object] = {"provider": PROVIDER, "tool": TOOL}
    if isinstance(result, Failure):
        error = result.failure()
        return {**failure_envelope(error), **named, "error_type": error.kind}
    outcome = result.unwrap()
    told = msgspec.to_builtins(outcome)
    told["answer"] = visible(outcome.answer)
    for each in told["inline_citations"]:
        # As the original names them, beside our own.
        each["start_index"], each["end_index"] = each["start"], each["end"]
    return {"success": True, **named, **told}

"""The JSON an agent sees of a search of X: one flat object for success, one shape for failure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result

from ....ports.errors import WebError
from ....ports.x_search import InlineCitation, XSearchOutcome
from ...envelopes import failure_envelope
from ...text.display import hidden_positions, one_line, strip_hidden, strip_hidden_values

TOOL = "x_search"


def x_search_envelope(result: Result[XSearchOutcome, WebError], provider: str) -> dict[str, object]:
    """Return ``{"success": true, "tool": "x_search", "answer": ..., ...}`` or the failure."""
    if isinstance(result, Failure):
        return x_failure_envelope(result.failure(), provider)
    outcome = result.unwrap()
    told = msgspec.to_builtins(outcome)
    told["answer"] = strip_hidden(outcome.answer)
    told["citations"] = list(outcome.citations)
    hidden = hidden_positions(outcome.answer)
    told["inline_citations"] = [_inline(each, hidden) for each in outcome.inline_citations]
    told["structured_output"] = strip_hidden_values(told["structured_output"])
    return {"success": True, "provider": provider, "tool": TOOL, **told}


def x_failure_envelope(error: WebError, provider: str) -> dict[str, object]:
    """Return the failure that every tool gives, with the names that this one also has."""
    named = {"provider": provider, "tool": TOOL, "error_type": error.kind}
    return {**failure_envelope(error), **named}


def _inline(citation: InlineCitation, hidden: Sequence[int]) -> dict[str, object]:
    start, end = _place(citation.start, hidden), _place(citation.end, hidden)
    return {
        "url": citation.url,
        "title": one_line(citation.title),
        "start": start,
        "end": end,
        # As the original names them, beside our own.
        "start_index": start,
        "end_index": end,
    }


def _place(place: int | None, hidden: Sequence[int]) -> int | None:
    """Return where a place is in the answer once what hides before it is gone."""
    return None if place is None else place - bisect_left(hidden, place)

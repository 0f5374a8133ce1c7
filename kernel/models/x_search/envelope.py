"""Build the JSON object of an X search: flat for success, the common shape for failure."""

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
    fields = msgspec.to_builtins(outcome)
    fields["answer"] = strip_hidden(outcome.answer)
    fields["citations"] = list(outcome.citations)
    hidden = hidden_positions(outcome.answer)
    fields["inline_citations"] = [
        _citation_entry(link, hidden) for link in outcome.inline_citations
    ]
    fields["structured_output"] = strip_hidden_values(fields["structured_output"])
    return {"success": True, "provider": provider, "tool": TOOL, **fields}


def x_failure_envelope(error: WebError, provider: str) -> dict[str, object]:
    """Return the common failure envelope with the fields of this tool."""
    tool_fields = {"provider": provider, "tool": TOOL, "error_type": error.kind}
    return {**failure_envelope(error), **tool_fields}


def _citation_entry(citation: InlineCitation, hidden: Sequence[int]) -> dict[str, object]:
    start, end = _visible_offset(citation.start, hidden), _visible_offset(citation.end, hidden)
    return {
        "url": citation.url,
        "title": one_line(citation.title),
        "start": start,
        "end": end,
        # The names in xAI's API, besides ours.
        "start_index": start,
        "end_index": end,
    }


def _visible_offset(offset: int | None, hidden: Sequence[int]) -> int | None:
    """Return an offset in the answer after hidden characters before it are removed."""
    return None if offset is None else offset - bisect_left(hidden, offset)

"""The law of the seam at the doors: what a result has comes out of each, or a table says why not.

A door writes a search or a page in its own form. ``lost_from_tool`` compares the JSON of the tools,
which agents, MCP, Hermes, the gateway's own API and ``--json`` have in common, with the typed
result. ``lost_from_text`` does so for forms that are read as text. The tables say what a door
leaves out on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

import msgspec

from webseam.kernel.text.display import one_line, strip_hidden_values
from webseam.ports.web import SearchOutcome, WebExtractResult

# The names of the tools' JSON that are not those of the typed result.
TOOL_NAMES: Mapping[str, str] = {"snippet": "description"}
# What the JSON of the tools leaves out of a row or a page, and why.
LEFT_OUT_OF_TOOLS: Mapping[str, str] = {
    "row.score": "An agent reads rows in their order; a score of each costs tokens.",
    "row.source": "receipt.backend names it once, and found_by where rows of several were fused.",
    "page.raw_content": "No text is sent twice: a page has it if the backend sent another text.",
}
_MARK_PATTERN = re.compile(r'</?untrusted-web-content id="[^"]*">')
_NOTICE_PATTERN = re.compile(r"\A\n[^\n]*\n|\n\Z")
_ONE_LINE_FIELDS = frozenset({"title", "published_at"})


def lost_from_tool(outcome: SearchOutcome, envelope: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a search that a tool's JSON does not have, such as ``row.snippet``."""
    data, receipt = envelope.get("data", {}), envelope.get("receipt", {})
    lost: dict[str, None] = {}
    entries = data.get("web", [])
    for index, row in enumerate(outcome.rows):
        entry = entries[index] if index < len(entries) else {}
        lost |= dict.fromkeys(_lost_fields(row, entry, "row"))
    if outcome.answer is not None and not _is_shown(outcome.answer.text, data.get("answer")):
        lost["answer"] = None
    if not _is_shown(outcome.rejected, data.get("rejected", [])):
        lost["rejected"] = None
    lost |= dict.fromkeys(_lost_fields(outcome.receipt, receipt, "receipt"))
    return tuple(lost)


def lost_page_from_tool(page: WebExtractResult, envelope: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a page that a tool's JSON does not have, such as ``page.metadata``."""
    (entry,), (receipt,) = envelope["data"]["results"], envelope["receipt"]["pages"]
    return (
        *_lost_fields(page, entry, "page", ("receipt",)),
        *_lost_fields(page.receipt, receipt, "receipt"),
    )


def lost_from_text(
    outcome: SearchOutcome, text: str, left_out: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the keys of a search whose values a text does not have anywhere.

    A number is looked for as it is written, so give yours several digits: 1 could stand for
    anything. ``row.position`` is lost if the addresses do not stand in their order.
    """
    shown = one_line(text, len(text) + 1)
    lost: dict[str, None] = {}
    for key, value in _texts_of(outcome):
        if key not in left_out and one_line(value, len(value) + 1) not in shown:
            lost[key] = None
    # In the order of the rows, each address stands behind the one before.
    place = 0
    for row in outcome.rows:
        place = shown.find(row.url, place)
        if place < 0:
            break
    if place < 0 and "row.position" not in left_out:
        lost["row.position"] = None
    return tuple(lost)


def without_fences(value: object) -> Any:  # noqa: ANN401  JSON is anything
    """Return the data of an MCP result without the marks around texts from the web."""
    if isinstance(value, str):
        bare = _MARK_PATTERN.sub("", value)
        return bare if bare == value else _NOTICE_PATTERN.sub("", bare)
    if isinstance(value, dict):
        return {without_fences(name): without_fences(item) for name, item in value.items()}
    return [without_fences(item) for item in value] if isinstance(value, list) else value


def _texts_of(outcome: SearchOutcome) -> Iterator[tuple[str, str]]:
    for row in outcome.rows:
        for name in ("title", "url", "snippet", "published_at", "source"):
            value = getattr(row, name)
            if value:
                yield f"row.{name}", value
        if row.score is not None:
            yield "row.score", str(row.score)
    if outcome.answer is not None:
        yield "answer", outcome.answer.text
    for bad in outcome.rejected:
        yield "rejected", bad.field
    receipt = outcome.receipt
    yield "receipt.query", receipt.query
    yield from (("receipt.unread", name) for name in receipt.unread)
    yield from (("receipt.warnings", warning) for warning in receipt.warnings)
    yield from (("receipt.attempts", attempt.backend) for attempt in receipt.attempts)
    if receipt.usage is not None:
        yield "receipt.usage", str(receipt.usage.total_tokens)
    if receipt.age is not None:
        yield "receipt.age", str(int(receipt.age))


def _lost_fields(
    struct: msgspec.Struct, shown: Mapping[str, Any], kind: str, skipped: Collection[str] = ()
) -> Iterator[str]:
    for field in msgspec.structs.fields(struct):
        name, value = field.name, getattr(struct, field.name)
        key = f"{kind}.{name}"
        if name in skipped or key in LEFT_OUT_OF_TOOLS:
            continue
        # What says nothing need not be there.
        if value in (None, (), "", {}) or value == field.default:
            continue
        if name in _ONE_LINE_FIELDS:
            value = one_line(value)
        if not _is_shown(value, shown.get(TOOL_NAMES.get(name, name))):
            yield key


def _is_shown(value: object, shown: object) -> bool:
    return _plain_json(strip_hidden_values(msgspec.to_builtins(value))) == _plain_json(shown)


def _plain_json(value: object) -> object:
    return cast("object", msgspec.json.decode(msgspec.json.encode(value)))

"""Carry what a plugin changed in the JSON of a result over into the result, field by field.

A plugin sees a result as JSON, which has fewer fields than the result: no scores, no whole pages of
an answer. So a changed result is not read from the JSON again. What the JSON says differently than
before is written into the result, and everything else stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, WebError
from webseam.ports.receipts import TraceEntry

from .boundary import attempt_call
from .envelopes import Fields, ToolReply, envelope_list, envelope_mapping
from .text.display import quote_value, strip_hidden_values

AnyStruct = TypeVar("AnyStruct", bound=msgspec.Struct)
# A page and a model choose the names in these, so a trace does not repeat them.
_FOREIGN_KEYS = frozenset({"metadata", "structured_output"})
_KEY_PATTERN = re.compile(r"[A-Za-z0-9_]{1,40}\Z")
_MAX_PATH_STEPS = 3
_MAX_PATHS = 8


class Original(msgspec.Struct, frozen=True):
    """A result of the tool itself: its JSON as plugins read it, and the typed outcome."""

    envelope: Fields
    outcome: object


class Carried(msgspec.Struct, Generic[AnyStruct], frozen=True):
    """A struct with a plugin's changes, and the keys that it has no field for."""

    value: AnyStruct
    unread: tuple[str, ...] = ()


def is_same_json(before: object, after: object) -> bool:
    """Tell whether two JSON values are the same; 1 is not true."""
    return before == after and _json_text(before) == _json_text(after)


def _json_text(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def carry_fields(
    original: AnyStruct, before: Mapping[str, object], after: object, path: str
) -> Result[Carried[AnyStruct], WebError]:
    """Return ``original`` with the fields whose JSON differs ``after`` a plugin.

    A field that the plugin left out stays as it was.
    """
    if not isinstance(after, dict):
        return refuse_change(path, "an object", after)
    types = {field.name: field.type for field in msgspec.structs.fields(original)}
    changes: dict[str, object] = {}
    unread: list[str] = []
    for name, value in after.items():
        if name in before and is_same_json(before[name], value):
            continue
        if name not in types:
            unread.append(name)
            continue
        shown = strip_hidden_values(value)
        converted = attempt_call(lambda: msgspec.convert(shown, types[name]))  # noqa: B023  called at once
        if isinstance(converted, Failure):
            return refuse_change(f"{path}.{name}", "what this field holds", value)
        changes[name] = converted.unwrap()
    carried = msgspec.structs.replace(original, **changes) if changes else original
    return Success(Carried(carried, tuple(unread)))


def refuse_change(path: str, expected: str, got: object) -> Failure[WebError]:
    """Return the failure of a change that the result has no place for."""
    detail = f"expected {expected}, got {quote_value(got)}"
    return Failure(BadPayload(problem="shape", path=path, detail=detail))


def changed_paths(before: object, after: object) -> tuple[str, ...]:
    """Return where two JSON values differ, as in ``data.web[].url``; a few steps deep.

    >>> changed_paths({"data": {"web": [{"url": "a"}]}}, {"data": {"web": [{"url": "b"}]}})
    ('data.web[].url',)
    """
    paths = dict.fromkeys(path.removeprefix(".") for path in _differences(before, after, "", 0))
    return tuple(islice(paths, _MAX_PATHS))


def _differences(before: object, after: object, path: str, steps: int) -> Iterator[str]:
    if is_same_json(before, after):
        return
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{path}[]"
            return
        for old, new in zip(before, after, strict=True):
            yield from _differences(old, new, f"{path}[]", steps)
        return
    if not isinstance(before, dict) or not isinstance(after, dict) or steps == _MAX_PATH_STEPS:
        yield path
        return
    for name in {**before, **after}:
        step = f"{path}.{name if _KEY_PATTERN.match(name) else '?'}"
        if name not in before or name not in after:
            yield step
        else:
            # Of foreign keys only the name above them is told.
            inner_steps = _MAX_PATH_STEPS if name in _FOREIGN_KEYS else steps + 1
            yield from _differences(before[name], after[name], step, inner_steps)


def change_entry(plugin: str, stage: str, before: object, after: object) -> TraceEntry | None:
    """Return the note on a plugin that returned ``after`` for ``before``; None if they are equal.

    Without a ``before`` the plugin answered in place of the tool. One that wrote a receipt, such as
    a recorded one, said there how it was served.
    """
    if not isinstance(before, dict):
        if isinstance(after, dict) and "receipt" in after:
            return None
        return TraceEntry(source=plugin, name=stage, reason="answered in place of the tool")
    paths = changed_paths(before, after)
    if not paths:
        return None
    return TraceEntry(source=plugin, name=stage, reason=f"changed {', '.join(paths)}")


def note_in_reply(reply: ToolReply, entries: Sequence[TraceEntry]) -> ToolReply:
    """Note in the receipts of a reply which plugins changed it."""
    if not entries or reply.error is not None:
        return reply
    if "receipt" not in reply.envelope and not hasattr(reply.outcome, "receipt"):
        # A piece of a page has no receipt.
        return reply
    receipt = envelope_mapping(reply.envelope.get("receipt"))
    noted = _note_in_fields(receipt, msgspec.to_builtins(entries))
    envelope = {**reply.envelope, "receipt": noted}
    return ToolReply(
        envelope=envelope,
        outcome=_note_in_outcome(reply.outcome, tuple(entries)),
        untyped=reply.untyped,
    )


def _note_in_fields(receipt: Fields, entries: Iterable[object]) -> Fields:
    noted: Fields = {**receipt, "middleware": [*envelope_list(receipt.get("middleware")), *entries]}
    pages = receipt.get("pages")
    if isinstance(pages, list):
        noted["pages"] = [
            _note_in_fields(page, entries) if "middleware" in envelope_mapping(page) else page
            for page in pages
        ]
    return noted


def _note_in_outcome(outcome: object, entries: tuple[TraceEntry, ...]) -> object:
    """Return an outcome, or those of several pages, with ``entries`` in its receipt."""
    if isinstance(outcome, tuple):
        return tuple(_note_in_outcome(page, entries) for page in outcome)
    if isinstance(outcome, Success):
        return Success(_note_in_outcome(outcome.unwrap(), entries))
    receipt = getattr(outcome, "receipt", None)
    if not isinstance(outcome, msgspec.Struct) or not isinstance(receipt, msgspec.Struct):
        return outcome
    middleware = (*getattr(receipt, "middleware", ()), *entries)
    return msgspec.structs.replace(
        outcome, receipt=msgspec.structs.replace(receipt, middleware=middleware)
    )

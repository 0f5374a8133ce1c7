"""The stream of Gemini's own API, put together into the answer it would have been.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (2026-11-15)
"""

import re
from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from .....ports.errors import BadPayload, ConnectionLost, WebError
from .....ports.models.chat import ChatRequest, Delta, NormalizedResponse, ToolCallDelta
from ....values.json_values import as_mapping, as_objects, json_or_none, text
from ...declaration.wire import Json, StreamEvent
from ...refusals.errors import embedded_error
from .gemini_answers import normalize_response, read_calls, text_and_thoughts, validate_response

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,4})\]|\[(?:'([^']*)'|"([^"]*)")\]""")
# A path may come from anybody: it must not make a value that fills the memory.
_MOST_ITEMS, _MOST_STEPS = 1000, 50
_VALUES = ("stringValue", "numberValue", "boolValue")


class CallFragments:
    """One call that is still being written."""

    def __init__(self, part: Mapping[str, object]) -> None:
        """Begin with the part that names the function."""
        self._part = dict(part)
        self._call = dict(as_mapping(part.get("functionCall")))
        self._args: Json = dict(as_mapping(self._call.get("args")))
        self._growing: set[str] = set()
        self.add(part)

    def add(self, part: Mapping[str, object]) -> bool:
        """Take what the next part adds; tell whether the call goes on after it."""
        call = as_mapping(part.get("functionCall"))
        for piece in as_objects(call.get("partialArgs")):
            self._put(piece)
        self._part |= {name: part[name] for name in part if name != "functionCall"}
        return call.get("willContinue") is True

    def whole(self) -> Json:
        """Return the part as it would have come in one piece."""
        named = {name: self._call[name] for name in ("id", "name") if self._call.get(name)}
        return {**self._part, "functionCall": {**named, "args": self._args}}

    def _put(self, piece: Mapping[str, object]) -> None:
        path = text(piece.get("jsonPath"))
        matches = _STEP.findall(path)
        steps = [name or one or two or int(place or 0) for name, place, one, two in matches]
        value = next((piece[name] for name in _VALUES if name in piece), None)
        far = any(isinstance(step, int) and step >= _MOST_ITEMS for step in steps)
        if far or not 0 < len(steps) <= _MOST_STEPS:
            return
        before = _at(self._args, steps) if path in self._growing else None
        if isinstance(before, str) and isinstance(value, str):
            value = before + value
        self._args = dict(as_mapping(_with(self._args, steps, value)))
        self._growing.add(path)


def _at(value: object, steps: list[str | int]) -> object:
    for step in steps:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = as_mapping(value).get(step)
    return value


def _with(held: object, steps: list[str | int], value: object) -> object:
    """Return ``held`` with a value at a place, which is made where there is none."""
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, str):
        known = as_mapping(held)
        return {**known, step: _with(known.get(step), rest, value)}
    items = list(held) if isinstance(held, list) else []
    items += [None] * (step + 1 - len(items))
    items[step] = _with(items[step], rest, value)
    return items


# The stream of Gemini's own API, put together into the answer it would have been.


class GeminiFold:
    """One answer as it is being written. Each event is an answer in itself, with the next parts."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        """Begin with nothing said."""
        self.done = False
        self._request = request
        self._failure: WebError | None = None
        self._around: Json = {}
        self._candidate: Json = {}
        self._parts: list[Mapping[str, object]] = []
        self._called = 0
        self._open: CallFragments | None = None

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return what it adds."""
        data = event.data.strip()
        if self.done or not data:
            return ()
        chunk = json_or_none(data)
        if event.failed or event.name == "error":
            return self._fail(embedded_error(data if chunk is None else chunk))
        if not isinstance(chunk, Mapping):
            return self._fail(BadPayload(problem="not_json"))
        first = as_objects(chunk.get("candidates"))
        # Counts may come by themselves, after the last words.
        refused, counts = validate_response(chunk), as_mapping(chunk.get("usageMetadata"))
        if refused is not None and (not isinstance(refused, BadPayload) or not counts):
            return self._fail(refused)
        self._around.update({name: chunk[name] for name in chunk if chunk[name]})
        return self._take(first[0]) if first else ()

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if not text(self._candidate.get("finishReason")):
            # There is no other mark of the end.
            return Failure(ConnectionLost())
        if self._open is not None:
            # The end came before the call's own.
            self._parts.append(self._open.whole())
            self._open = None
        whole = {**self._candidate, "content": {"parts": self._parts}}
        return normalize_response({**self._around, "candidates": [whole]}, self._request)

    def _fail(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()

    def _take(self, candidate: Mapping[str, object]) -> Sequence[Delta]:
        parts = self._joined(as_objects(as_mapping(candidate.get("content")).get("parts")))
        self._candidate.update(candidate)
        words, thoughts = text_and_thoughts(parts)
        deltas = [Delta(text=words, reasoning=thoughts)] if words or thoughts else []
        for call in read_calls(parts, self._request, len(self._parts)):
            piece = ToolCallDelta(
                index=self._called, id=call.id, name=call.name, arguments=call.arguments
            )
            deltas.append(Delta(tool_call=piece))
            self._called += 1
        self._parts += parts
        return deltas

    def _joined(self, parts: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
        """Return the parts that are whole; a call whose arguments still come is held back."""
        whole: list[Mapping[str, object]] = []
        for part in parts:
            call = as_mapping(part.get("functionCall"))
            if self._open is None and call.get("willContinue") is not True:
                whole.append(part)
            elif self._open is None:
                self._open = CallFragments(part)
            elif "functionCall" not in part:
                whole.append(part)
            elif not self._open.add(part):
                whole.append(self._open.whole())
                self._open = None
        return whole

"""The stream of Gemini's own API, folded into one answer.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (2026-11-15)
"""

import re
from collections.abc import Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, json_or_none, text
from webseam.ports.errors import BadPayload, ConnectionLost
from webseam.ports.models import ChatRequest, Delta, ToolCallDelta

from ...declaration.wire import AnswerResult, Json, StreamEvent
from ...refusal_errors import embedded_refusal
from ..answer_fold import AnswerFold
from ..stream_pieces import join_unknown
from .gemini_answers import gemini_texts, normalize_response, read_gemini_calls, validate_response

_JSON_PATH_STEP_PATTERN = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,4})\]|\[(?:'([^']*)'|"([^"]*)")\]""")
# Limits of a path from the server: it must not build a value that exhausts the memory.
_MAX_LIST_ITEMS, _MAX_PATH_STEPS = 1000, 50
# Fields that only the pieces of a call have.
_PIECE_FIELDS = ("args", "partialArgs", "willContinue")
_PARTIAL_VALUE_FIELDS = ("stringValue", "numberValue", "boolValue")
# Metadata of which each event has only the next part.
_GROWING_FIELDS = frozenset({"citationMetadata", "groundingMetadata", "logprobsResult"})
# Lists in them of which an event may repeat the earlier items.
_REPEATED_LISTS = frozenset({"citationSources", "citations"})
_GROWING_LISTS = frozenset({"citationSources", "citations", "topCandidates", "chosenCandidates"})


class StreamedGeminiCall:
    """One tool call that is still being streamed."""

    def __init__(self, part: Mapping[str, object]) -> None:
        self._part = dict(part)
        self._call = dict(as_mapping(part.get("functionCall")))
        self._args: Json = dict(as_mapping(self._call.get("args")))
        self._texts: dict[str, tuple[list[str | int], list[str]]] = {}
        self.add_part(part)

    def add_part(self, part: Mapping[str, object]) -> bool:
        """Add the next part; return whether the call continues after it."""
        call = as_mapping(part.get("functionCall"))
        for piece in as_objects(call.get("partialArgs")):
            self._add_argument(piece)
        self._call |= {name: call[name] for name in call if call[name] and name != "args"}
        self._part |= {name: part[name] for name in part if name != "functionCall"}
        return call.get("willContinue") is True

    def complete_part(self) -> Json:
        """Return the complete part."""
        for steps, pieces in self._texts.values():
            _put_value(self._args, steps, "".join(pieces))
        rest = {name: self._call[name] for name in self._call if name not in _PIECE_FIELDS}
        return {**self._part, "functionCall": {**rest, "args": self._args}}

    def _add_argument(self, piece: Mapping[str, object]) -> None:
        path = text(piece.get("jsonPath"))
        matches = _JSON_PATH_STEP_PATTERN.findall(path)
        steps = [
            name or single_quoted or double_quoted or int(index or 0)
            for name, index, single_quoted, double_quoted in matches
        ]
        value = next((piece[name] for name in _PARTIAL_VALUE_FIELDS if name in piece), None)
        is_out_of_range = any(isinstance(step, int) and step >= _MAX_LIST_ITEMS for step in steps)
        # Arguments are an object, so a path begins with a name.
        is_rooted = 0 < len(steps) <= _MAX_PATH_STEPS and isinstance(steps[0], str)
        if is_out_of_range or not is_rooted:
            return
        if isinstance(value, str) and path in self._texts:
            self._texts[path][1].append(value)
            return
        _put_value(self._args, steps, value)
        self._texts.pop(path, None)
        if isinstance(value, str):
            self._texts[path] = (steps, [value])


def _put_value(container: object, steps: list[str | int], value: object) -> object:
    """Put a value at a path, which is created if missing; return the changed container."""
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, str):
        fields: Json = container if isinstance(container, dict) else {}
        fields[step] = _put_value(fields.get(step), rest, value)
        return fields
    items = container if isinstance(container, list) else []
    items += [None] * (step + 1 - len(items))
    items[step] = _put_value(items[step], rest, value)
    return items


class StreamedMetadata:
    """One object of metadata in pieces: citations and log probabilities grow, the rest is new."""

    def __init__(self) -> None:
        self._fields: Json = {}
        self._lists: dict[str, list[object]] = {}

    def add_piece(self, piece: Mapping[str, object]) -> None:
        """Add the part of one event."""
        for name, value in piece.items():
            if name in _GROWING_LISTS and isinstance(value, list):
                items = self._lists.setdefault(name, [])
                is_repeated = name in _REPEATED_LISTS and value[: len(items)] == items
                items += value[len(items) :] if is_repeated else value
            elif value or name not in self._fields:
                self._fields[name] = value

    def complete_fields(self) -> Json:
        """Return the complete object."""
        return {**self._fields, **self._lists}


def _join_texts(parts: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return the parts with adjacent pieces of one text joined, as in a complete answer."""
    joined: list[Mapping[str, object]] = []
    pieces: list[str] = []
    for index, part in enumerate(parts):
        if not _is_plain_text(part):
            joined.append(part)
            continue
        pieces.append(text(part["text"]))
        following = parts[index + 1] if index + 1 < len(parts) else {}
        if not _is_plain_text(following) or following.get("thought") != part.get("thought"):
            joined.append({**part, "text": "".join(pieces)})
            pieces.clear()
    return joined


def _is_plain_text(part: Mapping[str, object]) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


class GeminiFold(AnswerFold):
    """Folds one streamed answer; each event is a complete answer object with the next parts."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        super().__init__(request)
        self._body: Json = {}
        self._candidate: Json = {}
        self._parts: list[Mapping[str, object]] = []
        self._call_count = 0
        self._open_call: StreamedGeminiCall | None = None
        self._odd_parts: list[object] = []
        self._metadata: dict[str, StreamedMetadata] = {}
        self._first_index: object = None
        self._other_candidates: dict[object, object] = {}

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return its deltas."""
        data = event.data.strip()
        if self.done or not data:
            return ()
        chunk = json_or_none(data)
        if event.failed or event.name == "error":
            return self._fail_stream(embedded_refusal(data if chunk is None else chunk))
        if not isinstance(chunk, Mapping):
            return self._fail_stream(BadPayload(problem="not_json"))
        candidates = as_objects(chunk.get("candidates"))
        # Token counts may come alone, after the last text.
        error, counts = validate_response(chunk), as_mapping(chunk.get("usageMetadata"))
        if error is not None and (not isinstance(error, BadPayload) or not counts):
            return self._fail_stream(error)
        self._body.update({name: chunk[name] for name in chunk if chunk[name]})
        deltas: list[Delta] = []
        for candidate in candidates:
            index = candidate.get("index") or 0
            if self._first_index is None:
                self._first_index = index
            if index == self._first_index:
                deltas += self._fold_candidate(candidate)
            else:
                other = self._other_candidates.get(index)
                self._other_candidates[index] = join_unknown(other, candidate)
        return deltas

    def _streamed_answer(self) -> AnswerResult:
        if not text(self._candidate.get("finishReason")):
            # The API has no other mark of the end.
            return Failure(ConnectionLost())
        if self._open_call is not None:
            # The stream ended before the call did.
            self._parts.append(self._open_call.complete_part())
            self._open_call = None
        # Keep what is no part, so that an answer of it alone is refused and not lost.
        parts = [*_join_texts(self._parts), *self._odd_parts]
        content = self._candidate.get("content")
        if parts or not content:
            content = {"parts": parts}
        metadata = {name: pieces.complete_fields() for name, pieces in self._metadata.items()}
        candidate = {**self._candidate, **metadata, "content": content}
        candidates = [candidate, *self._other_candidates.values()]
        return normalize_response({**self._body, "candidates": candidates}, self._request)

    def _fold_candidate(self, candidate: Mapping[str, object]) -> Sequence[Delta]:
        received = as_list(as_mapping(candidate.get("content")).get("parts"))
        self._odd_parts += [part for part in received if not isinstance(part, Mapping)]
        parts = self._complete_parts(as_objects(received))
        for name, value in candidate.items():
            if name in _GROWING_FIELDS:
                self._metadata.setdefault(name, StreamedMetadata()).add_piece(as_mapping(value))
            elif value or name not in self._candidate:
                self._candidate[name] = value
        text_piece, thoughts = gemini_texts(parts)
        deltas = [Delta(text=text_piece, reasoning=thoughts)] if text_piece or thoughts else []
        for call in read_gemini_calls(parts, self._request, self._call_count):
            piece = ToolCallDelta(
                index=self._call_count, id=call.id, name=call.name, arguments=call.arguments
            )
            deltas.append(Delta(tool_call=piece))
            self._call_count += 1
        self._parts += parts
        return deltas

    def _complete_parts(self, parts: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
        """Return the complete parts; buffer a call whose arguments are still streamed."""
        complete: list[Mapping[str, object]] = []
        for part in parts:
            call = as_mapping(part.get("functionCall"))
            if self._open_call is None and call.get("willContinue") is not True:
                complete.append(part)
            elif self._open_call is None:
                self._open_call = StreamedGeminiCall(part)
            elif "functionCall" not in part:
                complete.append(part)
            elif not self._open_call.add_part(part):
                complete.append(self._open_call.complete_part())
                self._open_call = None
        return complete

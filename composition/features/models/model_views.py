"""A model's answer as callbacks of ``llm_execution`` see it, and what they return instead.

They see a chat completion: ``choices[0].message.content``, ``usage.prompt_tokens``. They may return
that view, a chat completion or the API's own JSON, as an SDK's object too, or our response. JSON is
read by the reader of the wire, as if a server had sent it. Anything else is refused by its name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields as dataclass_fields, is_dataclass
from datetime import date
from enum import Enum
from types import SimpleNamespace
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.declaration.provider import ApiMode
from webseam.adapters.features.models.usage import token_cache_stats
from webseam.adapters.features.models.wires.chat.completion_answers import read_completion
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.values.json_values import as_list, as_mapping
from webseam.kernel.boundary import attempt_call
from webseam.ports.errors import BadPayload, EmptyContent, WebError
from webseam.ports.models import ChatRequest, NormalizedResponse, ToolCall
from webseam.ports.receipts import Usage

_EMPTY_ANSWER = EmptyContent(reason="no_answer", detail="a plugin returned no text and no call")
# Fields of ``provider_data`` that say the answer once more.
_TEXT_COPIES = (
    "output", "anthropic_content_blocks", "bedrock_content_blocks", "gemini_parts",
    "content_parts", "audio",
)  # fmt: skip
_DROPPED_COPIES = ("refusal", "logprobs", "logprobsResult", "_unread", "codex_message_items")
_THOUGHT_COPIES = ("reasoning_details", "reasoning_items", "codex_reasoning_items")
# Names under which APIs write an answer's own text. Titles, addresses and quotes of sources have
# other names, so that the sources of a search stay.
_TEXT_NAMES = frozenset({
    "text", "thinking", "refusal", "transcript", "arguments", "output_text", "data", "signature",
})  # fmt: skip
_CALL_NAMES = frozenset({"input", "args"})
_SAID_FIELDS = ("content", "tool_calls", "reasoning", "reasoning_content")
# The names of chat completions for two of our counts.
_COUNT_NAMES = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
# JSON of a plugin's object: deeper than an answer ever is, an object may contain itself.
_MAX_DEPTH = 60


class CompletionView(SimpleNamespace):
    """An answer as a chat completion, with our response in ``normalized``.

    ``answered`` is that response, too; a callback that puts another one into ``normalized``
    changes the answer.
    """


class OddAnswer(msgspec.Struct, frozen=True):
    """What a callback returned is no answer: ``problem`` says why."""

    problem: str


def chat_completion_view(response: NormalizedResponse) -> CompletionView:
    """Return the answer as callbacks see it."""
    message = SimpleNamespace(
        role="assistant",
        content=response.content,
        tool_calls=[_tool_call_view(call) for call in response.tool_calls] or None,
        reasoning=response.reasoning,
        reasoning_content=response.reasoning_content,
    )
    choice = SimpleNamespace(index=0, message=message, finish_reason=response.finish_reason)
    return CompletionView(
        id=response.id,
        object="chat.completion",
        model=response.model,
        choices=[choice],
        usage=_token_usage_view(response.usage),
        finish_reason=response.finish_reason,
        normalized=response,
        answered=response,
    )


def read_returned_answer(
    value: object,
    api_mode: str,
    request: ChatRequest | None = None,
    answered: NormalizedResponse | None = None,
) -> Result[NormalizedResponse, WebError | OddAnswer]:
    """Return the answer that a callback returned.

    ``answered`` is what the model answered to it. What the callback changed counts everywhere: the
    copies of it in ``raw`` and ``provider_data`` go.
    """
    if isinstance(value, NormalizedResponse):
        return _checked_response(value).map(lambda response: _settle(response, answered))
    if isinstance(value, CompletionView):
        return _read_view(value)
    converted = attempt_call(lambda: _to_json(value, "the answer", _MAX_DEPTH))
    if isinstance(converted, Failure):
        return Failure(OddAnswer(_describe_odd(value)))
    payload = converted.unwrap()
    if isinstance(payload, OddAnswer):
        return Failure(payload)
    if not isinstance(payload, dict):
        return Failure(OddAnswer(_describe_odd(value)))
    return _read_json_answer(payload, api_mode, request)


def _read_json_answer(
    payload: dict[str, object], api_mode: str, request: ChatRequest | None
) -> Result[NormalizedResponse, WebError | OddAnswer]:
    """Read JSON as if a server had sent it: a chat completion, or the API's own answer."""
    mode = "chat_completions" if "choices" in payload or not api_mode else api_mode
    read = load_wire(cast("ApiMode", mode)).normalize_response(payload, request)
    if isinstance(read, Failure) and isinstance(read.failure(), BadPayload):
        names = ", ".join(list(payload)[:10])[:200]
        problem = f"returned an object with {names or 'no fields'}, not an answer"
        return Failure(OddAnswer(f"{problem}: {read.failure().message}"))
    answer: Result[NormalizedResponse, WebError] = read
    return answer.map(lambda response: msgspec.structs.replace(response, raw=payload)).alt(
        lambda error: error
    )


def _checked_response(
    value: NormalizedResponse,
) -> Result[NormalizedResponse, WebError | OddAnswer]:
    """Return our response with every field checked: who makes a Struct by hand checks nothing."""
    rebuilt = attempt_call(lambda: msgspec.convert(msgspec.to_builtins(value), NormalizedResponse))
    if isinstance(rebuilt, Failure):
        problem = "returned a NormalizedResponse with a field of another type"
        return Failure(OddAnswer(problem))
    response = rebuilt.unwrap()
    is_complete = response.finish_reason in ("stop", "tool_calls")
    if is_complete and not (response.content or response.tool_calls or response.provider_data):
        return Failure(_EMPTY_ANSWER)
    return Success(response)


def _read_view(view: CompletionView) -> Result[NormalizedResponse, WebError | OddAnswer]:
    """Return the answer that a view shows, with what was changed in it."""
    answered, shown = getattr(view, "answered", None), getattr(view, "normalized", None)
    if not isinstance(answered, NormalizedResponse):
        return Failure(OddAnswer("returned a view without what the model answered"))
    if not isinstance(shown, NormalizedResponse):
        return Failure(OddAnswer("put something else than a response into normalized"))
    changed_view = _changed_fields(view, answered)
    if isinstance(changed_view, Failure):
        return changed_view
    changes = changed_view.unwrap()
    for name in NormalizedResponse.__struct_fields__:
        value = getattr(shown, name)
        if value == getattr(answered, name):
            continue
        if name in changes and changes[name] != value:
            problem = f"changed {name} in two places, to two values"
            return Failure(OddAnswer(problem))
        changes[name] = value
    edited = msgspec.structs.replace(answered, **changes)
    if not changes:
        return Success(answered)
    return _checked_response(edited).map(lambda response: _settle(response, answered))


def _changed_fields(
    view: CompletionView, answered: NormalizedResponse
) -> Result[dict[str, object], WebError | OddAnswer]:
    """Return the fields of an answer that a callback changed in its view.

    Both views are read by the reader of chat completions, so that a content in parts, or arguments
    that are an object, are read as from a server.
    """
    converted = attempt_call(lambda: _to_json(_without_ours(view), "the answer", _MAX_DEPTH))
    payload = converted.value_or(OddAnswer("returned a view that cannot be read"))
    if isinstance(payload, OddAnswer):
        return Failure(payload)
    original = _to_json(_without_ours(chat_completion_view(answered)), "the answer", _MAX_DEPTH)
    error = load_wire("chat_completions").validate_response(payload)
    if error is not None:
        return Failure(OddAnswer(f"returned a view that is no answer: {error.message}"))
    reread = [_read_shown(as_mapping(shown), answered) for shown in (payload, original)]
    changes = {name: reread[0][name] for name in reread[0] if reread[0][name] != reread[1][name]}
    top = as_mapping(payload).get("finish_reason")
    if top != answered.finish_reason:
        if "finish_reason" in changes and changes["finish_reason"] != top:
            return Failure(OddAnswer("changed finish_reason in two places, to two values"))
        changes["finish_reason"] = top
    return Success(changes)


def _read_shown(shown: Mapping[str, object], answered: NormalizedResponse) -> dict[str, object]:
    response = read_completion(shown)
    choice = as_mapping(next(iter(as_list(shown.get("choices"))), None))
    return {
        "content": response.content,
        "tool_calls": tuple(_restore_call(call, answered) for call in response.tool_calls),
        "reasoning": response.reasoning,
        "reasoning_content": response.reasoning_content,
        # The reader adds the reason that calls have.
        "finish_reason": choice.get("finish_reason"),
        "usage": _read_token_usage(as_mapping(shown.get("usage")), answered.usage),
        "id": response.id,
        "model": response.model,
    }


def _restore_call(call: ToolCall, answered: NormalizedResponse) -> ToolCall:
    """Return a call with what its provider wants back with it: a view does not show that."""
    original = next((each for each in answered.tool_calls if each.id == call.id), None)
    if original is None:
        return call
    return msgspec.structs.replace(call, provider_data=original.provider_data)


def _without_ours(view: CompletionView) -> SimpleNamespace:
    """Return a view without our own objects in it."""
    fields = {
        name: value for name, value in vars(view).items() if name not in ("normalized", "answered")
    }
    return SimpleNamespace(**fields)


def _settle(
    response: NormalizedResponse, answered: NormalizedResponse | None
) -> NormalizedResponse:
    """Return a response without the copies of what a callback changed in it."""
    if answered is None or response == answered:
        return response
    changed = {
        name
        for name in NormalizedResponse.__struct_fields__
        if getattr(response, name) != getattr(answered, name)
    }
    if changed <= {"attempts", "provider_data", "raw"}:
        return response
    raw = response.raw if "raw" in changed else None
    data = response.provider_data
    if data is not None and "provider_data" not in changed:
        data = _drop_copies(data, changed)
    cache = response.cache
    if "usage" in changed and "cache" not in changed:
        cache = token_cache_stats(response.usage)
    return msgspec.structs.replace(response, raw=raw, provider_data=data, cache=cache)


def _drop_copies(data: Mapping[str, object], changed: set[str]) -> dict[str, object] | None:
    kept = dict(data)
    if changed.intersection(_SAID_FIELDS):
        for name in _DROPPED_COPIES:
            kept.pop(name, None)
        for name in _TEXT_COPIES:
            if name in kept:
                kept[name] = _blank_texts(kept[name])
    if changed & {"reasoning", "reasoning_content"}:
        for name in _THOUGHT_COPIES:
            kept.pop(name, None)
    if "usage" in changed:
        kept.pop("usage", None)
    return kept or None


def _blank_texts(value: object) -> object:
    """Return JSON without the texts and calls of an answer; all else stays."""
    if isinstance(value, list | tuple):
        return [_blank_texts(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    blanked: dict[str, object] = {}
    for name, item in value.items():
        if name in _TEXT_NAMES and isinstance(item, str):
            blanked[name] = ""
        elif name in _CALL_NAMES:
            blanked[name] = {}
        elif name != "logprobs":
            blanked[name] = _blank_texts(item)
    return blanked


def _tool_call_view(call: ToolCall) -> SimpleNamespace:
    function = SimpleNamespace(name=call.name, arguments=call.arguments)
    return SimpleNamespace(id=call.id, type="function", function=function)


def _token_usage_view(usage: Usage | None) -> SimpleNamespace | None:
    if usage is None:
        return None
    fields = msgspec.structs.asdict(usage)
    shown = {name: fields[ours] for name, ours in _COUNT_NAMES.items()}
    return SimpleNamespace(**shown, **fields)


def _read_token_usage(shown: Mapping[str, object], answered: Usage | None) -> Usage | None:
    """Return the counts that a view shows; a count that was changed under either name wins."""
    if not shown:
        return None
    original = answered or Usage()
    counts = {name: shown[name] for name in Usage.__struct_fields__ if shown.get(name) is not None}
    for name, ours in _COUNT_NAMES.items():
        if shown.get(name) is not None and shown[name] != getattr(original, ours):
            counts[ours] = shown[name]
    changed = [name for name in counts if counts[name] != getattr(original, name)]
    usage = attempt_call(lambda: msgspec.convert(counts, Usage)).value_or(original)
    if not changed or "total_tokens" in changed:
        return usage
    return msgspec.structs.replace(usage, total_tokens=usage.input_tokens + usage.output_tokens)


def _to_json(value: object, path: str, depth: int) -> object:
    """Return an object of any library as JSON, or name the part that has no JSON.

    SDKs' objects are pydantic models, dataclasses or Structs; recorded ones are namespaces.
    """
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, Enum)):
        return value
    if depth == 0:
        return OddAnswer(f"returned {path}, which is nested too deep")
    if isinstance(value, Enum | date | bytes):
        return msgspec.to_builtins(value.value if isinstance(value, Enum) else value)
    if isinstance(value, list | tuple):
        items = [_to_json(item, f"{path}[{index}]", depth - 1) for index, item in enumerate(value)]
        return next((item for item in items if isinstance(item, OddAnswer)), items)
    named = _named_parts(value)
    if named is None:
        return OddAnswer(f"returned {path} of the type {type(value).__name__[:100]}")
    fields: dict[str, object] = {}
    for name, part in named:
        converted = _to_json(part, f"{path}.{name}", depth - 1)
        if isinstance(converted, OddAnswer):
            return converted
        fields[name] = converted
    return fields


def _named_parts(value: object) -> Iterator[tuple[str, object]] | None:
    """Return the fields of an object with names; None for an object of another kind."""
    if isinstance(value, Mapping):
        return ((str(name), part) for name, part in value.items())
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        # By alias: Google's SDK has its own spelling of the fields.
        dumped = dump(mode="json", by_alias=True, exclude_none=True)
        return ((str(name), part) for name, part in as_mapping(dumped).items())
    if isinstance(value, msgspec.Struct):
        return iter(msgspec.structs.asdict(value).items())
    if is_dataclass(value) and not isinstance(value, type):
        return ((field.name, getattr(value, field.name)) for field in dataclass_fields(value))
    return iter(vars(value).items()) if isinstance(value, SimpleNamespace) else None


def _describe_odd(value: object) -> str:
    return f"returned {type(value).__name__[:100]}, not a model's answer"

"""An assistant's turn on its way back: calls, sealed thoughts, and items that only the API reads.

Who does not let the provider store answers sends the items of earlier ones back. Reasoning goes
without its id, which names nothing there.

https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from ....values.json_values import (
    as_list,
    as_mapping,
    as_objects,
    short_id,
    steady_id,
    text,
    write_json,
)
from ...declaration.provider import Provider
from ...declaration.wire import Json
from ...messages.tool_calls import custom_input, is_custom


def input_content(content: object) -> str | list[Json]:
    """Return what a user or a tool said: a text as it is, parts one by one."""
    if isinstance(content, str) or content is None:
        return content or ""
    if isinstance(content, list | tuple):
        return [_input_part(part) for part in content]
    return write_json(content)


def output_text(content: object) -> str:
    """Return what the assistant said, as one text.

    Parts would have to be those of a stored answer, with the id that it has at the server; input
    parts in the assistant's turn are refused.
    """
    if isinstance(content, str):
        return content
    return "\n".join(part for part in map(_output_part, as_list(content)) if part)


def plain_text(content: object) -> str:
    """Return the text in a content, and only that."""
    if isinstance(content, str):
        return content
    texts = [
        part if isinstance(part, str) else text(as_mapping(part).get("text"))
        for part in as_list(content)
    ]
    return "\n\n".join(part for part in texts if part)


def _input_part(part: object) -> Json:
    if not isinstance(part, Mapping):
        return {"type": "input_text", "text": part if isinstance(part, str) else write_json(part)}
    match part.get("type"):
        case "text" | "output_text":
            return {"type": "input_text", "text": text(part.get("text"))}
        case "image_url":
            return _image(part.get("image_url"))
        case "file":
            return {"type": "input_file", **as_mapping(part.get("file"))}
        case _:
            # In this API's words already, or something that it knows and we do not.
            return dict(part)


def _image(value: object) -> Json:
    """Return an image part: here the URL is a bare text, and the detail must be said."""
    if isinstance(value, str):
        return {"type": "input_image", "image_url": value, "detail": "auto"}
    image = as_mapping(value)
    detail = text(image.get("detail")) or "auto"
    return {"type": "input_image", "image_url": text(image.get("url")), "detail": detail}


def _output_part(part: object) -> str:
    if isinstance(part, str):
        return part
    held = as_mapping(part)
    return text(held.get("text")) or text(held.get("refusal"))


_ASIDE = ("commentary", "analysis")


def is_aside(item: Mapping[str, object]) -> bool:
    """Tell whether an item is not the answer but what is said before it."""
    return item.get("phase") in _ASIDE


def message_items(output: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return the items that are messages; gateways were seen to leave the type out."""
    return [item for item in output if item.get("type", "message") == "message"]


def message_texts(messages: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the answer, and what was said aside; that is the answer if there is no other."""
    final = "".join(message_text(message) for message in messages if not is_aside(message))
    aside = "".join(message_text(message) for message in messages if is_aside(message))
    return (final, aside) if final else (aside, "")


def message_text(message: Mapping[str, object]) -> str:
    """Return the text of one message."""
    return "".join(_texts(message.get("content")))


def refusal_text(messages: Sequence[Mapping[str, object]]) -> str:
    """Return the words of a refusal."""
    parts = (part for message in messages for part in as_objects(message.get("content")))
    return "".join(text(part.get("refusal")) for part in parts if part.get("type") == "refusal")


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in as_objects(content):
        if part.get("type") in ("output_text", "text"):
            yield text(part.get("text"))


# An assistant's turn on its way back: calls, sealed thoughts, and items that only the API reads.

# Put before the name of a client's function that the provider has a tool of its own for.
RENAMED = "client_"
# What a server's own tools leave in an answer and want to see again, as it was.
_REPLAYED = frozenset(
    {
        "apply_patch_call",
        "code_interpreter_call",
        "compaction",
        "computer_call",
        "file_search_call",
        "image_generation_call",
        "local_shell_call",
        "mcp_approval_request",
        "mcp_call",
        "mcp_list_tools",
        "program",
        "program_output",
        "shell_call",
        "shell_call_output",
        "tool_search_call",
        "tool_search_output",
        "web_search_call",
    }
)
_CALLS = ("function_call", "custom_tool_call")
# Where a call's tool was found and which program called it. Without them the API refuses the call:
# "Missing namespace for function_call" (public reports, 2026-11-15).
_CORRELATION = ("namespace", "caller")


def correlation_fields(call: Mapping[str, object]) -> Json:
    """Return what of a call only its issuer knows, and wants back with it."""
    return {name: call[name] for name in _CORRELATION if call.get(name)}


def wire_name(name: str, provider: Provider) -> str:
    """Return the name under which a client's function goes to this provider."""
    return RENAMED + name if name in provider.history.reserved_tools else name


def assistant_items(message: Json, provider: Provider) -> Iterator[Json]:
    """Yield the items of a turn: as they came if that still is what it says, else by its fields."""
    ordered = list(_ordered(message, provider))
    yield from ordered or _by_fields(message, provider)


def _ordered(message: Json, provider: Provider) -> Iterator[Json]:
    """Yield an answer item by item, where tools of the server's left something in it.

    A message whose text or calls were changed since is built from its fields instead.
    """
    output = as_objects(_issued(message, provider).get("output"))
    calls = {text(call["call_id"]): call for call in _calls(message, provider)}
    if any(item.get("type") in _REPLAYED for item in output) and _still_says(
        message, output, calls
    ):
        sealed = provider.responses.encrypted_reasoning
        for item in output:
            yield from _item(item, calls, sealed=sealed)


def _still_says(
    message: Json, output: Sequence[Mapping[str, object]], calls: Mapping[str, Json]
) -> bool:
    ids = {_own_id(item) for item in output if item.get("type") in _CALLS}
    content = output_text(message.get("content")) or text(message.get("refusal"))
    return set(calls) <= ids and message_texts(message_items(output))[0] == content


def _item(item: Mapping[str, object], calls: Mapping[str, Json], *, sealed: bool) -> Iterator[Json]:
    kind = item.get("type", "message")
    if kind in _REPLAYED:
        yield dict(item)
    elif kind == "message":
        yield _message(item)
    elif kind == "reasoning":
        yield from _sealed([item] if sealed else [])
    elif _own_id(item) in calls:
        # The call as the message has it: what was redacted there stays so.
        yield {**calls[_own_id(item)], **correlation_fields(item)}


def _own_id(item: Mapping[str, object]) -> str:
    return call_id(text(item.get("call_id")) or text(item.get("id")))


def _message(item: Mapping[str, object]) -> Json:
    phase = {"phase": item["phase"]} if text(item.get("phase")) else {}
    return {"role": "assistant", "content": message_text(item), **phase}


def _by_fields(message: Json, provider: Provider) -> Iterator[Json]:
    reasoning = list(_reasoning(message, provider))
    content = output_text(message.get("content")) or text(message.get("refusal"))
    calls = list(_calls(message, provider))
    yield from reasoning
    phased = list(_phased(message, provider, content))
    if not phased and (content or (reasoning and not calls)):
        # A reasoning item must be followed by something, if only by an empty turn.
        yield {"role": "assistant", "content": content}
    yield from phased
    yield from calls


def _phased(message: Json, provider: Provider, content: str) -> Iterator[Json]:
    """Yield what was said aside and in the end, if the model tells these apart and wants it back.

    A message whose text was changed since is sent as it is now.
    """
    held = _held(message, provider)
    items = message_items(as_objects(held.get("codex_message_items") or held.get("output")))
    if any(text(item.get("phase")) for item in items) and message_texts(items)[0] == content:
        yield from (_message(item) for item in items)


def _issued(message: Json, provider: Provider) -> Mapping[str, object]:
    """Return what only its issuer can read back; anybody else would refuse it."""
    held = {**as_mapping(message.get("provider_data")), **message}
    return held if held.get("_issuer", provider.name) == provider.name else {}


def _held(message: Json, provider: Provider) -> Mapping[str, object]:
    """Return the same, where sealed thoughts are sent back."""
    return _issued(message, provider) if provider.responses.encrypted_reasoning else {}


def _reasoning(message: Json, provider: Provider) -> Iterator[Json]:
    held = _held(message, provider)
    yield from _sealed(as_objects(held.get("reasoning_items") or held.get("codex_reasoning_items")))


def _sealed(items: Sequence[Mapping[str, object]]) -> Iterator[Json]:
    for item in items:
        if item.get("encrypted_content"):
            yield {
                "type": "reasoning",
                "encrypted_content": item["encrypted_content"],
                "summary": list(as_list(item.get("summary"))),
            }


def _calls(message: Json, provider: Provider) -> Iterator[Json]:
    issued = bool(_issued(message, provider))
    for place, call in enumerate(as_objects(message.get("tool_calls"))):
        more = correlation_fields(as_mapping(call.get("provider_data"))) if issued else {}
        function = as_mapping(call.get("function"))
        name, arguments = text(function.get("name")), _arguments(function.get("arguments"))
        identity = text(call.get("call_id")) or text(call.get("id"))
        if is_custom(call):
            name, words = custom_input(call)
            own = call_id(identity or steady_id(name, words, place))
            yield {"type": "custom_tool_call", "call_id": own, "name": name, "input": words, **more}
            continue
        yield {
            "type": "function_call",
            "call_id": call_id(identity or steady_id(name, arguments, place)),
            "name": wire_name(name, provider),
            "arguments": arguments,
            **more,
        }


def _arguments(held: object) -> str:
    if isinstance(held, Mapping):
        return write_json(held)
    return text(held) or "{}"


def call_id(identity: str) -> str:
    """Return the id under which a call and its result find each other.

    >>> call_id("call_1|fc_2"), call_id("fc_3")
    ('call_1', 'call_3')
    """
    first = identity.partition("|")[0]
    named = "call_" + first.removeprefix("fc_") if first.startswith("fc_") else first
    return short_id(named, "call_")

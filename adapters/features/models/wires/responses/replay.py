"""Replay of an assistant's turn: calls, encrypted thoughts, and items of the API's own tools.

Without storage at the provider, a request must contain the items of earlier answers. Reasoning is
sent without its id, which the provider does not know then.

https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from webseam.adapters.values.json_values import (
    as_list,
    as_mapping,
    as_objects,
    short_id,
    stable_id,
    text,
    write_json,
)

from ...declaration.provider import Provider
from ...declaration.wire import Json
from ...messages.tool_calls import custom_tool_input, is_custom_tool_call

# The prefix of a client's function whose name is one of the provider's own tools.
RENAMED_PREFIX = "client_"
# Items of the server's own tools, which it wants back unchanged.
_REPLAYED_ITEM_TYPES = frozenset({
    "apply_patch_call", "code_interpreter_call", "compaction", "computer_call", "file_search_call",
    "image_generation_call", "local_shell_call", "mcp_approval_request", "mcp_call",
    "mcp_list_tools", "program", "program_output", "shell_call", "shell_call_output",
    "tool_search_call", "tool_search_output", "web_search_call",
})  # fmt: skip
_CALL_ITEM_TYPES = ("function_call", "custom_tool_call")
# A call's namespace and calling program. Without them the API refuses the call: "Missing namespace
# for function_call" (public reports, 2026-11-15).
_CORRELATION_FIELDS = ("namespace", "caller")


def input_content(content: object) -> str | list[Json]:
    """Return the content of a user's or tool's message: a text, or converted parts."""
    if isinstance(content, str) or content is None:
        return content or ""
    if isinstance(content, list | tuple):
        return [_input_part(part) for part in content]
    return write_json(content)


def assistant_text(content: object) -> str:
    """Return an assistant's content as one text.

    The API accepts parts only from a stored answer with its id, and refuses input parts in an
    assistant's turn.
    """
    if isinstance(content, str):
        return content
    return "\n".join(part for part in map(_part_text, as_list(content)) if part)


def plain_text(content: object) -> str:
    """Return only the text in a content."""
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
            # An image part has a bare URL and the required ``detail``.
            value = part.get("image_url")
            if isinstance(value, str):
                return {"type": "input_image", "image_url": value, "detail": "auto"}
            image = as_mapping(value)
            detail = text(image.get("detail")) or "auto"
            return {"type": "input_image", "image_url": text(image.get("url")), "detail": detail}
        case "file":
            return {"type": "input_file", **as_mapping(part.get("file"))}
        case _:
            # Already in this API's format, or a type that only the API knows.
            return dict(part)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    fields = as_mapping(part)
    return text(fields.get("text")) or text(fields.get("refusal"))


def is_commentary(item: Mapping[str, object]) -> bool:
    """Tell whether an item is commentary before the answer."""
    return item.get("phase") in ("commentary", "analysis")


def message_items(output: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return the items that are messages; some gateways omit the type."""
    return [item for item in output if item.get("type", "message") == "message"]


def answer_and_commentary(messages: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the answer and the commentary; without an answer the commentary is the answer."""
    final = "".join(message_text(message) for message in messages if not is_commentary(message))
    commentary = "".join(message_text(message) for message in messages if is_commentary(message))
    return (final, commentary) if final else (commentary, "")


def message_text(message: Mapping[str, object]) -> str:
    """Return the text of one message."""
    return "".join(_content_texts(message.get("content")))


def refusal_text(messages: Sequence[Mapping[str, object]]) -> str:
    """Return the text of a refusal."""
    parts = (part for message in messages for part in as_objects(message.get("content")))
    return "".join(text(part.get("refusal")) for part in parts if part.get("type") == "refusal")


def _content_texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in as_objects(content):
        if part.get("type") in ("output_text", "text"):
            yield text(part.get("text"))


def correlation_fields(call: Mapping[str, object]) -> Json:
    """Return the fields of a call that its issuer wants back."""
    return {name: call[name] for name in _CORRELATION_FIELDS if call.get(name)}


def provider_tool_name(name: str, provider: Provider) -> str:
    """Return the name of a client's function for this provider."""
    return RENAMED_PREFIX + name if name in provider.history.reserved_tools else name


def replay_turn(message: Json, provider: Provider) -> Iterator[Json]:
    """Yield the original items of a turn if the message still says the same, else new ones."""
    ordered = list(_original_items(message, provider))
    yield from ordered or _new_items(message, provider)


def _original_items(message: Json, provider: Provider) -> Iterator[Json]:
    """Yield the items of an answer with server tools; nothing if text or calls have changed."""
    output = as_objects(_issued_response(message, provider).get("output"))
    calls = {text(call["call_id"]): call for call in _call_items(message, provider)}
    if any(text(item.get("type")) in _REPLAYED_ITEM_TYPES for item in output) and _is_unchanged(
        message, output, calls
    ):
        with_reasoning = provider.responses.encrypted_reasoning
        for item in output:
            yield from _replay_item(item, calls, with_reasoning=with_reasoning)


def _is_unchanged(
    message: Json, output: Sequence[Mapping[str, object]], calls: Mapping[str, Json]
) -> bool:
    call_ids = {_call_id(item) for item in output if item.get("type") in _CALL_ITEM_TYPES}
    content = assistant_text(message.get("content")) or text(message.get("refusal"))
    return set(calls) <= call_ids and answer_and_commentary(message_items(output))[0] == content


def _replay_item(
    item: Mapping[str, object], calls: Mapping[str, Json], *, with_reasoning: bool
) -> Iterator[Json]:
    kind = item.get("type", "message")
    if kind in _REPLAYED_ITEM_TYPES:
        yield dict(item)
    elif kind == "message":
        yield _assistant_item(item)
    elif kind == "reasoning":
        yield from _thoughts([item] if with_reasoning else [])
    elif _call_id(item) in calls:
        # Take the call from the message, where its arguments may have been redacted.
        yield {**calls[_call_id(item)], **correlation_fields(item)}


def _call_id(item: Mapping[str, object]) -> str:
    return shared_call_id(text(item.get("call_id")) or text(item.get("id")))


def _assistant_item(item: Mapping[str, object]) -> Json:
    phase = {"phase": item["phase"]} if text(item.get("phase")) else {}
    return {"role": "assistant", "content": message_text(item), **phase}


def _new_items(message: Json, provider: Provider) -> Iterator[Json]:
    reasoning = list(_reasoning_items(message, provider))
    content = assistant_text(message.get("content")) or text(message.get("refusal"))
    calls = list(_call_items(message, provider))
    yield from reasoning
    phased = list(_phase_messages(message, provider, content))
    if not phased and (content or (reasoning and not calls)):
        # A reasoning item must be followed by another item, even an empty message.
        yield {"role": "assistant", "content": content}
    yield from phased
    yield from calls


def _phase_messages(message: Json, provider: Provider, content: str) -> Iterator[Json]:
    """Yield commentary and answer as separate messages; nothing if the text has changed since."""
    data = _encrypted_response(message, provider)
    items = message_items(as_objects(data.get("codex_message_items") or data.get("output")))
    if (
        any(text(item.get("phase")) for item in items)
        and answer_and_commentary(items)[0] == content
    ):
        yield from (_assistant_item(item) for item in items)


def _issued_response(message: Json, provider: Provider) -> Mapping[str, object]:
    """Return the message's fields if this provider issued it; another one would refuse them."""
    fields = {**as_mapping(message.get("provider_data")), **message}
    return fields if fields.get("_issuer", provider.name) == provider.name else {}


def _encrypted_response(message: Json, provider: Provider) -> Mapping[str, object]:
    """Return the same if the provider replays encrypted thoughts."""
    return _issued_response(message, provider) if provider.responses.encrypted_reasoning else {}


def _reasoning_items(message: Json, provider: Provider) -> Iterator[Json]:
    fields = _encrypted_response(message, provider)
    yield from _thoughts(
        as_objects(fields.get("reasoning_items") or fields.get("codex_reasoning_items"))
    )


def _thoughts(items: Sequence[Mapping[str, object]]) -> Iterator[Json]:
    for item in items:
        if item.get("encrypted_content"):
            yield {
                "type": "reasoning",
                "encrypted_content": item["encrypted_content"],
                "summary": list(as_list(item.get("summary"))),
            }


def _call_items(message: Json, provider: Provider) -> Iterator[Json]:
    is_issued = bool(_issued_response(message, provider))
    for index, call in enumerate(as_objects(message.get("tool_calls"))):
        extras = correlation_fields(as_mapping(call.get("provider_data"))) if is_issued else {}
        function = as_mapping(call.get("function"))
        name, arguments = text(function.get("name")), call_arguments(function.get("arguments"))
        identity = text(call.get("call_id")) or text(call.get("id"))
        if is_custom_tool_call(call):
            name, free_text = custom_tool_input(call)
            fields = {"type": "custom_tool_call", "name": name, "input": free_text}
            identity = identity or stable_id(name, free_text, index)
        else:
            wire_name = provider_tool_name(name, provider)
            fields = {"type": "function_call", "name": wire_name, "arguments": arguments}
            identity = identity or stable_id(name, arguments, index)
        yield {**fields, "call_id": shared_call_id(identity), **extras}


def call_arguments(arguments: object) -> str:
    """Return the arguments of a call as JSON; some servers send an object."""
    return write_json(arguments) if isinstance(arguments, Mapping) else text(arguments) or "{}"


def shared_call_id(identity: str) -> str:
    """Return the id that a call and its result share.

    >>> shared_call_id("call_1|fc_2")
    'call_1'
    >>> shared_call_id("fc_3")
    'call_3'
    """
    return short_id(fc_to_call_id(identity.partition("|")[0]), "call_")


def fc_to_call_id(identity: str) -> str:
    """Return the id of a call for the id of its item, which begins with ``fc_``."""
    return "call_" + identity.removeprefix("fc_") if identity.startswith("fc_") else identity

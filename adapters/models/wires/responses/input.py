"""Messages of a chat as the items of the Responses API, and what a model says in such items."""

from collections.abc import Iterator, Mapping, Sequence

from .....ports.models import Message
from ....values.json import listed, mapping, objects, short_id, steady_id, text, write
from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json
from ...messages.calls import with_ids
from ..chat.messages import with_images_moved


def input_content(content: object) -> str | list[Json]:
    """Return what a user or a tool said: a text as it is, parts one by one."""
    if isinstance(content, str) or content is None:
        return content or ""
    if isinstance(content, list | tuple):
        return [_input_part(part) for part in content]
    return write(content)


def output_text(content: object) -> str:
    """Return what the assistant said, as one text.

    Parts would have to be those of a stored answer, with the id that it has at the server; input
    parts in the assistant's turn are refused.
    """
    if isinstance(content, str):
        return content
    return "\n".join(part for part in map(_output_part, listed(content)) if part)


def plain_text(content: object) -> str:
    """Return the text in a content, and only that."""
    if isinstance(content, str):
        return content
    texts = [
        part if isinstance(part, str) else text(mapping(part).get("text"))
        for part in listed(content)
    ]
    return "\n\n".join(part for part in texts if part)


def _input_part(part: object) -> Json:
    if not isinstance(part, Mapping):
        return {"type": "input_text", "text": part if isinstance(part, str) else write(part)}
    match part.get("type"):
        case "text" | "output_text":
            return {"type": "input_text", "text": text(part.get("text"))}
        case "image_url":
            return _image(part.get("image_url"))
        case "file":
            return {"type": "input_file", **mapping(part.get("file"))}
        case _:
            # In this API's words already, or something that it knows and we do not.
            return dict(part)


def _image(value: object) -> Json:
    """Return an image part: here the URL is a bare text, and the detail must be said."""
    if isinstance(value, str):
        return {"type": "input_image", "image_url": value, "detail": "auto"}
    image = mapping(value)
    detail = text(image.get("detail")) or "auto"
    return {"type": "input_image", "image_url": text(image.get("url")), "detail": detail}


def _output_part(part: object) -> str:
    if isinstance(part, str):
        return part
    held = mapping(part)
    return text(held.get("text")) or text(held.get("refusal"))


_ASIDE = ("commentary", "analysis")


def is_aside(item: Mapping[str, object]) -> bool:
    """Tell whether an item is not the answer but what is said before it."""
    return item.get("phase") in _ASIDE


def messages_in(output: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return the items that are messages; gateways were seen to leave the type out."""
    return [item for item in output if item.get("type", "message") == "message"]


def said_in(messages: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the answer, and what was said aside; that is the answer if there is no other."""
    final = "".join(text_of(message) for message in messages if not is_aside(message))
    aside = "".join(text_of(message) for message in messages if is_aside(message))
    return (final, aside) if final else (aside, "")


def text_of(message: Mapping[str, object]) -> str:
    """Return the text of one message."""
    return "".join(_texts(message.get("content")))


def refusal_in(messages: Sequence[Mapping[str, object]]) -> str:
    """Return the words of a refusal."""
    parts = (part for message in messages for part in objects(message.get("content")))
    return "".join(text(part.get("refusal")) for part in parts if part.get("type") == "refusal")


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in objects(content):
        if part.get("type") in ("output_text", "text"):
            yield text(part.get("text"))


_SYSTEM = ("system", "developer")
# Put before the name of a client's function that the provider has a tool of its own for.
RENAMED = "client_"


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the system text that leads, and the rest as items; one message may make several."""
    named = with_ids(messages)
    prepared = [dict(message) for message in provider.changes.prepare_messages(named, model)]
    if not provider.history.images_in_tool_results:
        prepared = with_images_moved(prepared)
    start = next(
        (place for place, message in enumerate(prepared) if message.get("role") not in _SYSTEM),
        None,
    )
    # Nothing but system messages: the API wants some input, so they are it.
    leading = prepared[: start or 0]
    instructions = [plain_text(message.get("content")) for message in leading]
    items = [item for message in prepared[start or 0 :] for item in _items(message, provider)]
    if provider.responses.typed_items:
        items = [{"type": "message", **item} if "role" in item else item for item in items]
    return Conversation(
        system="\n\n".join(part for part in instructions if part) or None, messages=items
    )


def wire_name(name: str, provider: Provider) -> str:
    """Return the name under which a client's function goes to this provider."""
    return RENAMED + name if name in provider.history.reserved_tools else name


def _items(message: Json, provider: Provider) -> Iterator[Json]:
    role = message.get("role")
    if role == "assistant":
        yield from _assistant(message, provider)
    elif role == "tool" and text(message.get("tool_call_id")):
        output = input_content(message.get("content"))
        call = _call_id(text(message["tool_call_id"]))
        yield {"type": "function_call_output", "call_id": call, "output": output}
    else:
        content = input_content(message.get("content"))
        if content:
            yield {"role": role if role in _SYSTEM else "user", "content": content}


def _assistant(message: Json, provider: Provider) -> Iterator[Json]:
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
    items = messages_in(objects(held.get("codex_message_items") or held.get("output")))
    if any(text(item.get("phase")) for item in items) and said_in(items)[0] == content:
        for item in items:
            phase = {"phase": item["phase"]} if text(item.get("phase")) else {}
            yield {"role": "assistant", "content": text_of(item), **phase}


def _held(message: Json, provider: Provider) -> Mapping[str, object]:
    """Return what only its issuer can read back; anybody else would refuse it."""
    held = {**mapping(message.get("provider_data")), **message}
    known = held.get("_issuer", provider.name) == provider.name
    return held if provider.responses.encrypted_reasoning and known else {}


def _reasoning(message: Json, provider: Provider) -> Iterator[Json]:
    held = _held(message, provider)
    for item in objects(held.get("reasoning_items") or held.get("codex_reasoning_items")):
        if item.get("encrypted_content"):
            yield {
                "type": "reasoning",
                "encrypted_content": item["encrypted_content"],
                "summary": list(listed(item.get("summary"))),
            }


def _calls(message: Json, provider: Provider) -> Iterator[Json]:
    for place, call in enumerate(objects(message.get("tool_calls"))):
        function = mapping(call.get("function"))
        name, arguments = text(function.get("name")), _arguments(function.get("arguments"))
        identity = text(call.get("call_id")) or text(call.get("id"))
        yield {
            "type": "function_call",
            "call_id": _call_id(identity or steady_id(name, arguments, place)),
            "name": wire_name(name, provider),
            "arguments": arguments,
        }


def _arguments(held: object) -> str:
    if isinstance(held, Mapping):
        return write(held)
    return text(held) or "{}"


def _call_id(identity: str) -> str:
    """Return the id under which a call and its result find each other.

    >>> _call_id("call_1|fc_2"), _call_id("fc_3")
    ('call_1', 'call_3')
    """
    first = identity.partition("|")[0]
    named = "call_" + first.removeprefix("fc_") if first.startswith("fc_") else first
    return short_id(named, "call_")

"""Messages of a chat as the items of the Responses API."""

from collections.abc import Iterator, Mapping, Sequence

from ....ports.models import Message
from ...values.json import listed, mapping, objects, short_id, steady_id, text, write
from ..call_ids import with_ids
from ..provider import Provider
from ..wire import Conversation, Json
from .chat_messages import with_images_moved
from .responses_parts import input_content, output_text, plain_text
from .responses_spoken import messages_in, said_in, text_of

_SYSTEM = ("system", "developer")
# Put before the name of a client's function that the provider has a tool of its own for.
RENAMED = "client_"


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the system text that leads, and the rest as items; one message may make several."""
    named = with_ids(messages)
    prepared = [dict(message) for message in provider.prepare_messages(named, model)]
    if not provider.images_in_tool_results:
        prepared = with_images_moved(prepared)
    start = next(
        (place for place, message in enumerate(prepared) if message.get("role") not in _SYSTEM),
        None,
    )
    # Nothing but system messages: the API wants some input, so they are it.
    leading = prepared[: start or 0]
    told = [plain_text(message.get("content")) for message in leading]
    items = [item for message in prepared[start or 0 :] for item in _items(message, provider)]
    if provider.typed_items:
        items = [{"type": "message", **item} if "role" in item else item for item in items]
    return Conversation(system="\n\n".join(part for part in told if part) or None, messages=items)


def wire_name(name: str, provider: Provider) -> str:
    """Return the name under which a client's function goes to this provider."""
    return RENAMED + name if name in provider.reserved_tools else name


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
    return held if provider.encrypted_reasoning and known else {}


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
        given = text(call.get("call_id")) or text(call.get("id"))
        yield {
            "type": "function_call",
            "call_id": _call_id(given or steady_id(name, arguments, place)),
            "name": wire_name(name, provider),
            "arguments": arguments,
        }


def _arguments(given: object) -> str:
    if isinstance(given, Mapping):
        return write(given)
    return text(given) or "{}"


def _call_id(given: str) -> str:
    """Return the id under which a call and its result find each other.

    >>> _call_id("call_1|fc_2"), _call_id("fc_3")
    ('call_1', 'call_3')
    """
    first = given.partition("|")[0]
    named = "call_" + first.removeprefix("fc_") if first.startswith("fc_") else first
    return short_id(named, "call_")

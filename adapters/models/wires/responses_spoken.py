"""What a model says in the messages of the Responses API: at the end, and aside before it."""

from collections.abc import Iterator, Mapping, Sequence

from ...values.json import objects, text

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

"""What is said in the items of the Responses API, on the way in and on the way out.

https://platform.openai.com/docs/api-reference/responses/create (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from ....values.json_values import as_list, as_mapping, as_objects, text, write_json
from ...declaration.wire import Json


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

"""Parts of a message, as the Responses API spells them: one way in, another way out."""

from collections.abc import Mapping

from ...values.json import listed, mapping, text, write
from ..wire import Json


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
    said = [
        part if isinstance(part, str) else text(mapping(part).get("text"))
        for part in listed(content)
    ]
    return "\n\n".join(part for part in said if part)


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


def _image(given: object) -> Json:
    """Return an image part: here the URL is a bare text, and the detail must be said."""
    if isinstance(given, str):
        return {"type": "input_image", "image_url": given, "detail": "auto"}
    image = mapping(given)
    detail = text(image.get("detail")) or "auto"
    return {"type": "input_image", "image_url": text(image.get("url")), "detail": detail}


def _output_part(part: object) -> str:
    if isinstance(part, str):
        return part
    given = mapping(part)
    return text(given.get("text")) or text(given.get("refusal"))

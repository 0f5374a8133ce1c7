"""The content of a message: a text, parts, or JSON where the server sends the object itself."""

from collections.abc import Mapping

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text, write_json
from webseam.adapters.values.think_tags import split_thinking

_TEXT_PART_TYPES = (None, "text", "output_text", "thinking")


def is_text_part(part: Mapping[str, object]) -> bool:
    """Tell whether a part is text or thoughts; some servers leave out the type."""
    kind = part.get("type")
    return kind is None or (isinstance(kind, str) and kind in _TEXT_PART_TYPES)


def wordless_parts(content: object) -> list[Mapping[str, object]]:
    """Return the parts of a content that are neither text nor thoughts, such as references."""
    if isinstance(content, str) or not any(map(is_content_part, as_list(content))):
        return []
    return [part for part in as_objects(content) if not is_text_part(part)]


def read_chat_content(content: object) -> tuple[str, str]:
    """Return text and thoughts of a content, which is a text, parts (Mistral) or JSON.

    Cloudflare sends the answer to an output schema as a JSON value.
    """
    if isinstance(content, str):
        return split_thinking(content)
    if content and not any(map(is_content_part, as_list(content))):
        return write_json(content), ""
    content_text = "".join(_part_text(part) for part in as_list(content))
    thinking = [
        part.get("thinking") for part in as_objects(content) if part.get("type") == "thinking"
    ]
    lists = ([value] if isinstance(value, str) else as_list(value) for value in thinking)
    return content_text, "".join(_part_text(part) for parts in lists for part in parts)


def is_content_part(part: object) -> bool:
    """Tell a part of a content from the values of an object that is the answer."""
    return isinstance(part, str) or bool({"type", "text"} & {*as_mapping(part)})


def _part_text(part: object) -> str:
    return part if isinstance(part, str) else text(as_mapping(part).get("text"))

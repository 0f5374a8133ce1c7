"""The copies of an answer's text that ``provider_data`` has for a replay."""

from collections.abc import Mapping

from msgspec.structs import replace

from webseam.adapters.values.json_values import as_mapping
from webseam.ports.models import NormalizedResponse

# Names under which APIs write an answer's own text. Titles, addresses and quotes of sources have
# other names, so that the sources of a search stay.
_TEXT_NAMES = frozenset({
    "content", "output_text", "refusal", "text", "thinking", "transcript",
})  # fmt: skip


def without_text_copies(response: NormalizedResponse) -> NormalizedResponse:
    """Return an answer that says each of its texts once, for a reader and not for a replay."""
    said = "".join(filter(None, (response.content, response.reasoning, response.reasoning_content)))
    data = _drop_said_texts(response.provider_data, said)
    response = replace(response, provider_data=as_mapping(data) or None)
    is_repeated = response.reasoning_content == response.reasoning
    return replace(response, reasoning_content=None) if is_repeated else response


def _drop_said_texts(value: object, said: str) -> object:
    """Return JSON without the texts that ``said`` has, where an API writes its own text."""
    if isinstance(value, list | tuple):
        return [_drop_said_texts(item, said) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        name: _drop_said_texts(item, said)
        for name, item in value.items()
        if not (name in _TEXT_NAMES and isinstance(item, str) and item in said)
    }

"""OpenRouter's structured reasoning, which must be sent back as it came."""

from collections.abc import Mapping, Sequence

from ...values.json import text
from ..wire import Json

_GROWING = frozenset({"text", "summary", "data"})


def merged_details(
    held: Sequence[Mapping[str, object]], more: Sequence[Mapping[str, object]]
) -> list[Json]:
    """Add streamed fragments to the details they continue: same index, same type."""
    merged = [dict(detail) for detail in held]
    for detail in more:
        key = (detail.get("index"), detail.get("type"))
        last = merged[-1] if merged else {}
        if key[0] is not None and key == (last.get("index"), last.get("type")):
            _grow(last, detail)
        else:
            merged.append(dict(detail))
    return merged


def _grow(held: Json, more: Mapping[str, object]) -> None:
    for name, value in more.items():
        if name in _GROWING:
            held[name] = text(held.get(name)) + text(value)
        elif value is not None:
            held[name] = value

"""The replies in the services' samples: as they are, and each with one thing in it broken."""

import copy
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml
from hypothesis import strategies as st

from webseam.adapters.services.calls import Reply
from webseam.composition.features.testing.strategies import json_values

_SAMPLES = Path(__file__).parent.parent / "tests" / "services" / "samples"
_STATUSES = st.sampled_from([200, 204, 301, 400, 401, 402, 403, 404, 422, 429, 432, 500, 503])
# What is put in a node's place; the ellipsis takes it out.
_ODD: tuple[object, ...] = (
    ...,
    None,
    True,
    -1,
    2**70,
    "",
    " <b>",
    "https://other.example/",
    "2025-13-45",
    [],
    [None],
    [{}],
    ["", 3],
    {},
    {"a": {"b": [1]}},
)
_TEXT_CUTS = 12
# Where a node is: the keys and the places that lead to it.
_Place = tuple[str | int, ...]


@functools.cache
def replies_of(service: str) -> tuple[Reply, ...]:
    """Return what the sample of a service has it answer."""
    sample = yaml.load((_SAMPLES / f"{service}.yaml").read_text("utf-8"), yaml.CSafeLoader)
    exchanges = [each for case in sample["cases"] for each in case.get("exchanges", ())]
    return tuple(_reply(exchange["reply"]) for exchange in exchanges)


def broken_replies(service: str) -> Iterator[Reply]:
    """Yield a service's own replies, with every node in turn dropped or replaced."""
    for whole in replies_of(service):
        yield from _cut(whole) if whole.payload is None else _broken(whole)


def any_replies() -> st.SearchStrategy[Reply]:
    """Give any JSON at all, or any text."""
    origin = st.just("https://api.example")
    parsed = st.builds(Reply, status=_STATUSES, payload=json_values(), origin=origin)
    return parsed | st.builds(Reply, status=_STATUSES, text=st.text(max_size=200), origin=origin)


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, keys not among them."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict | list):
            waiting.extend(node.values() if isinstance(node, dict) else node)


def _reply(given: dict[str, Any]) -> Reply:
    return Reply(
        status=given.get("status", 200),
        payload=given.get("body"),
        text=given.get("text", ""),
        headers=given.get("headers", {}),
        origin="https://api.example",
    )


def _broken(whole: Reply) -> Iterator[Reply]:
    for place in _places(whole.payload):
        for odd in _ODD:
            payload = _changed(whole.payload, place, odd)
            yield msgspec.structs.replace(whole, payload=payload)


def _cut(whole: Reply) -> Iterator[Reply]:
    """Take a piece out of a text, at many places."""
    step = max(1, len(whole.text) // _TEXT_CUTS)
    for start in range(0, len(whole.text), step):
        for end in (start + 1, start + step, len(whole.text)):
            yield msgspec.structs.replace(whole, text=whole.text[:start] + whole.text[end:])


def _places(node: object, place: _Place = ()) -> Iterator[_Place]:
    yield place
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _places(value, (*place, key))


def _changed(payload: object, place: _Place, odd: object) -> object:
    """Return a payload with another node at a place; what is not on the way there is shared."""
    if not place:
        return None if odd is ... else odd
    key, *further = place
    holder: Any = copy.copy(payload)
    if odd is ... and not further:
        del holder[key]
    else:
        holder[key] = _changed(holder[key], tuple(further), odd)
    return holder

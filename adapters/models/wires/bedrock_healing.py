"""Converse bodies without what a model turned out not to take, wherever it stands in them."""

from collections.abc import Mapping, Sequence

from ...values.json import mapping, objects
from ..turns import EMPTY
from ..wire import Json
from .bedrock_blocks import text_block

_SAMPLING = frozenset({"temperature", "topP"})
_POINT, _REDACTED = "cachePoint", "redactedContent"
# What Bedrock says, in small letters, of the thing that it refuses.
_WORDS: tuple[tuple[str, str], ...] = (
    ("cachepoint", _POINT),
    ("prompt caching", _POINT),
    ("redacted", _REDACTED),
    ("encrypted", _REDACTED),
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("topp", "topP"),
)


def refused_part(detail: str) -> str | None:
    """Return the part of a request that a validation error speaks of, if one can do without it."""
    small = detail.lower()
    return next((part for word, part in _WORDS if word in small), None)


def leave_out(body: Json, names: Sequence[str]) -> Json:
    """Return the body without these parts; one that was not there changes nothing."""
    unwanted = frozenset(names)
    kept = dict(body)
    sampling = mapping(body.get("inferenceConfig"))
    taken = {name: sampling[name] for name in sampling if name not in unwanted & _SAMPLING}
    kept.pop("inferenceConfig", None)
    if taken:
        kept["inferenceConfig"] = taken
    if "system" in body:
        kept["system"] = _kept(body["system"], unwanted)
    config = mapping(body.get("toolConfig"))
    if config:
        kept["toolConfig"] = {**config, "tools": _kept(config.get("tools"), unwanted)}
    kept["messages"] = [
        {**turn, "content": _kept(turn.get("content"), unwanted) or [text_block(EMPTY)]}
        for turn in objects(body.get("messages"))
    ]
    return kept


def _kept(blocks: object, unwanted: frozenset[str]) -> list[Mapping[str, object]]:
    return [
        block
        for block in objects(blocks)
        if not unwanted & {*block, *mapping(block.get("reasoningContent"))} & {_POINT, _REDACTED}
    ]

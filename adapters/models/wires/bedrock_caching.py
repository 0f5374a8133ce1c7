"""Cache points in a Converse body: after the system, the tools and the user's newest turns."""

from collections.abc import Mapping

from ...values.json import mapping, objects
from ..wire import Json
from .bedrock_blocks import cache_point
from .bedrock_models import Facts

MOST_POINTS = 4
_TURNS = 2


def with_points(body: Mapping[str, object], facts: Facts) -> Json:
    """Return the body with a point wherever caching begins to pay."""
    marked = dict(body)
    if body.get("system"):
        marked["system"] = _ended(objects(body["system"]))
    config = mapping(body.get("toolConfig"))
    if config and facts.cached_tools:
        marked["toolConfig"] = {**config, "tools": _ended(objects(config["tools"]))}
    turns = objects(body.get("messages"))
    users = [at for at, turn in enumerate(turns) if turn.get("role") == "user"][-_TURNS:]
    marked["messages"] = [
        {**turn, "content": _ended(objects(turn["content"]))} if at in users else turn
        for at, turn in enumerate(turns)
    ]
    return marked


def limited(body: Mapping[str, object]) -> Json:
    """Return the body with its last four points; more are refused."""
    config = mapping(body.get("toolConfig"))
    turns = objects(body.get("messages"))
    lists = [body.get("system"), config.get("tools"), *(turn.get("content") for turn in turns)]
    total = sum("cachePoint" in block for given in lists for block in objects(given))
    excess = iter(range(total - MOST_POINTS))

    def kept(blocks: object) -> list[Mapping[str, object]]:
        return [
            block
            for block in objects(blocks)
            if "cachePoint" not in block or next(excess, None) is None
        ]

    trimmed = dict(body)
    if "system" in body:
        trimmed["system"] = kept(body["system"])
    if config:
        trimmed["toolConfig"] = {**config, "tools": kept(config.get("tools"))}
    trimmed["messages"] = [{**turn, "content": kept(turn.get("content"))} for turn in turns]
    return trimmed


def _ended(blocks: list[Mapping[str, object]]) -> list[Mapping[str, object]]:
    return blocks if "cachePoint" in blocks[-1] else [*blocks, cache_point()]

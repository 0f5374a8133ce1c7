"""Turns as the models on Bedrock take them: cache points, who ends, what may stand together.

https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (2026-11-15)
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from .....ports.models.chat import ChatRequest, Effort
from ....values.json_values import as_mapping, as_objects, text
from ...claude.facts import (
    Claude,
    Thinking,
    identify_claude,
    thinking_for_effort,
    thinking_with_budget,
)
from ...declaration.rules import clamp_effort
from ...declaration.wire import Json
from ...messages.pairing import Block
from ...messages.turns import EMPTY_TURN_TEXT, Spoken
from .converse_blocks import cache_point, text_block

# These refuse to be given tools at all.
_TOOLLESS = (
    "deepseek.r1", "deepseek-r1", "stability.", "embed", "titan-image", "nova-canvas", "nova-reel",
    "titan-text", "rerank",
)  # fmt: skip
_UNSAMPLED = ("xai.grok",)
_THREE: tuple[Effort, ...] = ("low", "medium", "high")


class BedrockFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a model takes. ``claude`` says which one it is, if it is one."""

    claude: Claude | None
    nova: bool
    tools: bool
    takes_sampling: bool

    @property
    def cached(self) -> bool:
        """Whether a prompt may have cache points."""
        return self.nova or self.claude is not None

    @property
    def cached_tools(self) -> bool:
        """Whether the list of tools may have them too."""
        return self.claude is not None

    @property
    def status(self) -> bool:
        """Whether the result of a tool may say that it failed."""
        return self.nova or self.claude is not None

    @property
    def has_structured_output(self) -> bool:
        """Whether it follows a JSON schema, and tools that are strict."""
        return self.claude is not None and self.claude.has_structured_output


def model_facts(model: str) -> BedrockFacts:
    """Return what is known of a model, by its id, its profile's id or its ARN."""
    name = model.lower()
    claude = identify_claude(name)
    return BedrockFacts(
        claude=claude,
        nova="nova" in name and "amazon" in name,
        tools=not any(part in name for part in _TOOLLESS),
        takes_sampling=not any(part in name for part in _UNSAMPLED)
        and (claude is None or claude.takes_sampling),
    )


def reasoning_fields(
    request: ChatRequest, effort: Effort | None, cap: int
) -> tuple[Thinking, dict[str, object]]:
    """Return how to ask for an effort: the plan if it is a Claude, and the model's own fields."""
    facts, budget = model_facts(request.model), request.thinking_budget
    if facts.claude is not None:
        plan = (
            thinking_for_effort(effort, facts.claude, cap)
            if budget is None
            else thinking_with_budget(budget)
        )
        return plan, {} if plan.thinking is None else {"thinking": plan.thinking}
    return Thinking(), _own_fields(request.model.lower(), effort)


def _own_fields(name: str, effort: Effort | None) -> dict[str, object]:
    level = clamp_effort(effort, _THREE)
    if "nova-2" in name and effort == "none":
        return {"reasoningConfig": {"type": "disabled"}}
    if "nova-2" in name and level is not None:
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": level}}
    if "gpt-oss" in name and level is not None:
        return {"reasoning_effort": level}
    return {}


# Turns as the models on Bedrock take them: cache points, who ends, what may stand together.

MAX_CACHE_POINTS = 4
_TURNS = 2


def add_cache_points(body: Mapping[str, object], facts: BedrockFacts) -> Json:
    """Return the body with a point wherever caching begins to pay."""
    marked = dict(body)
    if body.get("system"):
        marked["system"] = _ended(as_objects(body["system"]))
    config = as_mapping(body.get("toolConfig"))
    if config and facts.cached_tools:
        marked["toolConfig"] = {**config, "tools": _ended(as_objects(config["tools"]))}
    turns = as_objects(body.get("messages"))
    users = [at for at, turn in enumerate(turns) if turn.get("role") == "user"][-_TURNS:]
    marked["messages"] = [
        {**turn, "content": _ended(as_objects(turn["content"]))} if at in users else turn
        for at, turn in enumerate(turns)
    ]
    return marked


def limit_cache_points(body: Mapping[str, object]) -> Json:
    """Return the body with its last four points; more are refused."""
    config = as_mapping(body.get("toolConfig"))
    turns = as_objects(body.get("messages"))
    lists = [body.get("system"), config.get("tools"), *(turn.get("content") for turn in turns)]
    total = sum(
        "cachePoint" in block for blocks_of_one in lists for block in as_objects(blocks_of_one)
    )
    excess = iter(range(total - MAX_CACHE_POINTS))

    def kept(blocks: object) -> list[Mapping[str, object]]:
        return [
            block
            for block in as_objects(blocks)
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


_GO_ON, _NOTED, _DOCUMENT = "(continue)", "(noted)", "(see the document)"
_FOREIGN = re.compile(r"[^A-Za-z0-9\-()\[\]]+")
_MAX_DOCUMENT_NAME_CHARS = 190


def settle_turns(turns: Sequence[Spoken], facts: BedrockFacts) -> list[Spoken]:
    """Return the turns with all that the API, or this model, insists on."""
    named = _Names()
    spoken = [
        (role, _beside_documents([named.named(block) for block in blocks]))
        for role, blocks in turns
    ]
    apart = spoken if facts.claude is not None else list(_results_apart(spoken))
    return _bedrock_turns_ended(apart, facts)


def _bedrock_turns_ended(turns: list[Spoken], facts: BedrockFacts) -> list[Spoken]:
    role, blocks = turns[-1]
    if role == "user":
        return turns
    if facts.claude is None or not facts.claude.takes_prefill or "text" not in blocks[-1]:
        return [*turns, ("user", [text_block(_GO_ON)])]
    # Trailing space in the words to go on with is refused.
    words = text(blocks[-1].get("text")).rstrip() or EMPTY_TURN_TEXT
    return [*turns[:-1], (role, [*blocks[:-1], text_block(words)])]


def _results_apart(turns: Sequence[Spoken]) -> Iterator[Spoken]:
    """Put a word of the model between results and what the user says after them."""
    for role, blocks in turns:
        # In the model's own turn they are the work of its host's tools.
        results = [block for block in blocks if "toolResult" in block and role == "user"]
        rest = [block for block in blocks if "toolResult" not in block]
        if results and any("cachePoint" not in block for block in rest):
            yield role, results
            yield "assistant", [text_block(_NOTED)]
            yield role, rest
        else:
            yield role, blocks


def _beside_documents(blocks: list[Block]) -> list[Block]:
    """Say something beside a document: alone it is refused."""
    if any("document" in block for block in blocks) and not any(
        "text" in block for block in blocks
    ):
        return [*blocks, text_block(_DOCUMENT)]
    return blocks


class _Names:
    """Names of documents, in allowed letters and each used once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def named(self, block: Block) -> Block:
        result, document = as_mapping(block.get("toolResult")), as_mapping(block.get("document"))
        if result:
            inside = [self.named(dict(as_mapping(item))) for item in _items(result.get("content"))]
            return {"toolResult": {**result, "content": inside}}
        if not document:
            return block
        return {"document": {**document, "name": self._take(text(document.get("name")))}}

    def _take(self, title: str) -> str:
        base = _FOREIGN.sub(" ", title).strip()[:_MAX_DOCUMENT_NAME_CHARS].strip() or "document"
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base} ({number})", number + 1
        self._taken.add(name)
        return name


def _items(content: object) -> Sequence[object]:
    return content if isinstance(content, list) else ()

"""Turns for models on Bedrock: cache points, the last turn, and combinations of blocks.

https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (2026-11-15)
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text
from webseam.ports.models import ChatRequest, Effort

from ...claude.facts import Claude, Thinking, claude_thinking, identify_claude
from ...declaration.rules import clamp_effort
from ...declaration.wire import Json
from ...messages.pairing import Block, UniqueNames
from ...messages.turns import EMPTY_TURN_TEXT, Spoken, change_newest_user_turns
from .converse_blocks import bedrock_cache_point, bedrock_text

# Models that refuse tools.
_TOOLLESS_MODELS = (
    "deepseek.r1", "deepseek-r1", "stability.", "embed", "titan-image", "nova-canvas", "nova-reel",
    "titan-text", "rerank",
)  # fmt: skip
_UNSAMPLED_MODELS = ("xai.grok",)
MAX_CACHE_POINTS = 4
_CONTINUE_TEXT, _NOTED_TEXT, _SEE_DOCUMENT_TEXT = "(continue)", "(noted)", "(see the document)"
_DISALLOWED_NAME_PATTERN = re.compile(r"[^A-Za-z0-9\-()\[\]]+")
_MAX_DOCUMENT_NAME_CHARS = 190


class BedrockFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a model on Bedrock. ``claude`` is None for other models."""

    claude: Claude | None
    is_nova: bool
    takes_tools: bool
    takes_sampling: bool

    @property
    def takes_cache_points(self) -> bool:
        """Whether a prompt may have cache points."""
        return self.is_nova or self.claude is not None

    @property
    def takes_tool_cache_points(self) -> bool:
        """Whether the list of tools may have cache points too."""
        return self.claude is not None

    @property
    def takes_status(self) -> bool:
        """Whether a tool result may have a ``status``."""
        return self.is_nova or self.claude is not None

    @property
    def has_structured_output(self) -> bool:
        """Whether it supports a JSON schema and strict tools."""
        return self.claude is not None and self.claude.has_structured_output


def bedrock_facts(model: str) -> BedrockFacts:
    """Return the facts about a model, from its id, its profile's id or its ARN."""
    name = model.lower()
    claude = identify_claude(name)
    return BedrockFacts(
        claude=claude,
        is_nova="nova" in name and "amazon" in name,
        takes_tools=not any(part in name for part in _TOOLLESS_MODELS),
        takes_sampling=not any(part in name for part in _UNSAMPLED_MODELS)
        and (claude is None or claude.takes_sampling),
    )


def bedrock_reasoning(
    request: ChatRequest, effort: Effort | None, cap: int
) -> tuple[Thinking, dict[str, object]]:
    """Return the thinking of a Claude, and the model's own fields for an effort."""
    facts, budget = bedrock_facts(request.model), request.thinking_budget
    if facts.claude is not None:
        thinking = claude_thinking(effort, budget, facts.claude, cap)
        return thinking, {} if thinking.thinking is None else {"thinking": thinking.thinking}
    return Thinking(), _effort_fields(request.model.lower(), effort)


def _effort_fields(name: str, effort: Effort | None) -> dict[str, object]:
    level = clamp_effort(effort, ("low", "medium", "high"))
    if "nova-2" in name and effort == "none":
        return {"reasoningConfig": {"type": "disabled"}}
    if "nova-2" in name and level is not None:
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": level}}
    if "gpt-oss" in name and level is not None:
        return {"reasoning_effort": level}
    return {}


def add_bedrock_cache_points(body: Mapping[str, object], facts: BedrockFacts) -> Json:
    """Return the body with cache points after system, tools and the newest user turns."""
    marked_body = dict(body)
    if body.get("system"):
        marked_body["system"] = _add_cache_point(body["system"])
    config = as_mapping(body.get("toolConfig"))
    if config and facts.takes_tool_cache_points:
        marked_body["toolConfig"] = {**config, "tools": _add_cache_point(config["tools"])}
    turns = as_objects(body.get("messages"))
    return {**marked_body, "messages": change_newest_user_turns(turns, _add_cache_point)}


def limit_bedrock_cache_points(body: Mapping[str, object]) -> Json:
    """Return the body with its last four cache points; the API refuses more."""
    config = as_mapping(body.get("toolConfig"))
    turns = as_objects(body.get("messages"))
    lists = [body.get("system"), config.get("tools"), *(turn.get("content") for turn in turns)]
    total = sum("cachePoint" in block for block_list in lists for block in as_objects(block_list))
    excess = iter(range(total - MAX_CACHE_POINTS))

    def trim_points(blocks: object) -> list[Mapping[str, object]]:
        return [
            block
            for block in as_objects(blocks)
            if "cachePoint" not in block or next(excess, None) is None
        ]

    trimmed = dict(body)
    if "system" in body:
        trimmed["system"] = trim_points(body["system"])
    if config:
        trimmed["toolConfig"] = {**config, "tools": trim_points(config.get("tools"))}
    trimmed["messages"] = [{**turn, "content": trim_points(turn.get("content"))} for turn in turns]
    return trimmed


def _add_cache_point(content: object) -> list[Mapping[str, object]]:
    blocks = as_objects(content)
    return blocks if "cachePoint" in blocks[-1] else [*blocks, bedrock_cache_point()]


def settle_bedrock_turns(turns: Sequence[Spoken], facts: BedrockFacts) -> list[Spoken]:
    """Return the turns with everything that the API or this model requires."""
    document_names = _DocumentNames()
    named_turns = [
        (
            role,
            _add_document_text([document_names.name_documents(block) for block in blocks]),
        )
        for role, blocks in turns
    ]
    separated = named_turns if facts.claude is not None else list(_separate_results(named_turns))
    return _end_turns(separated, facts)


def _end_turns(turns: list[Spoken], facts: BedrockFacts) -> list[Spoken]:
    role, blocks = turns[-1]
    if role == "user":
        return turns
    if facts.claude is None or not facts.claude.takes_prefill or "text" not in blocks[-1]:
        return [*turns, ("user", [bedrock_text(_CONTINUE_TEXT)])]
    # The API refuses trailing space in a prefilled answer.
    prefill = text(blocks[-1].get("text")).rstrip() or EMPTY_TURN_TEXT
    return [*turns[:-1], (role, [*blocks[:-1], bedrock_text(prefill)])]


def _separate_results(turns: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield the turns with a text of the model between tool results and the user's text."""
    for role, blocks in turns:
        # Results in the model's own turn are of server tools.
        results = [block for block in blocks if "toolResult" in block and role == "user"]
        other_blocks = [block for block in blocks if "toolResult" not in block]
        if results and any("cachePoint" not in block for block in other_blocks):
            yield role, results
            yield "assistant", [bedrock_text(_NOTED_TEXT)]
            yield role, other_blocks
        else:
            yield role, blocks


def _add_document_text(blocks: list[Block]) -> list[Block]:
    """Return the blocks with a text beside a document: the API refuses a document alone."""
    kinds = {kind for block in blocks for kind in block}
    needs_text = "document" in kinds and "text" not in kinds
    return [*blocks, bedrock_text(_SEE_DOCUMENT_TEXT)] if needs_text else blocks


class _DocumentNames:
    """Unique names of documents in allowed characters."""

    def __init__(self) -> None:
        self._names = UniqueNames()

    def name_documents(self, block: Block) -> Block:
        result, document = as_mapping(block.get("toolResult")), as_mapping(block.get("document"))
        if result:
            items = (dict(as_mapping(item)) for item in as_list(result.get("content")))
            content = [self.name_documents(item) for item in items]
            return {"toolResult": {**result, "content": content}}
        if not document:
            return block
        return {"document": {**document, "name": self._reserve_name(text(document.get("name")))}}

    def _reserve_name(self, title: str) -> str:
        clean = _DISALLOWED_NAME_PATTERN.sub(" ", title).strip()
        base_name = clean[:_MAX_DOCUMENT_NAME_CHARS].strip() or "document"
        return self._names.reserve_name(base_name, lambda number: f"{base_name} ({number})")

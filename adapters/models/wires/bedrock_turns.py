"""Turns as the models on Bedrock take them: who ends, what may stand together, what is named."""

import re
from collections.abc import Iterator, Sequence

from ...values.json import mapping, text
from ..pairing import Block
from ..turns import EMPTY, Spoken
from .bedrock_blocks import text_block
from .bedrock_models import Facts

_GO_ON, _NOTED, _DOCUMENT = "(continue)", "(noted)", "(see the document)"
_FOREIGN = re.compile(r"[^A-Za-z0-9\-()\[\]]+")
_MOST_NAME = 190


def settled(turns: Sequence[Spoken], facts: Facts) -> list[Spoken]:
    """Return the turns with all that the API, or this model, insists on."""
    named = _Names()
    spoken = [
        (role, _beside_documents([named.named(block) for block in blocks]))
        for role, blocks in turns
    ]
    apart = spoken if facts.claude is not None else list(_results_apart(spoken))
    return _ended(apart, facts)


def _ended(turns: list[Spoken], facts: Facts) -> list[Spoken]:
    role, blocks = turns[-1]
    if role == "user":
        return turns
    if facts.claude is None or not facts.claude.prefilled or "text" not in blocks[-1]:
        return [*turns, ("user", [text_block(_GO_ON)])]
    # Trailing space in the words to go on with is refused.
    said = text(blocks[-1].get("text")).rstrip() or EMPTY
    return [*turns[:-1], (role, [*blocks[:-1], text_block(said)])]


def _results_apart(turns: Sequence[Spoken]) -> Iterator[Spoken]:
    """Put a word of the model between results and what the user says after them."""
    for role, blocks in turns:
        results = [block for block in blocks if "toolResult" in block]
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
        result, document = mapping(block.get("toolResult")), mapping(block.get("document"))
        if result:
            inside = [self.named(dict(mapping(item))) for item in _items(result.get("content"))]
            return {"toolResult": {**result, "content": inside}}
        if not document:
            return block
        return {"document": {**document, "name": self._take(text(document.get("name")))}}

    def _take(self, given: str) -> str:
        base = _FOREIGN.sub(" ", given).strip()[:_MOST_NAME].strip() or "document"
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base} ({number})", number + 1
        self._taken.add(name)
        return name


def _items(given: object) -> Sequence[object]:
    return given if isinstance(given, list) else ()

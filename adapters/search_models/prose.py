"""The words of an answer, in whatever API's shape it came."""

import re
from collections.abc import Iterator, Mapping

from ..models.thinking import split_thinking
from ..values.json import listed, mapping, objects, text
from .candidates import Candidate

_ADDRESS = r"https?://[^\s<>()\[\]\"'`]+(?:\([^\s<>()]*\)[^\s<>()\[\]\"'`]*)*"
_LINK = re.compile(
    rf"\[{{1,2}}([^\[\]]{{0,300}})\]{{1,2}}\(({_ADDRESS})[^()]{{0,300}}\)|({_ADDRESS})"
)
_TRAILING = ".,;:!?*_"


def prose_of(payload: object) -> str:
    """Return what the model said, without its thoughts; empty when it said nothing."""
    body = mapping(payload)
    said = "".join(_pieces(body)) or text(body.get("output_text"))
    return split_thinking(said)[0].strip()


def links_in(said: str) -> Iterator[Candidate]:
    """Yield the pages that a text points to: markdown links, and addresses as such."""
    for found in _LINK.finditer(said):
        title, linked, bare = found.groups(default="")
        url = linked or bare.rstrip(_TRAILING)
        yield Candidate(tier="links", url=url, title=title)


def _pieces(body: Mapping[str, object]) -> Iterator[str]:
    for choice in objects(body.get("choices"))[:1]:
        yield _words(mapping(choice.get("message")).get("content"))
    for item in (*objects(body.get("output")), *objects(body.get("outputs"))):
        if text(item.get("type", "message")).startswith("message"):
            yield _words(item.get("content"))
    yield _words(body.get("content"))
    for found in objects(body.get("candidates"))[:1]:
        yield _words(mapping(found.get("content")).get("parts"))
    # Bedrock: the one where ``output`` is no list.
    yield _words(mapping(mapping(body.get("output")).get("message")).get("content"))


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(_part(mapping(part)) for part in listed(content))


def _part(part: Mapping[str, object]) -> str:
    if part.get("thought") is True or part.get("type") == "thinking":
        return ""
    cited = mapping(part.get("citationsContent")).get("content")
    return text(part.get("text")) or "".join(text(each.get("text")) for each in objects(cited))

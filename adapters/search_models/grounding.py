"""Gemini's grounding: the pages it found, and which of its sentences rest on which of them."""

from collections.abc import Iterator, Mapping

from ..values.fields import first
from ..values.json import listed, mapping, objects, text
from .candidates import Candidate

_PAGES = ("web", "retrievedContext", "retrieved_context", "maps", "image")
_ADDRESSES = ("uri", "url", "sourceUri")
_VISITED = "URL_RETRIEVAL_STATUS_SUCCESS"


def grounding_in(metadata: Mapping[str, object]) -> Iterator[Candidate]:
    """Read the chunks; a page's snippet is what was said on its ground."""
    said = _said(metadata)
    for number, chunk in enumerate(
        listed(_either(metadata, "groundingChunks", "grounding_chunks"))
    ):
        page = next(
            (mapping(mapping(chunk)[name]) for name in _PAGES if name in mapping(chunk)), {}
        )
        yield Candidate(
            tier="results",
            url=first(*(page.get(name) for name in _ADDRESSES)).strip(),
            title=text(page.get("title")) or text(page.get("domain")),
            snippet=text(page.get("text")),
            claim=" ".join(said.get(number, ())),
        )


def visited_in(metadata: Mapping[str, object]) -> Iterator[Candidate]:
    """Read the pages that were opened because the question named them."""
    for page in objects(metadata.get("urlMetadata")):
        if page.get("urlRetrievalStatus") == _VISITED:
            yield Candidate(tier="sources", url=text(page.get("retrievedUrl")).strip())


def _said(metadata: Mapping[str, object]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for support in objects(_either(metadata, "groundingSupports", "grounding_supports")):
        words = text(mapping(support.get("segment")).get("text")).strip()
        numbers = _either(support, "groundingChunkIndices", "grounding_chunk_indices")
        for number in listed(numbers):
            if words and type(number) is int and words not in found.setdefault(number, []):
                found[number].append(words)
    return found


def _either(given: Mapping[str, object], name: str, other: str) -> object:
    return given[name] if name in given else given.get(other)

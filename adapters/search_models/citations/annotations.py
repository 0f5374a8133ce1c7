"""Annotations and Gemini's grounding: places in an answer, and the pages that these rest on."""

import re
from collections.abc import Iterator, Mapping

from ...values.json_fields import first
from ...values.json_values import as_list, as_mapping, as_objects, text
from .candidates import CitationCandidate, read_candidate

_MAX_SENTENCE_CHARS = 300
_MAX_CITED_CHARS = 1000
# What stands for a source in the text: [1], [[1]](url), ([site](url)), (site), 【1†source】.
_MARK = r"(?:\(?\[{1,2}[^\[\]]{0,200}\]{1,2}(?:\([^()\s]{0,2000}\))?\)?|【[^【】]{0,200}】)"
_MARKS_AT_END = re.compile(rf"(?:\s*{_MARK})+\s*$")
# Within a sentence a link's words belong to it, but a number stands for a source.
_NUMBERS = re.compile(r"\s?(?:\[\[?\d{1,3}\]\]?(?:\([^()\s]{0,2000}\))?|【[^【】]{0,200}】)")
_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
# Here ``text`` is the mark in the answer, not a word of the page.
_SNIPPETS = ("content", "snippet", "cited_text", "description")
_OPENINGS = ("(", "[", "【", "http")
# Places are off by one or two now and then, and cut into what stands around a mark.
_CUT_OPEN = " ([【"
_CUT_OFF = " .,;:!?"
_SITE = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:/\S*)?")


def read_annotations(node: Mapping[str, object]) -> Iterator[CitationCandidate]:
    """Read the annotations of one piece of text, flat or nested."""
    prose = _text_of(node) if node.get("annotations") else ""
    for entry in as_list(node.get("annotations")):
        annotation = as_mapping(entry)
        # Azure has the place beside the page, others have it in there.
        place = {**annotation, **as_mapping(annotation.get("url_citation"))}
        source = read_candidate(
            entry, "annotations", claim=annotated_text(prose, place), snippets=_SNIPPETS
        )
        if source is not None:
            yield source


def annotated_text(prose: str, annotation: Mapping[str, object]) -> str:
    """Return what of ``said`` a source is for: the place itself, or the sentence before a mark.

    >>> annotated_text("Calm. High tide is 04:12 [1].", {"start_index": 25, "end_index": 28})
    'High tide is 04:12'
    >>> annotated_text("High tide is 04:12.", {"start_index": 0, "end_index": 19})
    'High tide is 04:12.'
    """
    start, end = annotation.get("start_index"), annotation.get("end_index")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        return ""
    span = prose[start : min(end, start + _MAX_CITED_CHARS)].strip()
    if _has_words(span):
        return _NUMBERS.sub("", span).strip()
    before = prose[max(0, start - _MAX_SENTENCE_CHARS) : start]
    if start > _MAX_SENTENCE_CHARS:
        before = before.partition(" ")[2]
    before = _MARKS_AT_END.sub("", before.rstrip(_CUT_OPEN)).rstrip(_CUT_OPEN)
    return _NUMBERS.sub("", _BREAK.split(before.strip())[-1]).strip()


def _has_words(span: str) -> bool:
    """Tell a place that is a part of the text from one that is a mark in it."""
    bare = span.lstrip(_CUT_OFF)
    is_mark = bare.startswith(_OPENINGS) or _SITE.fullmatch(bare) is not None
    return not is_mark and any(map(str.isalpha, bare))


def _text_of(node: Mapping[str, object]) -> str:
    for name in ("text", "content"):
        if isinstance(node.get(name), str):
            return text(node[name])
    return "".join(text(part.get("text")) for part in as_objects(node.get("content")))


_PAGES = ("web", "retrievedContext", "retrieved_context", "maps", "image")
_ADDRESSES = ("uri", "url", "sourceUri")
_VISITED = "URL_RETRIEVAL_STATUS_SUCCESS"


def read_grounding(metadata: Mapping[str, object]) -> Iterator[CitationCandidate]:
    """Read the chunks; a page's snippet is what was said on its ground."""
    claims = _said(metadata)
    for number, chunk in enumerate(
        as_list(_either(metadata, "groundingChunks", "grounding_chunks"))
    ):
        page = next(
            (as_mapping(as_mapping(chunk)[name]) for name in _PAGES if name in as_mapping(chunk)),
            {},
        )
        yield CitationCandidate(
            tier="results",
            url=first(*(page.get(name) for name in _ADDRESSES)).strip(),
            title=text(page.get("title")) or text(page.get("domain")),
            snippet=text(page.get("text")),
            claim=" ".join(claims.get(number, ())),
        )


def read_visited(metadata: Mapping[str, object]) -> Iterator[CitationCandidate]:
    """Read the pages that were opened because the question named them."""
    for page in as_objects(metadata.get("urlMetadata")):
        if page.get("urlRetrievalStatus") == _VISITED:
            yield CitationCandidate(tier="sources", url=text(page.get("retrievedUrl")).strip())


def _said(metadata: Mapping[str, object]) -> dict[int, list[str]]:
    claims: dict[int, list[str]] = {}
    for support in as_objects(_either(metadata, "groundingSupports", "grounding_supports")):
        words = text(as_mapping(support.get("segment")).get("text")).strip()
        numbers = _either(support, "groundingChunkIndices", "grounding_chunk_indices")
        for number in as_list(numbers):
            if words and type(number) is int and words not in claims.setdefault(number, []):
                claims[number].append(words)
    return claims


def _either(node: Mapping[str, object], name: str, other: str) -> object:
    return node[name] if name in node else node.get(other)

"""Where citations stand, in the answers of every API that was seen to give any.

Each is known by the name of its field or by the ``type`` of its object, wherever it stands:
gateways move them about.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from ....values.field_values import first
from ....values.json_values import as_list, as_mapping, as_objects, text
from .candidates import CitationCandidate, list_entries, read_candidate, read_candidates

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


# Where citations stand, in the answers of every API that was seen to give any.

# No answer is this deep or this large; who sends one is not followed to its end.
_MAX_OBJECT_DEPTH = 64
_MAX_OBJECTS = 200_000


def walk_objects(document: object) -> Iterator[Mapping[str, object]]:
    """Yield every object in a document, each before those inside it."""
    waiting: list[tuple[int, object]] = [(0, document)]
    for _ in range(_MAX_OBJECTS):
        if not waiting:
            return
        depth, value = waiting.pop()
        inside: list[object] = []
        if isinstance(value, Mapping):
            yield as_mapping(value)
            inside = list(value.values())
        elif isinstance(value, list | tuple):
            inside = list(value)
        if depth < _MAX_OBJECT_DEPTH:
            waiting += ((depth + 1, each) for each in reversed(inside) if _holds(each))


def _holds(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


Node = Mapping[str, object]
# Fields that hold what was found: Sonar and Qwen, LiteLLM for Anthropic, GLM.
_RESULTS = ("search_results", "web_search_results", "web_search")
_GEMINI = {
    "groundingMetadata": read_grounding,
    "grounding_metadata": read_grounding,
    "vertex_ai_grounding_metadata": read_grounding,
    "urlContextMetadata": read_visited,
    "vertex_ai_url_context_metadata": read_visited,
}


def find_mentions(payload: object) -> Iterator[CitationCandidate]:
    """Yield every mention of a page in an answer, in the order of the document."""
    for node in walk_objects(payload):
        yield from _by_field(node)
        reader = _BY_TYPE.get(text(node.get("type")))
        if reader is not None:
            yield from reader(node)


def search_error_codes(payload: object) -> list[str]:
    """Return the codes of the searches that failed inside an answer (Anthropic's server tools).

    Others that speak its language were seen to put the error into a list.
    """
    nodes = walk_objects(payload)
    errors = (node for node in nodes if text(node.get("type")).endswith("_tool_result_error"))
    return [code for code in (text(error.get("error_code")) for error in errors) if code]


def _by_field(node: Node) -> Iterator[CitationCandidate]:
    for name in _RESULTS:
        yield from read_candidates(_entries(node.get(name)), "results")
    for name, reader in _GEMINI.items():
        value = node.get(name)
        for metadata in as_objects(value) or [as_mapping(value)]:
            yield from reader(metadata)
    yield from read_annotations(node)
    yield from _citations(node)
    yield from read_candidates(_entries(node.get("sources")), "sources")


def _citations(node: Node) -> Iterator[CitationCandidate]:
    for entry in list_entries(node.get("citations")):
        place = as_mapping(as_mapping(entry).get("location"))
        if not place:
            yield from read_candidates([entry], "citations")
            continue
        # Bedrock: with the page's own words, so it is as good as a result.
        web = as_mapping(place.get("web"))
        source = read_candidate({**as_mapping(entry), **web}, "results") if web else None
        if source is not None:
            yield source


def _entries(value: object) -> list[object]:
    """Return a list as it is; blocks with a list of their own inside are read by their type.

    Groq has the list in an object.
    """
    entries = list_entries(as_mapping(value).get("results", value))
    return [entry for entry in entries if "content" not in as_mapping(entry) or _flat(entry)]


def _flat(entry: object) -> bool:
    return isinstance(as_mapping(entry).get("content"), str)


def _found_in(field: str) -> Callable[[Node], Iterator[CitationCandidate]]:
    def read(node: Node) -> Iterator[CitationCandidate]:
        yield from read_candidates(as_list(node.get(field)), "results")

    return read


def _fetched(node: Node) -> Iterator[CitationCandidate]:
    page = as_mapping(node.get("content"))
    if text(page.get("url")):
        document = as_mapping(page.get("content"))
        source = as_mapping(document.get("source"))
        # A PDF comes as it is, in letters that say nothing.
        words = None if source.get("type") == "base64" else source.get("data")
        entry = {"url": page["url"], "title": document.get("title"), "snippet": words}
        yield from read_candidates([entry], "results")


def _called(node: Node) -> Iterator[CitationCandidate]:
    yield from read_candidates(as_list(node.get("results")), "results")
    visited = text(as_mapping(node.get("action")).get("url"))
    yield from read_candidates([visited] if visited else [], "sources")


def _reference(node: Node) -> Iterator[CitationCandidate]:
    yield from read_candidates([{**node, "type": "", "content": None}], "results")


_BY_TYPE: dict[str, Callable[[Node], Iterator[CitationCandidate]]] = {
    "search_results": _found_in("results"),
    "people_search_results": _found_in("results"),
    "fetch_url_results": _found_in("contents"),
    "web_search_tool_result": _found_in("content"),
    "web_fetch_tool_result": _fetched,
    "web_search_call": _called,
    "tool_reference": _reference,
}

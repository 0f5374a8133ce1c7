"""The shapes of citations in the answers of all known APIs.

A citation is recognised by the name of its field or by the ``type`` of its object at any depth,
because gateways move them.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from webseam.adapters.values.field_values import first
from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text

from .citation_candidates import CitationCandidate, citation_entries, read_citation, read_citations

_MAX_SENTENCE_CHARS = 300
_MAX_CITED_CHARS = 1000
# Citation marks in a text: [1], [[1]](url), ([site](url)), (site), 【1†source】.
_CITATION_MARK = (
    r"(?:\(?\[{1,2}[^\[\]]{0,200}\]{1,2}(?:\([^()\s]{0,2000}\))?\)?|【[^【】]{0,200}】)"
)
_TRAILING_MARKS_PATTERN = re.compile(rf"(?<!\s)(?:\s*+{_CITATION_MARK}){{1,20}}\s*+$")
# Numbered marks, which are removed inside a sentence; the text of a link stays.
_NUMBER_PATTERN = re.compile(r"\s?(?:\[\[?\d{1,3}\]\]?(?:\([^()\s]{0,2000}\))?|【[^【】]{0,200}】)")
_SENTENCE_BREAK_PATTERN = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
# ``text`` is left out: in annotations it is the mark in the answer.
_ANNOTATION_SNIPPET_FIELDS = ("content", "snippet", "cited_text", "description")
_MARK_STARTS = ("(", "[", "【", "http")
# Offsets are sometimes off by one or two, and include characters around a mark.
_MARK_OPENERS = " ([【"
_PUNCTUATION_CHARS = " .,;:!?"
_SITE_PATTERN = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:/\S*)?")
_GROUNDING_PAGE_FIELDS = ("web", "retrievedContext", "retrieved_context", "maps", "image")
_GROUNDING_URL_FIELDS = ("uri", "url", "sourceUri")
# No real answer is this deep or this large; the rest is not read.
_MAX_OBJECT_DEPTH = 64
_MAX_OBJECTS = 200_000
# Fields with search results: Sonar and Qwen, LiteLLM for Anthropic, GLM.
_RESULT_FIELDS = ("search_results", "web_search_results", "web_search")


def annotated_claim_text(prose: str, annotation: Mapping[str, object]) -> str:
    """Return the part of ``prose`` that a source supports: a span, or the text before a mark."""
    start, end = annotation.get("start_index"), annotation.get("end_index")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        return ""
    span = prose[start : min(end, start + _MAX_CITED_CHARS)].strip()
    if _is_cited_text(span):
        return _NUMBER_PATTERN.sub("", span).strip()
    before = prose[max(0, start - _MAX_SENTENCE_CHARS) : start]
    if start > _MAX_SENTENCE_CHARS:
        before = before.partition(" ")[2]
    before = _TRAILING_MARKS_PATTERN.sub("", before.rstrip(_MARK_OPENERS)).rstrip(_MARK_OPENERS)
    return _NUMBER_PATTERN.sub("", _SENTENCE_BREAK_PATTERN.split(before.strip())[-1]).strip()


def _is_cited_text(span: str) -> bool:
    stripped = span.lstrip(_PUNCTUATION_CHARS)
    is_mark = stripped.startswith(_MARK_STARTS) or _SITE_PATTERN.fullmatch(stripped) is not None
    return not is_mark and any(map(str.isalpha, stripped))


def _annotated_prose(node: Mapping[str, object]) -> str:
    for name in ("text", "content"):
        if isinstance(node.get(name), str):
            return text(node[name])
    return "".join(text(part.get("text")) for part in as_objects(node.get("content")))


def read_gemini_grounding(metadata: Mapping[str, object]) -> Iterator[CitationCandidate]:
    """Yield the pages of Gemini's grounding chunks, with the claims that they support."""
    claims = _gemini_claims(metadata)
    chunks = as_list(_gemini_field(metadata, "groundingChunks", "grounding_chunks"))
    for number, chunk in enumerate(map(as_mapping, chunks)):
        field = next((name for name in _GROUNDING_PAGE_FIELDS if name in chunk), "")
        page = as_mapping(chunk.get(field))
        yield CitationCandidate(
            tier="results",
            url=first(*(page.get(name) for name in _GROUNDING_URL_FIELDS)).strip(),
            title=text(page.get("title")) or text(page.get("domain")),
            snippet=text(page.get("text")),
            claim=" ".join(claims.get(number, ())),
        )


def read_gemini_url_context(metadata: Mapping[str, object]) -> Iterator[CitationCandidate]:
    """Yield the pages that Gemini opened because the question named them."""
    for page in as_objects(metadata.get("urlMetadata")):
        if page.get("urlRetrievalStatus") == "URL_RETRIEVAL_STATUS_SUCCESS":
            yield CitationCandidate(tier="sources", url=text(page.get("retrievedUrl")).strip())


def _gemini_claims(metadata: Mapping[str, object]) -> dict[int, list[str]]:
    claims: dict[int, list[str]] = {}
    for support in as_objects(_gemini_field(metadata, "groundingSupports", "grounding_supports")):
        claim = text(as_mapping(support.get("segment")).get("text")).strip()
        chunks = _gemini_field(support, "groundingChunkIndices", "grounding_chunk_indices")
        for number in as_list(chunks):
            if claim and type(number) is int and claim not in claims.setdefault(number, []):
                claims[number].append(claim)
    return claims


def _gemini_field(node: Mapping[str, object], name: str, alternative: str) -> object:
    return node[name] if name in node else node.get(alternative)


def walk_model_answer(document: object) -> Iterator[Mapping[str, object]]:
    """Yield every object in a document, parents first."""
    pending: list[tuple[int, object]] = [(0, document)]
    for _ in range(_MAX_OBJECTS):
        if not pending:
            return
        depth, value = pending.pop()
        children: list[object] = []
        if isinstance(value, Mapping):
            yield as_mapping(value)
            children = list(value.values())
        elif isinstance(value, list | tuple):
            children = list(value)
        if depth < _MAX_OBJECT_DEPTH:
            containers = [item for item in children if isinstance(item, Mapping | list | tuple)]
            pending += ((depth + 1, item) for item in reversed(containers))


Node = Mapping[str, object]
_GEMINI_READERS = {
    "groundingMetadata": read_gemini_grounding, "grounding_metadata": read_gemini_grounding,
    "vertex_ai_grounding_metadata": read_gemini_grounding,
    "urlContextMetadata": read_gemini_url_context,
    "vertex_ai_url_context_metadata": read_gemini_url_context,
}  # fmt: skip


def find_citation_mentions(payload: object) -> Iterator[CitationCandidate]:
    """Yield every mention of a page in an answer, in document order."""
    for node in walk_model_answer(payload):
        yield from _field_mentions(node)
        reader = _MENTION_READERS.get(text(node.get("type")))
        if reader is not None:
            yield from reader(node)


def search_model_error_codes(payload: object) -> list[str]:
    """Return the codes of failed searches inside an answer (Anthropic's server tools).

    Other servers with Anthropic's API put the error into a list.
    """
    nodes = walk_model_answer(payload)
    errors = (node for node in nodes if text(node.get("type")).endswith("_tool_result_error"))
    return [code for code in (text(error.get("error_code")) for error in errors) if code]


def _field_mentions(node: Node) -> Iterator[CitationCandidate]:
    for name in _RESULT_FIELDS:
        yield from read_citations(_flat_entries(node.get(name)), "results")
    for name, reader in _GEMINI_READERS.items():
        value = node.get(name)
        for metadata in as_objects(value) or [as_mapping(value)]:
            yield from reader(metadata)
    # The annotations of one text are flat or nested.
    prose = _annotated_prose(node) if node.get("annotations") else ""
    for entry in as_list(node.get("annotations")):
        annotation = as_mapping(entry)
        # Azure puts the offsets beside ``url_citation``, others put them inside.
        offsets = {**annotation, **as_mapping(annotation.get("url_citation"))}
        claim, fields = annotated_claim_text(prose, offsets), _ANNOTATION_SNIPPET_FIELDS
        source = read_citation(entry, "annotations", claim=claim, snippets=fields)
        if source is not None:
            yield source
    yield from _citation_mentions(node)
    yield from read_citations(_flat_entries(node.get("sources")), "sources")


def _citation_mentions(node: Node) -> Iterator[CitationCandidate]:
    for entry in citation_entries(node.get("citations")):
        location = as_mapping(as_mapping(entry).get("location"))
        if not location:
            yield from read_citations([entry], "citations")
            continue
        # Bedrock includes text of the page, so it counts as a result.
        web = as_mapping(location.get("web"))
        source = read_citation({**as_mapping(entry), **web}, "results") if web else None
        if source is not None:
            yield source


def _flat_entries(value: object) -> list[object]:
    """Return the entries, also of Groq's object, without blocks that are read by their type."""
    entries = citation_entries(as_mapping(value).get("results", value))
    return [entry for entry in entries if isinstance(as_mapping(entry).get("content", ""), str)]


def _make_results_reader(field: str) -> Callable[[Node], Iterator[CitationCandidate]]:
    def read_results(node: Node) -> Iterator[CitationCandidate]:
        yield from read_citations(as_list(node.get(field)), "results")

    return read_results


def _fetched_page_citations(node: Node) -> Iterator[CitationCandidate]:
    page = as_mapping(node.get("content"))
    if text(page.get("url")):
        document = as_mapping(page.get("content"))
        source = as_mapping(document.get("source"))
        # A PDF is base64, which is no snippet.
        snippet = None if source.get("type") == "base64" else source.get("data")
        entry = {"url": page["url"], "title": document.get("title"), "snippet": snippet}
        yield from read_citations([entry], "results")


def _search_call_citations(node: Node) -> Iterator[CitationCandidate]:
    yield from read_citations(as_list(node.get("results")), "results")
    visited = text(as_mapping(node.get("action")).get("url"))
    yield from read_citations([visited] if visited else [], "sources")


def _tool_reference_citations(node: Node) -> Iterator[CitationCandidate]:
    yield from read_citations([{**node, "type": "", "content": None}], "results")


_MENTION_READERS: dict[str, Callable[[Node], Iterator[CitationCandidate]]] = {
    "search_results": _make_results_reader("results"),
    "people_search_results": _make_results_reader("results"),
    "fetch_url_results": _make_results_reader("contents"),
    "web_search_tool_result": _make_results_reader("content"),
    "web_fetch_tool_result": _fetched_page_citations,
    "web_search_call": _search_call_citations,
    "tool_reference": _tool_reference_citations,
}

"""Where citations stand, in the answers of every API that was seen to give any.

Each is known by the name of its field or by the ``type`` of its object, wherever it stands:
gateways move them about.
"""

from collections.abc import Callable, Iterator, Mapping

from ...values.json import listed, mapping, objects, text
from .annotations import annotations_in, grounding_in, visited_in
from .candidates import CitationCandidate, candidate, candidates, entries_of

# No answer is this deep or this large; who sends one is not followed to its end.
_DEEPEST = 64
_MOST = 200_000


def objects_in(document: object) -> Iterator[Mapping[str, object]]:
    """Yield every object in a document, each before those inside it."""
    waiting: list[tuple[int, object]] = [(0, document)]
    for _ in range(_MOST):
        if not waiting:
            return
        depth, value = waiting.pop()
        inside: list[object] = []
        if isinstance(value, Mapping):
            yield mapping(value)
            inside = list(value.values())
        elif isinstance(value, list | tuple):
            inside = list(value)
        if depth < _DEEPEST:
            waiting += ((depth + 1, each) for each in reversed(inside) if _holds(each))


def _holds(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


Node = Mapping[str, object]
# Fields that hold what was found: Sonar and Qwen, LiteLLM for Anthropic, GLM.
_RESULTS = ("search_results", "web_search_results", "web_search")
_GEMINI = {
    "groundingMetadata": grounding_in,
    "grounding_metadata": grounding_in,
    "vertex_ai_grounding_metadata": grounding_in,
    "urlContextMetadata": visited_in,
    "vertex_ai_url_context_metadata": visited_in,
}


def mentions(payload: object) -> Iterator[CitationCandidate]:
    """Yield every mention of a page in an answer, in the order of the document."""
    for node in objects_in(payload):
        yield from _by_field(node)
        reader = _BY_TYPE.get(text(node.get("type")))
        if reader is not None:
            yield from reader(node)


def troubles(payload: object) -> list[str]:
    """Return the codes of the searches that failed inside an answer (Anthropic's server tools).

    Others that speak its language were seen to put the error into a list.
    """
    nodes = objects_in(payload)
    errors = (node for node in nodes if text(node.get("type")).endswith("_tool_result_error"))
    return [code for code in (text(error.get("error_code")) for error in errors) if code]


def _by_field(node: Node) -> Iterator[CitationCandidate]:
    for name in _RESULTS:
        yield from candidates(_entries(node.get(name)), "results")
    for name, reader in _GEMINI.items():
        value = node.get(name)
        for metadata in objects(value) or [mapping(value)]:
            yield from reader(metadata)
    yield from annotations_in(node)
    yield from _citations(node)
    yield from candidates(_entries(node.get("sources")), "sources")


def _citations(node: Node) -> Iterator[CitationCandidate]:
    for entry in entries_of(node.get("citations")):
        place = mapping(mapping(entry).get("location"))
        if not place:
            yield from candidates([entry], "citations")
            continue
        # Bedrock: with the page's own words, so it is as good as a result.
        web = mapping(place.get("web"))
        source = candidate({**mapping(entry), **web}, "results") if web else None
        if source is not None:
            yield source


def _entries(value: object) -> list[object]:
    """Return a list as it is; blocks with a list of their own inside are read by their type.

    Groq has the list in an object.
    """
    entries = entries_of(mapping(value).get("results", value))
    return [entry for entry in entries if "content" not in mapping(entry) or _flat(entry)]


def _flat(entry: object) -> bool:
    return isinstance(mapping(entry).get("content"), str)


def _found_in(field: str) -> Callable[[Node], Iterator[CitationCandidate]]:
    def read(node: Node) -> Iterator[CitationCandidate]:
        yield from candidates(listed(node.get(field)), "results")

    return read


def _fetched(node: Node) -> Iterator[CitationCandidate]:
    page = mapping(node.get("content"))
    if text(page.get("url")):
        document = mapping(page.get("content"))
        source = mapping(document.get("source"))
        # A PDF comes as it is, in letters that say nothing.
        words = None if source.get("type") == "base64" else source.get("data")
        entry = {"url": page["url"], "title": document.get("title"), "snippet": words}
        yield from candidates([entry], "results")


def _called(node: Node) -> Iterator[CitationCandidate]:
    yield from candidates(listed(node.get("results")), "results")
    visited = text(mapping(node.get("action")).get("url"))
    yield from candidates([visited] if visited else [], "sources")


def _reference(node: Node) -> Iterator[CitationCandidate]:
    yield from candidates([{**node, "type": "", "content": None}], "results")


_BY_TYPE: dict[str, Callable[[Node], Iterator[CitationCandidate]]] = {
    "search_results": _found_in("results"),
    "people_search_results": _found_in("results"),
    "fetch_url_results": _found_in("contents"),
    "web_search_tool_result": _found_in("content"),
    "web_fetch_tool_result": _fetched,
    "web_search_call": _called,
    "tool_reference": _reference,
}

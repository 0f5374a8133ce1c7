"""Where citations stand, in the answers of every API that was seen to give any.

Each is known by the name of its field or by the ``type`` of its object, wherever it stands:
gateways move them about.
"""

from collections.abc import Callable, Iterator, Mapping

from ...values.json_values import as_list, as_mapping, as_objects, text
from .annotations import read_annotations, read_grounding, read_visited
from .candidates import CitationCandidate, list_entries, read_candidate, read_candidates

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

"""xAI's answer to a search of X: its text, and its sources with their places in that text."""

from collections.abc import Iterator, Mapping

from ...ports.models import NormalizedResponse
from ..values.fields import at, number
from ..values.json import listed, mapping, objects, text

_ASIDE = ("commentary", "analysis")
_TEXT = ("output_text", "text")
_CITATION = ("url_citation", None)
# JSON has numbers that no counter can hold.
_MOST = 1 << 53


def read_answer(response: NormalizedResponse) -> dict[str, object]:
    """Return the fields of an answer from whatever the response holds; none is made up."""
    # A server that streams unasked leaves no document, only what the wire keeps of it.
    raw = response.raw or response.provider_data or {}
    parts = list(_parts(raw))
    answer = _spoken(raw, parts) or response.content or ""
    named = {"model": response.model} if response.model else {}
    return {
        "answer": answer,
        "citations": [_address(each) for each in listed(raw.get("citations"))],
        "inline_citations": list(_citations(parts, answer)),
        "response_id": response.id,
        "x_search_calls": _calls(raw),
        **named,
    }


def _parts(raw: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the parts of all messages that are text; what was said aside only if nothing else."""
    output = objects(raw.get("output"))
    messages = [item for item in output if item.get("type", "message") == "message"]
    final = [message for message in messages if message.get("phase") not in _ASIDE]
    for message in final or messages:
        for part in objects(message.get("content")):
            if part.get("type") in _TEXT:
                yield part


def _spoken(raw: Mapping[str, object], parts: list[Mapping[str, object]]) -> str:
    """Return the answer in one piece, if a gateway made one of it; else the parts put together."""
    pieces = [text(part.get("text")).strip() for part in parts]
    whole = text(raw.get("output_text")).strip()
    return whole or "\n\n".join(piece for piece in pieces if piece)


def _citations(parts: list[Mapping[str, object]], answer: str) -> Iterator[dict[str, object]]:
    end = 0
    for part in parts:
        said = text(part.get("text"))
        # Places count from the beginning of a part; ours from that of the whole answer.
        begin = max(answer.find(said.strip(), end), end)
        end = begin + len(said.strip())
        shift = begin - (len(said) - len(said.lstrip()))
        for annotation in objects(part.get("annotations")):
            if annotation.get("type") in _CITATION:
                yield _citation(annotation, shift)


def _citation(annotation: Mapping[str, object], shift: int) -> dict[str, object]:
    # Gateways nest what xAI itself says flat.
    given = mapping(annotation.get("url_citation")) or annotation
    return {
        "url": text(given.get("url")),
        "title": text(given.get("title")),
        "start": _place(given.get("start_index"), shift),
        "end": _place(given.get("end_index"), shift),
    }


def _place(value: object, shift: int) -> int | None:
    return max(value + shift, 0) if type(value) is int and 0 <= value < _MOST else None


def _address(citation: object) -> str:
    """Return the address of a source: bare, or in an object, as gateways send it."""
    return text(citation) or text(mapping(citation).get("url"))


def _calls(raw: Mapping[str, object]) -> int | None:
    calls = number(at(raw, "usage", "server_side_tool_usage_details", "x_search_calls"))
    return int(calls) if calls is not None and 0 <= calls < _MOST else None

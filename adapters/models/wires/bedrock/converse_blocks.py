"""Content blocks of Converse: each is an object with one key that says what it is.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html (2026-11-15)
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence

from .....ports.models.chat import Message
from ....values.json_values import as_mapping, as_objects, text
from ...messages.media import IMAGE_FORMATS, Media, image_part_url, read_data_url
from ...messages.pairing import Block, Part, ToolResult, ToolUse
from ...messages.tool_calls import wire_name
from ...messages.turns import NO_OUTPUT_TEXT, WireSpelling

_FOREIGN = re.compile(r"[^A-Za-z0-9_.:-]")
_MOST_ID, _DIGITS = 64, 12
# What a result may hold, and what may be passed on as the caller wrote it.
_IN_RESULTS = frozenset({"json", "text", "image", "document", "video", "searchResult"})
_OWN = _IN_RESULTS | {"audio", "guardContent"} - {"json"}
_DOCUMENTS = {
    "application/pdf": "pdf",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
}


def converse_spelling(
    turn: Callable[[Message], Sequence[Part] | None],
    thoughts: Callable[[Message], Sequence[Part]],
    *,
    cached: bool,
    status: bool,
) -> WireSpelling:
    """Return how Converse spells a conversation. Some models know no marks, or no ``status``."""
    return WireSpelling(
        text=text_block,
        read=read_part,
        turn=turn,
        thoughts=thoughts,
        call=_call,
        answer=lambda answer: _answer(answer, status=status),
        mark=_marked if cached else lambda parts, _mark: parts,
        clean_id=clean_id,
    )


def clean_id(identity: str) -> str:
    """Return an id of at most 64 allowed letters; such a one is kept as it is.

    >>> clean_id("call.1|x")
    'call.1_x'
    """
    clean = _FOREIGN.sub("_", identity) or "tool_0"
    if len(clean) <= _MOST_ID:
        return clean
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{clean[: _MOST_ID - _DIGITS - 1]}_{digest}"


def text_block(words: str) -> Block:
    """Return a block of text."""
    return {"text": words}


def cache_point(mark: object = None) -> Block:
    """Return the block that asks for caching all before it."""
    ttl = as_mapping(mark).get("ttl")
    return {"cachePoint": {"type": "default"} | ({"ttl": ttl} if ttl in ("5m", "1h") else {})}


def read_part(part: Mapping[str, object]) -> Sequence[Part]:
    """Return what a part that is no plain text becomes; what cannot be sent is named in words."""
    kind = text(part.get("type")) or next(iter(part), "")
    block = _READERS.get(kind, _as_given)(part)
    if block is None:
        words = text(part.get("text"))
        block = text_block(words if words.strip() else f"({kind or 'a part'} left out)")
    return [block] if block else []


def _as_given(part: Mapping[str, object]) -> Part | None:
    known = len(part) == 1 and set(part) <= _OWN
    return dict(part) if known else None


def _image(part: Mapping[str, object]) -> Part | None:
    url = image_part_url(part)
    media = read_data_url(url)
    if media is not None and media.type in IMAGE_FORMATS:
        source = {"bytes": media.data}
        return {"image": {"format": IMAGE_FORMATS[media.type], "source": source}}
    if media is not None:
        return text_block(f"(an image of type {media.type} left out)")
    # The API fetches no URLs; the model at least learns of it.
    return text_block(f"(image: {url})") if url.startswith(("https://", "http://")) else None


def _file(part: Mapping[str, object]) -> Part | None:
    held = as_mapping(part.get("file"))
    title = text(held.get("filename"))
    media = read_data_url(text(held.get("file_data")))
    kind = None if media is None else _format(media)
    if media is None or kind is None:
        what = title or ("" if media is None else f"of type {media.type}")
        return text_block(f"(the file {what} left out)") if what else None
    return {
        "document": {"format": kind, "name": title or "document", "source": {"bytes": media.data}}
    }


def _format(media: Media) -> str | None:
    known = _DOCUMENTS.get(media.type)
    return "txt" if known is None and media.type.startswith("text/") else known


def _call_part(part: Mapping[str, object]) -> Part | None:
    held = as_mapping(part.get("toolUse"))
    own, name = text(held.get("toolUseId")), text(held.get("name"))
    return ToolUse(id=own, name=name, input=dict(as_mapping(held.get("input"))))


def _answer_part(part: Mapping[str, object]) -> Part | None:
    held = as_mapping(part.get("toolResult"))
    return ToolResult(
        id=text(held.get("toolUseId")),
        blocks=tuple(dict(block) for block in as_objects(held.get("content"))),
        failed=held.get("status") == "error",
    )


def _said(part: Mapping[str, object]) -> Part | None:
    """Return the text of a block of the API's own, with or without citations."""
    words = text(part.get("text")) or cited_text(part)
    return text_block(words) if words.strip() else {}


def cited_text(part: Mapping[str, object]) -> str:
    """Return the text that citations stand on."""
    held = as_mapping(part.get("citationsContent"))
    return "".join(text(piece.get("text")) for piece in as_objects(held.get("content")))


_READERS: Mapping[str, Callable[[Mapping[str, object]], Part | None]] = {
    "image_url": _image,
    "input_image": _image,
    "file": _file,
    "toolUse": _call_part,
    "toolResult": _answer_part,
    "text": _said,
    "citationsContent": _said,
    "cachePoint": dict,
    # Thoughts stand before all else, and are read apart.
    "reasoningContent": lambda _: {},
    "thinking": lambda _: {},
    "redacted_thinking": lambda _: {},
}


def _call(call: ToolUse) -> Block:
    held = {"toolUseId": call.id, "name": wire_name(call.name), "input": call.input}
    return {"toolUse": held}


def _answer(answer: ToolResult, *, status: bool) -> Block:
    inside = [block for block in answer.blocks if set(block) <= _IN_RESULTS and block]
    held: Block = {"toolUseId": answer.id, "content": inside or [text_block(NO_OUTPUT_TEXT)]}
    if answer.failed and status:
        held["status"] = "error"
    return {"toolResult": held}


def _marked(parts: Sequence[Part], mark: object) -> Sequence[Part]:
    return [*parts, cache_point(mark)] if isinstance(mark, Mapping) and parts else parts

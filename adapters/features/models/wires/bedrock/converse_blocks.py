"""Content blocks of Converse: each is an object with one key, its type.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html (2026-11-15)
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence

from webseam.adapters.values.json_values import as_mapping, as_objects, text
from webseam.ports.models import Message

from ...messages.media import IMAGE_FORMATS, image_part_url, read_media_url
from ...messages.pairing import Block, Part, ToolResult, ToolUse
from ...messages.tool_calls import wire_name
from ...messages.turns import NO_OUTPUT_TEXT, WireSpelling

_DISALLOWED_ID_PATTERN = re.compile(r"[^A-Za-z0-9_.:-]")
_MAX_ID_CHARS, _DIGEST_CHARS = 64, 12
# Blocks that a tool result may hold, and blocks that are sent unchanged.
_RESULT_BLOCK_KEYS = frozenset({"json", "text", "image", "document", "video", "searchResult"})
_NATIVE_BLOCK_KEYS = _RESULT_BLOCK_KEYS | {"audio", "guardContent"} - {"json"}
_DOCUMENT_FORMATS = {
    "application/pdf": "pdf", "application/msword": "doc", "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx", "text/csv": "csv",
    "text/html": "html", "text/markdown": "md", "text/plain": "txt",
}  # fmt: skip


def bedrock_spelling(
    turn: Callable[[Message], Sequence[Part] | None],
    thoughts: Callable[[Message], Sequence[Part]],
    *,
    with_cache_points: bool,
    with_status: bool,
) -> WireSpelling:
    """Return Converse's spelling; some models lack cache points or ``status`` of a result."""
    return WireSpelling(
        text=bedrock_text,
        read=read_bedrock_part,
        turn=turn,
        thoughts=thoughts,
        call=_tool_use,
        answer=lambda answer: _tool_result(answer, status=with_status),
        mark=_add_cache_point if with_cache_points else lambda parts, _mark: parts,
        clean_id=clean_bedrock_id,
    )


def clean_bedrock_id(identity: str) -> str:
    """Return an id of at most 64 allowed characters; a valid id stays.

    >>> clean_bedrock_id("call.1|x")
    'call.1_x'
    """
    clean = _DISALLOWED_ID_PATTERN.sub("_", identity) or "tool_0"
    if len(clean) <= _MAX_ID_CHARS:
        return clean
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{clean[: _MAX_ID_CHARS - _DIGEST_CHARS - 1]}_{digest}"


def bedrock_text(content: str) -> Block:
    """Return a text block."""
    return {"text": content}


def bedrock_cache_point(mark: object = None) -> Block:
    """Return the block that caches everything before it."""
    ttl = as_mapping(mark).get("ttl")
    return {"cachePoint": {"type": "default"} | ({"ttl": ttl} if ttl in ("5m", "1h") else {})}


def read_bedrock_part(part: Mapping[str, object]) -> Sequence[Part]:
    """Convert a part that is not text; one that cannot be sent becomes a text that names it."""
    kind = text(part.get("type")) or next(iter(part), "")
    block = _PART_READERS.get(kind, _native_block)(part)
    if block is None:
        part_text = text(part.get("text"))
        block = bedrock_text(part_text if part_text.strip() else f"({kind or 'a part'} left out)")
    return [block] if block else []


def _native_block(part: Mapping[str, object]) -> Part | None:
    is_native = len(part) == 1 and set(part) <= _NATIVE_BLOCK_KEYS
    return dict(part) if is_native else None


def _image(part: Mapping[str, object]) -> Part | None:
    url = image_part_url(part)
    media = read_media_url(url)
    if media is not None and media.type in IMAGE_FORMATS:
        source = {"bytes": media.data}
        return {"image": {"format": IMAGE_FORMATS[media.type], "source": source}}
    if media is not None:
        return bedrock_text(f"(an image of type {media.type} left out)")
    # The API does not fetch URLs, so tell the model the URL.
    return bedrock_text(f"(image: {url})") if url.startswith(("https://", "http://")) else None


def _document(part: Mapping[str, object]) -> Part | None:
    file_fields = as_mapping(part.get("file"))
    title = text(file_fields.get("filename"))
    media = read_media_url(text(file_fields.get("file_data")))
    kind = None if media is None else _DOCUMENT_FORMATS.get(media.type)
    if media is not None and media.type.startswith("text/"):
        kind = kind or "txt"
    if media is None or kind is None:
        description = title or ("" if media is None else f"of type {media.type}")
        return bedrock_text(f"(the file {description} left out)") if description else None
    name, source = title or "document", {"bytes": media.data}
    return {"document": {"format": kind, "name": name, "source": source}}


def _read_tool_use(part: Mapping[str, object]) -> Part | None:
    tool_use = as_mapping(part.get("toolUse"))
    call_id, name = text(tool_use.get("toolUseId")), text(tool_use.get("name"))
    return ToolUse(id=call_id, name=name, input=dict(as_mapping(tool_use.get("input"))))


def _read_tool_result(part: Mapping[str, object]) -> Part | None:
    tool_result = as_mapping(part.get("toolResult"))
    return ToolResult(
        id=text(tool_result.get("toolUseId")),
        blocks=tuple(dict(block) for block in as_objects(tool_result.get("content"))),
        failed=tool_result.get("status") == "error",
    )


def _text_part(part: Mapping[str, object]) -> Part | None:
    """Return the text of one of the API's own blocks, with or without citations."""
    block_text = text(part.get("text")) or bedrock_cited_text(part)
    return bedrock_text(block_text) if block_text.strip() else {}


def bedrock_cited_text(part: Mapping[str, object]) -> str:
    """Return the text of a block with citations."""
    cited = as_mapping(part.get("citationsContent"))
    return "".join(text(piece.get("text")) for piece in as_objects(cited.get("content")))


_PART_READERS: Mapping[str, Callable[[Mapping[str, object]], Part | None]] = {
    "image_url": _image,
    "input_image": _image,
    "file": _document,
    "toolUse": _read_tool_use,
    "toolResult": _read_tool_result,
    "text": _text_part,
    "citationsContent": _text_part,
    "cachePoint": dict,
    # Thoughts come first in a turn, and are read separately.
    "reasoningContent": lambda _: {},
    "thinking": lambda _: {},
    "redacted_thinking": lambda _: {},
}


def _tool_use(call: ToolUse) -> Block:
    tool_use = {"toolUseId": call.id, "name": wire_name(call.name), "input": call.input}
    return {"toolUse": tool_use}


def _tool_result(result: ToolResult, *, status: bool) -> Block:
    content = [block for block in result.blocks if set(block) <= _RESULT_BLOCK_KEYS and block]
    content = content or [bedrock_text(NO_OUTPUT_TEXT)]
    failed: Block = {"status": "error"} if result.failed and status else {}
    return {"toolResult": {"toolUseId": result.id, "content": content, **failed}}


def _add_cache_point(parts: Sequence[Part], mark: object) -> Sequence[Part]:
    return [*parts, bedrock_cache_point(mark)] if isinstance(mark, Mapping) and parts else parts

"""The conversation of a call, in the form in which every provider takes it."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text, write_json
from webseam.ports.models import Effort, Message

from ...replies import Refusal, refuse_unsupported

Block = Mapping[str, object]
_RESULT_TYPES = ("web_search_tool_result", "web_fetch_tool_result")
_THOUGHT_TYPES = ("thinking", "redacted_thinking")
_KNOWN_TYPES = frozenset({
    "text", "image", "document", "search_result", "tool_use", "tool_result", "server_tool_use",
    "tool_reference", "tool_addition", "tool_removal", *_RESULT_TYPES, *_THOUGHT_TYPES,
})  # fmt: skip
# What blocks have; "citations" and "caller" come back with earlier turns.
_KNOWN_FIELDS = frozenset({
    "cache_control", "caller", "citations", "content", "context", "data", "id", "input", "is_error",
    "name", "signature", "source", "text", "thinking", "title", "tool", "tool_name", "tool_use_id",
    "type",
})  # fmt: skip
_KNOWN_SOURCE_FIELDS = frozenset({"type", "media_type", "data", "url", "content"})
_KNOWN_PART_TYPES = {
    "source": frozenset({"", "base64", "url", "text", "content"}),
    "tool": frozenset({"", "tool_reference", "tool_definition"}),
}


class TurnConfig(msgspec.Struct, frozen=True):
    """The effort that a message sets for later turns."""

    effort: Effort | None = None


class Turn(msgspec.Struct):
    """One message; its content is text or a list of blocks."""

    role: Literal["user", "assistant", "system"]
    content: str | list[dict[str, object]]
    output_config: TurnConfig | None = None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A result that the model may cite."""

    url: str
    title: str
    text: str


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The messages, the results in them, and the texts whose URLs may be fetched.

    ``found`` has the URLs of the results by the id of their search. ``unread`` are fields of blocks
    that change nothing: the citations of documents.
    """

    unread: tuple[str, ...] = ()
    messages: tuple[Message, ...]
    sources: tuple[Source, ...]
    seen: tuple[str, ...]
    found: Mapping[str, tuple[str, ...]]


def sources_text(sources: Sequence[Source], first: int) -> str:
    """Return results as text for the model, numbered from ``first``."""
    rows = (f"[{n}] {row.title}\n{row.url}\n{row.text}" for n, row in enumerate(sources, first))
    return "\n\n".join(rows) or "(nothing was found)"


def pack_encrypted_content(content: str) -> str:
    """Return a text in the form of encrypted content: it only has to come back unchanged."""
    return base64.b64encode(content.encode()).decode()


def _unpack_encrypted_content(packed: str) -> str:
    """Return a packed text; blank if another server packed it."""
    try:
        return base64.b64decode(packed, validate=True).decode()
    except ValueError:
        return ""


def read_history(
    system: str | list[dict[str, object]] | None, turns: Sequence[Turn]
) -> History | Refusal:
    """Return the conversation, or refuse the first part that the gateway cannot pass on."""
    if (refusal := _refuse_blocks(_read_blocks(system))) is not None:
        return refusal
    leading = _join_texts(_read_blocks(system), "\n\n")
    messages: list[Message] = [{"role": "system", "content": leading}] if leading else []
    reader = _HistoryReader()
    for turn in turns:
        blocks = _read_blocks(turn.content)
        if (refusal := _refuse_blocks(blocks)) is not None:
            return refusal
        messages += reader.read_turn(turn.role, blocks)
    has_citations = any(_has_citations(_read_blocks(turn.content)) for turn in turns)
    return History(
        messages=tuple(messages),
        sources=tuple(reader.sources),
        seen=tuple(reader.seen),
        found=reader.found,
        unread=("messages.citations",) if has_citations else (),
    )


def _has_citations(blocks: Iterable[Block]) -> bool:
    """Tell whether a block wants to be cited; only results of searches are."""
    options = (as_mapping(block.get("citations")) for block in _nested_blocks(blocks))
    return any(option.get("enabled") is True for option in options)


def _read_blocks(content: object) -> list[Block]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else as_objects(content)


def list_offered_tools(tools: Sequence[Block], turns: Sequence[Turn]) -> list[Block]:
    """Return the tools that the conversation offers at its end.

    It offers a deferred tool once a block names it, and no tool that a later block removes.
    """
    offered = list(tools)
    hidden = {text(tool.get("name")) for tool in tools if tool.get("defer_loading") is True}
    blocks = [block for turn in turns for block in _read_blocks(turn.content)]
    for block in (
        inner for outer in blocks for inner in (outer, *as_objects(outer.get("content")))
    ):
        change = as_mapping(block.get("tool"))
        definition = as_mapping(change.get("definition"))
        name = text(block.get("tool_name") or change.get("name") or definition.get("name"))
        (hidden.add if block.get("type") == "tool_removal" else hidden.discard)(name)
        if definition:
            offered = [tool for tool in offered if tool.get("name") != name] + [definition]
    return [tool for tool in offered if text(tool.get("name")) not in hidden]


def read_turn_effort(turns: Sequence[Turn]) -> Effort | None:
    """Return the effort that messages set for the answer to the last input of the user.

    https://platform.claude.com/docs/en/build-with-claude/effort-per-message (read 2026-11-18)
    """
    effort = next_effort = TurnConfig().effort
    is_after_input = False
    for turn in turns:
        next_effort = (turn.output_config or TurnConfig()).effort or next_effort
        if turn.role != "system":
            kinds = {block.get("type") for block in _read_blocks(turn.content)}
            is_after_input = turn.role == "user" and kinds != {"tool_result"}
        effort = next_effort if is_after_input else effort
    return effort


def _nested_blocks(blocks: Iterable[Block]) -> list[Block]:
    """Return blocks and those in results of tools, however deep: those of web tools are others."""
    nested = [*blocks]
    for block in nested:
        nested += _read_blocks(block.get("content")) if block.get("type") == "tool_result" else []
    return nested


def _refuse_blocks(blocks: Iterable[Block]) -> Refusal | None:
    return next(filter(None, map(_refuse_unknown_part, _nested_blocks(blocks))), None)


def _refuse_unknown_part(block: Block) -> Refusal | None:
    kind, source = text(block.get("type")), as_mapping(block.get("source"))
    if kind not in _KNOWN_TYPES:
        return refuse_unsupported(f"messages: {kind[:80] or 'a block without a type'}")
    others = {name: block[name] for name in block.keys() - _KNOWN_FIELDS}
    others |= {f"source.{name}": source[name] for name in source.keys() - _KNOWN_SOURCE_FIELDS}
    if unknown := sorted(name for name, value in others.items() if value):
        return refuse_unsupported(f"messages: the {unknown[0][:80]} of a {kind}")
    for name, known in _KNOWN_PART_TYPES.items():
        if (part := text(as_mapping(block.get(name)).get("type"))) not in known:
            return refuse_unsupported(f"messages: a {kind} with the {name} {part[:80]}")
    return None


class _HistoryReader:
    """Reads messages in their order, and numbers the results in them."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.seen: list[str] = []
        self.found: dict[str, tuple[str, ...]] = {}

    def read_turn(self, role: str, blocks: Sequence[Block]) -> Iterator[Message]:
        """Yield the messages of a turn.

        Each part of an assistant's turn ends with the results of the gateway's own tools; those of
        the caller's stand before what the user says.
        """
        said: list[Block] = []
        results: list[Message] = []
        for block in blocks:
            if text(block.get("type")).endswith("tool_result"):
                results.append(self._tool_message(block))
                continue
            if results and role == "assistant":
                yield from (_assistant_message(said), *results)
                said, results = [], []
            said.append(block)
        if role == "assistant":
            yield from (_assistant_message(said), *results)
            return
        yield from results
        if said:
            yield {"role": role, "content": self._content(said)}

    def _tool_message(self, block: Block) -> Message:
        is_own = block.get("type") in _RESULT_TYPES
        content = (
            self._web_text(block) if is_own else self._content(_read_blocks(block.get("content")))
        )
        failed = {"is_error": True} if block.get("is_error") is True else {}
        identity = text(block.get("tool_use_id"))
        return {"role": "tool", "tool_call_id": identity, "content": content, **failed}

    def _web_text(self, block: Block) -> str:
        if isinstance(content := block.get("content"), Mapping):
            page, url = as_mapping(content.get("content")), text(content.get("url"))
            body = text(as_mapping(page.get("source")).get("data"))
            written = f"{text(page.get('title'))}\n{url}\n\n{body}" if url else write_json(content)
        else:
            rows = [
                Source(
                    url=text(row.get("url")),
                    title=text(row.get("title")),
                    text=_unpack_encrypted_content(text(row.get("encrypted_content"))),
                )
                for row in as_objects(content)
            ]
            written = sources_text(rows, len(self.sources) + 1)
            self.sources += rows
            self.found[text(block.get("tool_use_id"))] = tuple([row.url for row in rows])
        self.seen.append(written)
        return written

    def _content(self, blocks: Sequence[Block]) -> object:
        """Return blocks as parts, or as one text, which every server takes."""
        parts = [part for block in blocks for part in _read_parts(block)]
        self.seen += [text(part.get("text")) for part in parts]
        if any(part["type"] != "text" for part in parts):
            return parts
        return _join_texts(parts, "\n\n")


def _read_parts(block: Block) -> list[Block]:
    """Return a block as parts of a message in the format of OpenAI's chat API."""
    kind, source = block.get("type"), as_mapping(block.get("source"))
    if kind == "image":
        return [{"type": "image_url", "image_url": {"url": _source_url(source)}}]
    if source.get("type") == "base64":
        title = text(block.get("title")) or "document"
        return [{"type": "file", "file": {"filename": title, "file_data": _source_url(source)}}]
    # A document has its text in its source, a search result beside it.
    inner = _read_blocks(source.get("content") or block.get("content"))
    address = text(source.get("url")) or text(block.get("source"))
    names = [text(block.get(name)) for name in ("title", "context", "text", "tool_name")]
    names += [address, text(source.get("data")), _join_texts(inner, "\n")]
    spoken = "\n".join(filter(None, names))
    return [{"type": "text", "text": spoken}] if spoken else []


def _source_url(source: Block) -> str:
    data = f"data:{text(source.get('media_type'))};base64,{text(source.get('data'))}"
    return text(source.get("url")) or data


def _join_texts(blocks: Sequence[Block], separator: str) -> str:
    return separator.join(filter(None, (text(block.get("text")) for block in blocks)))


def _assistant_message(blocks: Sequence[Block]) -> Message:
    message: dict[str, object] = {"role": "assistant", "content": _join_texts(blocks, "") or None}
    calls = [
        {
            "id": block.get("id"),
            "type": "function",
            "function": {
                "name": block.get("name"),
                "arguments": write_json(block.get("input") or {}),
            },
        }
        for block in blocks
        if text(block.get("type")).endswith("tool_use")
    ]
    if calls:
        message["tool_calls"] = calls
    # Only thoughts that their provider signed can go back to it.
    if thoughts := [block for block in blocks if block.get("signature") or block.get("data")]:
        message["provider_data"] = {"reasoning_details": as_list(thoughts)}
    return message

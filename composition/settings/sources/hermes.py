"""A configuration file of Hermes, as it is: its ``web`` and ``x_search`` blocks are ours to read.

A block ``webseam`` in it holds settings of ours. One that has its place in a file of ours, such as
``policy``, also counts in the block ``web`` or beside it: to pass it over in silence would be worse
than to read it there. Whatever else stands in the file is its own affair.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TypeAlias

from returns.result import Failure, Result, Success

from ....kernel.text.display import quote_value
from ....kernel.trust import Origin
from ....ports.errors import InvalidSetting
from ..checks import BLOCKS, OPEN_BLOCKS, block_paths, canonical_path, known_keys, nearest_setting
from ..entries import Entry, KeyPath, setting_path_text
from ..yaml.nodes import BlockNode, ListNode, Node, ScalarNode

MAX_VALUES = 10_000
# services.<name>.<option>: what is open begins below the name.
_OPEN_DEPTH = 3
FlatValues: TypeAlias = tuple[KeyPath, Entry] | InvalidSetting


class Flattener:
    """Takes the blocks of one file apart. What is null or blank is not there."""

    def __init__(self, file: str) -> None:
        """Name the file in every origin and error."""
        self._file = file
        self._counted = 0

    def take(self, block: BlockNode) -> Result[dict[KeyPath, Entry], InvalidSetting]:
        """Return what ``block`` holds, by path, or the first thing that is wrong with it."""
        entries: dict[KeyPath, Entry] = {}
        for each in self._walk(block, ()):
            if isinstance(each, InvalidSetting):
                return Failure(each)
            path, entry = each
            entries[canonical_path(path)] = entry
        return Success(entries)

    def entry(self, node: Node) -> Entry:
        """Return a value with its place."""
        origin = Origin(layer="file", name=self._file, line=node.line)
        if isinstance(node, ScalarNode):
            return Entry(value=node.value, origin=origin, texts=(node.text,))
        items = node.items if isinstance(node, ListNode) else ()
        texts = tuple(
            item.text for item in items if isinstance(item, ScalarNode) and not is_blank(item)
        )
        return Entry(value=self._plain(node), origin=origin, texts=texts)

    def _walk(self, block: BlockNode, above: KeyPath) -> Iterator[FlatValues]:
        seen: set[str] = set()
        for key, node in block.items:
            path = (*above, key.text)
            if key.text in seen:
                yield self._wrong(path, key.line, "is given twice")
            seen.add(key.text)
            self._counted += 1
            if isinstance(node, BlockNode):
                yield from self._inside(node, path, key.line)
            elif not is_blank(node):
                yield self._value(node, path)
            if self._counted > MAX_VALUES:
                yield self._wrong(path, key.line, f"the file holds more than {MAX_VALUES} values")

    def _inside(self, block: BlockNode, path: KeyPath, line: int | None) -> Iterator[FlatValues]:
        if path[0] in OPEN_BLOCKS or (path in block_paths() and len(path) == 1):
            yield from self._walk(block, path)
        elif canonical_path(path) in known_keys():
            yield self._wrong(path, line, "must be a value, not a block")
        else:
            yield self._unknown(path, line)

    def _value(self, node: Node, path: KeyPath) -> FlatValues:
        is_open = path[0] in OPEN_BLOCKS
        if (is_open and len(path) >= _OPEN_DEPTH) or canonical_path(path) in known_keys():
            return path, self.entry(node)
        if is_open or path in block_paths():
            return self._wrong(path, node.line, "must be a block of settings")
        return self._unknown(path, node.line)

    def _plain(self, node: Node) -> object:
        self._counted += 1
        if isinstance(node, ScalarNode) or self._counted > MAX_VALUES:
            return node.value if isinstance(node, ScalarNode) else None
        if isinstance(node, ListNode):
            return [self._plain(item) for item in node.items]
        return {key.text: self._plain(item) for key, item in node.items}

    def _unknown(self, path: KeyPath, line: int | None) -> InvalidSetting:
        hint = nearest_setting(path)
        return self._wrong(path, line, "is not a setting" + (f"; {hint} is" if hint else ""))

    def _wrong(self, path: KeyPath, line: int | None, reason: str) -> InvalidSetting:
        name = setting_path_text(path)
        safe = name if name.isascii() and name.isprintable() else quote_value(name)
        return InvalidSetting(setting=safe[:200], place=f"{self._file}:{line}", reason=reason)


def is_blank(node: Node) -> bool:
    """Tell whether nothing is said: null, or no text."""
    return isinstance(node, ScalarNode) and (node.value is None or not node.text.strip())


# A configuration file of Hermes, as it is: its ``web`` and ``x_search`` blocks are ours to read.

OWN_BLOCK = "webseam"
# Names at the top of its file that no file of ours has.
_MARKS = frozenset({
    "_config_version", "agent", "approvals", "auxiliary", "browser", "checkpoints",
    "code_execution", "command_allowlist", "compression", "cron", "custom_providers", "delegation",
    "display", "fallback_model", "fallback_providers", "gateway", "mcp_servers", "memory", "model",
    "platform_toolsets", "security", "skills", "stt", "terminal", "toolsets", "tts", "voice",
})  # fmt: skip
_WEB: dict[str, KeyPath] = {
    "backend": ("backend",),
    "search_backend": ("search_backend",),
    "extract_backend": ("extract_backend",),
    "extract_char_limit": ("extract_char_limit",),
    "extract_timeout": ("timeout",),
    "cache_enabled": ("cache", "enabled"),
    "cache_ttl_minutes": ("cache", "minutes"),
    "keyless_fallback": ("keyless",),
    "custom_base_url": ("custom_base_url",),
    "custom_model": ("custom_model",),
    "custom_api_key": ("custom_api_key",),
}
_X_SEARCH: dict[str, KeyPath] = {
    name: ("x_search", name) for name in ("model", "reasoning_effort", "timeout_seconds", "retries")
}


def is_hermes(block: BlockNode) -> bool:
    """Tell whose file it is: ``web`` stands only in theirs; else by what else is there."""
    names = {key.text for key, _ in block.items}
    if "web" in names:
        return True
    return bool(names & _MARKS) and not names & _own_names()


def take_hermes(block: BlockNode, file: str) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    """Return the settings in their file, by our paths; of a name that is there twice, the last."""
    wrong = next(_no_blocks(block, file), None)
    if wrong is not None:
        return Failure(wrong)
    flattener = Flattener(file)
    mapped = {
        path: flattener.entry(node)
        for name, table in (("web", _WEB), ("x_search", _X_SEARCH))
        for path, node in _mapped(block, name, table)
    }
    web = _inside(block, "web")
    for own in (_ours(web, _own_names() - set(_WEB)), _ours(block, _own_names())):
        flat = Flattener(file).take(own)
        if isinstance(flat, Failure):
            return flat
        mapped |= flat.unwrap()
    return Flattener(file).take(_inside(block, OWN_BLOCK)).map(lambda more: {**mapped, **more})


def doubtful_name_warnings(block: BlockNode, file: str) -> tuple[str, ...]:
    """Warn of names in the block ``web`` that are nearly, but not quite, those of settings."""
    known = (*_WEB, *_own_names())
    doubts = (
        (key, get_close_matches(key.text, known, 1, 0.85))
        for key, _ in _inside(block, "web").items
        if key.text not in known
    )
    return tuple(
        f"{file}:{key.line}: web.{key.text} is not a setting that is read; {matches[0]} is"
        for key, matches in doubts
        if matches
    )


def _own_names() -> frozenset[str]:
    """Return what stands at the top of files of ours, and never at the top of theirs."""
    both = {"x_search", "plugins", "providers"}
    return frozenset({path[0] for path in known_keys()} | set(BLOCKS)) - both


def _ours(block: BlockNode, names: frozenset[str]) -> BlockNode:
    return BlockNode(
        line=block.line, items=tuple(one for one in block.items if one[0].text in names)
    )


def _no_blocks(block: BlockNode, file: str) -> Iterator[InvalidSetting]:
    for key, node in block.items:
        is_read = key.text in ("web", "x_search", OWN_BLOCK)
        if is_read and not isinstance(node, BlockNode) and not is_blank(node):
            reason = "must be a block of settings"
            yield InvalidSetting(setting=key.text, place=f"{file}:{key.line}", reason=reason)


def _mapped(
    block: BlockNode, name: str, table: dict[str, KeyPath]
) -> Iterator[tuple[KeyPath, Node]]:
    for key, node in _inside(block, name).items:
        is_written = key.text in table and not is_blank(node)
        if is_written and not _is_off(key.text, node) and not _is_us(key.text, node):
            yield table[key.text], node


def _inside(block: BlockNode, name: str) -> BlockNode:
    nodes = [node for key, node in block.items if key.text == name]
    inside = nodes[-1] if nodes else None
    return inside if isinstance(inside, BlockNode) else BlockNode(line=block.line, items=())


def _is_us(name: str, node: Node) -> bool:
    """Tell whether it is us whom Hermes asks, which says nothing about whom we ask."""
    if not name.endswith("backend") or not isinstance(node, ScalarNode):
        return False
    return node.text.strip().lower() == OWN_BLOCK


def _is_off(name: str, node: Node) -> bool:
    """Tell whether a limit is switched off there, which leaves ours as it is."""
    if name not in ("extract_timeout", "cache_ttl_minutes") or not isinstance(node, ScalarNode):
        return False
    return isinstance(node.value, (int, float)) and node.value <= 0

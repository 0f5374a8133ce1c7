"""A settings file of our own, taken apart: a value for each path, or the line that is wrong."""

from collections.abc import Iterator
from typing import TypeAlias

from returns.result import Failure, Result, Success

from ....kernel.text.display import quote_value
from ....kernel.trust import Origin
from ....ports.errors import InvalidSetting
from ..entries import Entry, KeyPath, setting_path_text
from ..setting_keys import OPEN_BLOCKS, block_paths, canonical_path, known_keys, nearest_setting
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

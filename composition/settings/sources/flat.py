"""A settings file of our own, taken apart: a value for each path, or the line that is wrong."""

from collections.abc import Iterator
from typing import TypeAlias

from returns.result import Failure, Result, Success

from ....kernel.text.display import shown
from ....kernel.trust import Origin
from ....ports.errors import InvalidSetting
from ..entries import Entry, KeyPath, spelled
from ..keys import OPEN, blocks, canonical, known_keys, near
from ..yaml.nodes import BlockNode, Listing, Node, Scalar

MOST_VALUES = 10_000
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
            entries[canonical(path)] = entry
        return Success(entries)

    def entry(self, node: Node) -> Entry:
        """Return a value with its place."""
        origin = Origin(layer="file", name=self._file, line=node.line)
        if isinstance(node, Scalar):
            return Entry(value=node.value, origin=origin, texts=(node.text,))
        items = node.items if isinstance(node, Listing) else ()
        texts = tuple(
            item.text for item in items if isinstance(item, Scalar) and not is_blank(item)
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
            if self._counted > MOST_VALUES:
                yield self._wrong(path, key.line, f"the file holds more than {MOST_VALUES} values")

    def _inside(self, block: BlockNode, path: KeyPath, line: int | None) -> Iterator[FlatValues]:
        if path[0] in OPEN or (path in blocks() and len(path) == 1):
            yield from self._walk(block, path)
        elif canonical(path) in known_keys():
            yield self._wrong(path, line, "must be a value, not a block")
        else:
            yield self._unknown(path, line)

    def _value(self, node: Node, path: KeyPath) -> FlatValues:
        is_open = path[0] in OPEN
        if (is_open and len(path) >= _OPEN_DEPTH) or canonical(path) in known_keys():
            return path, self.entry(node)
        if is_open or path in blocks():
            return self._wrong(path, node.line, "must be a block of settings")
        return self._unknown(path, node.line)

    def _plain(self, node: Node) -> object:
        self._counted += 1
        if isinstance(node, Scalar) or self._counted > MOST_VALUES:
            return node.value if isinstance(node, Scalar) else None
        if isinstance(node, Listing):
            return [self._plain(item) for item in node.items]
        return {key.text: self._plain(item) for key, item in node.items}

    def _unknown(self, path: KeyPath, line: int | None) -> InvalidSetting:
        hint = near(path)
        return self._wrong(path, line, "is not a setting" + (f"; {hint} is" if hint else ""))

    def _wrong(self, path: KeyPath, line: int | None, reason: str) -> InvalidSetting:
        name = spelled(path)
        safe = name if name.isascii() and name.isprintable() else shown(name)
        return InvalidSetting(setting=safe[:200], place=f"{self._file}:{line}", reason=reason)


def is_blank(node: Node) -> bool:
    """Tell whether nothing is said: null, or no text."""
    return isinstance(node, Scalar) and (node.value is None or not node.text.strip())

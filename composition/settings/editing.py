"""One value set in a YAML text, in place: every byte that is not the value's own stays.

Comments, blanks, quotes and unknown blocks are nobody's business here. What cannot be changed
without guessing is refused, and each change is read again before it counts.
"""

from collections.abc import Mapping
from typing import Any

from returns.result import Failure, Result, Success

from .documents import Block, Listing, Node, Scalar, read_document
from .origins import KeyPath, spelled
from .placing import BY_HAND, Value, plan

_LARGEST = 200_000


def set_value(text: str, path: KeyPath, value: Value) -> Result[str, str]:
    r"""Return ``text`` with ``value`` at ``path``, or why that cannot be done.

    >>> set_value("a: 1 # one\n", ("b", "c"), "x").unwrap()
    'a: 1 # one\nb:\n  c: x\n'
    """
    before = read_document(text)
    if isinstance(before, Failure):
        return Failure(before.failure().reason)
    if _size(before.unwrap(), {}) > _LARGEST:
        return Failure(f"the file {BY_HAND}")
    planned = plan(text, path, value)
    if isinstance(planned, Failure):
        return planned
    changed = planned.unwrap().applied(text)
    after = read_document(changed).value_or(None)
    # By their spelling: a number that is none is not even itself.
    if repr(plain(after)) != repr(_with(plain(before.unwrap()), path, value)):
        return Failure(f"{spelled(path)} {BY_HAND}")
    return Success(changed)


def plain(node: Node | None) -> Any:  # noqa: ANN401  any YAML
    """Return what a document means; of a key that is there twice, the last one counts."""
    if isinstance(node, Block):
        return {key.text: plain(value) for key, value in node.items}
    if isinstance(node, Listing):
        return [plain(item) for item in node.items]
    return node.value if isinstance(node, Scalar) else None


def _size(node: Node | None, known: dict[int, int]) -> int:
    """Count the values in a document, with all that aliases repeat."""
    if node is None or isinstance(node, Scalar):
        return 1
    if id(node) not in known:
        inside = [item[1] if isinstance(item, tuple) else item for item in node.items]
        known[id(node)] = 1 + sum(_size(item, known) for item in inside)
    return known[id(node)]


def _with(whole: Any, path: KeyPath, value: Value) -> Any:  # noqa: ANN401  any YAML
    block = dict(whole) if isinstance(whole, Mapping) else {}
    last = list(value) if isinstance(value, tuple) else value
    block[path[0]] = _with(block.get(path[0]), path[1:], value) if path[1:] else last
    return block

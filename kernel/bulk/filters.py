"""Filters as expressions on columns: ``language == "en" and gopher_words >= 50``.

Names, numbers, texts, comparisons, ``and``, ``or``, ``not``, ``in``, ``len(...)``; nothing else is
taken, so an expression computes little and reaches nothing. A column that is empty compares as
false.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, WebError

ValueKind: TypeAlias = Literal["text", "number", "truth", "list", "any"]
_NAMES: Final[dict[ValueKind, str]] = {
    "text": "a text",
    "number": "a number",
    "truth": "true or false",
    "list": "a list",
}


def explain_type_error(tree: ast.expr, columns: Mapping[str, ValueKind]) -> str | None:
    """Return why an expression cannot mean what it says, None where it may."""
    for condition in _conditions(tree):
        if _is_fixed(condition):
            return f"takes {ast.unparse(condition)} for a condition; compare it with a column"
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            reason = _objection_to_comparison(node, columns)
        else:
            reason = _objection_to_length(node, columns)
        if reason is not None:
            return reason
    return None


def _conditions(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of an expression that are true or false."""
    match node:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _conditions(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _conditions(operand)
        case _:
            yield node


def _is_fixed(node: ast.expr) -> bool:
    """Tell whether a condition is one, and the same for every row, by mistake."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, bool)
    return isinstance(node, ast.Tuple | ast.List)


def _objection_to_comparison(node: ast.Compare, columns: Mapping[str, ValueKind]) -> str | None:
    sides = [node.left, *node.comparators]
    for op, (one, other) in zip(node.ops, pairwise(sides), strict=True):
        if isinstance(op, ast.Is | ast.IsNot):
            if not (_is_single(one) or _is_single(other)):
                return f"asks whether {ast.unparse(one)} is {ast.unparse(other)}; take == or !="
        elif not _fit(op, _kind(one, columns), _kind(other, columns)):
            verb, word = ("looks for", "in") if _is_search(op) else ("compares", "with")
            return f"{verb} {_told(one, columns)}, {word} {_told(other, columns)}"
    return None


def _objection_to_length(node: ast.AST, columns: Mapping[str, ValueKind]) -> str | None:
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    if _kind(node.args[0], columns) in ("number", "truth"):
        return f"asks for the length of {_told(node.args[0], columns)}"
    return None


def _is_single(node: ast.expr) -> bool:
    """Tell whether there is one such value: other equal ones need not be the same."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _is_search(op: ast.cmpop) -> bool:
    return isinstance(op, ast.In | ast.NotIn)


def _fit(op: ast.cmpop, one: ValueKind, other: ValueKind) -> bool:
    if "any" in (one, other):
        return True
    if _is_search(op):
        return other == "list" or one == other == "text"
    return _plain(one) == _plain(other)


def _plain(kind: ValueKind) -> ValueKind:
    return "number" if kind == "truth" else kind


def _told(node: ast.expr, columns: Mapping[str, ValueKind]) -> str:
    return f"{ast.unparse(node)}, {_NAMES.get(_kind(node, columns), '')}"


def _kind(node: ast.expr, columns: Mapping[str, ValueKind]) -> ValueKind:
    match node:
        case ast.Constant(value=value):
            return _kind_of_value(value)
        case ast.Name(id=name):
            return columns.get(name, "any")
        case ast.Tuple() | ast.List():
            return "list"
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return "truth"
        case ast.UnaryOp() | ast.Call():
            return "number"
        case _:
            return "any"


def _kind_of_value(value: object) -> ValueKind:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "any"


# Filters as expressions on columns: ``language == "en" and gopher_words >= 50``.

Columns: TypeAlias = Mapping[str, object]
Keep: TypeAlias = Callable[[Columns], bool]
_MAX_FILTER_CHARS: Final = 2000
_MAX_FILTER_DEPTH: Final = 50
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
    ast.Is: lambda one, other: one is other,
    ast.IsNot: lambda one, other: one is not other,
}
_IDENTITY: Final = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
_TAKEN: Final = "there are columns, numbers, texts, comparisons, and, or, not, in, is, len()"


class _RefusedError(Exception):
    """What stands in an expression and may not."""


def make_filter(text: str, columns: Mapping[str, ValueKind]) -> Result[Keep, WebError]:
    """Return the filter that an expression on columns describes, or what is wrong with it."""
    if len(text) > _MAX_FILTER_CHARS:
        return _refuse(f"is longer than {_MAX_FILTER_CHARS:,} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        return _refuse(f"is no expression ({getattr(problem, 'msg', 'it is too deep')})")
    if _depth(tree) > _MAX_FILTER_DEPTH:
        return _refuse(f"is nested more than {_MAX_FILTER_DEPTH} times")
    try:
        value = _compiled(tree, frozenset(columns))
    except _RefusedError as refused:
        return _refuse(str(refused))
    reason = explain_type_error(tree, columns)
    return _refuse(reason) if reason else Success(lambda row: bool(value(row)))


def _depth(tree: ast.AST) -> int:
    """Return how deep an expression is, a level at a time: one may be deeper than our stack."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _compiled(node: ast.expr, columns: frozenset[str]) -> Callable[[Columns], Any]:
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, str | int | float):
            return lambda _: value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return lambda _: -number
        case ast.Name(id=name):
            return _column(name, columns)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _comparison([_compiled(each, columns) for each in (left, *others)], ops)
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return _decision(node, columns)
        case _:
            return _collection(node, columns)


def _decision(node: ast.BoolOp | ast.UnaryOp, columns: frozenset[str]) -> Callable[[Columns], Any]:
    if isinstance(node, ast.UnaryOp):
        inner = _compiled(node.operand, columns)
        return lambda row: not inner(row)
    parts = [_compiled(each, columns) for each in node.values]
    decide = all if isinstance(node.op, ast.And) else any
    return lambda row: decide(part(row) for part in parts)


def _collection(node: ast.expr, columns: frozenset[str]) -> Callable[[Columns], Any]:
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            members = [_compiled(each, columns) for each in elements]
            return lambda row: tuple(member(row) for member in members)
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            measured = _compiled(argument, columns)
            return lambda row: _length(measured(row))
        case _:
            msg = f"may not hold {ast.unparse(node)!r}; {_TAKEN}"
            raise _RefusedError(msg)


def _column(name: str, columns: frozenset[str]) -> Callable[[Columns], Any]:
    if name not in columns:
        msg = f"names no column {name!r}; there are {', '.join(sorted(columns))}"
        raise _RefusedError(msg)
    return lambda row: row.get(name)


def _comparison(
    values: list[Callable[[Columns], Any]], ops: list[ast.cmpop]
) -> Callable[[Columns], bool]:
    def compare(row: Columns) -> bool:
        sides = [value(row) for value in values]
        return all(
            _holds(op, one, other) for op, one, other in zip(ops, sides, sides[1:], strict=False)
        )

    return compare


def _holds(op: ast.cmpop, one: object, other: object) -> bool:
    if not isinstance(op, _IDENTITY) and (one is None or other is None):
        return False
    try:
        return _COMPARISONS[type(op)](one, other)
    except TypeError:
        return False


def _length(value: object) -> int | None:
    return len(value) if isinstance(value, str | tuple) else None


def _refuse(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="--where", reason=reason))

"""What a filter may compare: by the kinds of values, what can never hold is refused at once.

A filter that keeps nothing, or all, looks like one that works.
"""

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, Literal, TypeAlias

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

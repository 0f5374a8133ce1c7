"""Parse filters on columns: ``language == "en" and gopher_words >= 50``.

Only names, numbers, texts, comparisons, ``and``, ``or``, ``not``, ``in`` and ``len(...)`` are
allowed, so an expression is cheap and has no effects. Comparisons with an empty column are false.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias, get_args

from returns.result import Result, Success

from webseam.ports.errors import WebError
from webseam.ports.usage import UsageAnswer

from ...laws.field_checks import refuse_field

ValueKind: TypeAlias = Literal["text", "number", "truth", "list", "any"]
_KIND_LABELS: Final[dict[ValueKind, str]] = {
    "text": "a text", "number": "a number", "truth": "true or false", "list": "a list",
}  # fmt: skip
_MAX_CHARS: Final = 2000
_MAX_DEPTH: Final = 50
# The answers of ``usage.train`` and its like may stand without quotes: usage.train != no.
_USAGE_ANSWERS: Final = frozenset(get_args(UsageAnswer))
_NULL_OPERATORS: Final = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
_ALLOWED_TEXT: Final = "there are columns, numbers, texts, comparisons, and, or, not, in, is, len()"


def explain_bulk_filter_error(tree: ast.expr, columns: Mapping[str, ValueKind]) -> str | None:
    """Return the type error in an expression, or None."""
    for condition in _filter_conditions(tree):
        if _is_constant(condition):
            return f"uses {ast.unparse(condition)} as a condition; compare it with a column"
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            reason = _explain_comparison(node, columns)
        else:
            reason = _explain_length(node, columns)
        if reason is not None:
            return reason
    return None


def _filter_conditions(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _filter_conditions(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _filter_conditions(operand)
        case _:
            yield node


def _is_constant(node: ast.expr) -> bool:
    """Tell whether a condition is a constant by mistake."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, bool)
    return isinstance(node, ast.Tuple | ast.List)


def _explain_comparison(node: ast.Compare, columns: Mapping[str, ValueKind]) -> str | None:
    sides = [node.left, *node.comparators]
    for op, (left, right) in zip(node.ops, pairwise(sides), strict=True):
        if isinstance(op, ast.Is | ast.IsNot):
            if not (_is_singleton(left) or _is_singleton(right)):
                return f"asks whether {ast.unparse(left)} is {ast.unparse(right)}; use == or !="
        elif not _are_comparable(op, _node_kind(left, columns), _node_kind(right, columns)):
            is_membership = isinstance(op, ast.In | ast.NotIn)
            verb, preposition = ("looks for", "in") if is_membership else ("compares", "with")
            texts = _node_text(left, columns), _node_text(right, columns)
            return f"{verb} {texts[0]}, {preposition} {texts[1]}"
    return None


def _explain_length(node: ast.AST, columns: Mapping[str, ValueKind]) -> str | None:
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    if _node_kind(node.args[0], columns) in ("number", "truth"):
        return f"asks for the length of {_node_text(node.args[0], columns)}"
    return None


def _is_singleton(node: ast.expr) -> bool:
    """Tell whether the value is a singleton; other equal values need not be identical."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _are_comparable(op: ast.cmpop, left: ValueKind, right: ValueKind) -> bool:
    if "any" in (left, right):
        return True
    if isinstance(op, ast.In | ast.NotIn):
        return right == "list" or left == right == "text"
    return left == right or {left, right} == {"number", "truth"}


def _node_text(node: ast.expr, columns: Mapping[str, ValueKind]) -> str:
    return f"{ast.unparse(node)}, {_KIND_LABELS.get(_node_kind(node, columns), '')}"


def _node_kind(node: ast.expr, columns: Mapping[str, ValueKind]) -> ValueKind:
    match node:
        case ast.Constant(value=value):
            return _value_kind(value)
        case ast.Name() | ast.Attribute():
            return columns.get(ast.unparse(node), "any")
        case ast.Tuple() | ast.List():
            return "list"
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return "truth"
        case ast.UnaryOp() | ast.Call():
            return "number"
        case _:
            return "any"


def _value_kind(value: object) -> ValueKind:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "any"


Columns: TypeAlias = Mapping[str, object]
Keep: TypeAlias = Callable[[Columns], bool]
Evaluate: TypeAlias = Callable[[Columns], Any]
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class _RefusedError(Exception):
    """A part of an expression that is not allowed."""


def make_bulk_row_filter(text: str, columns: Mapping[str, ValueKind]) -> Result[Keep, WebError]:
    """Compile an expression on columns to a filter, or return what is wrong with it."""
    if len(text) > _MAX_CHARS:
        return refuse_field("--where", f"is longer than {_MAX_CHARS:,} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        reason = getattr(problem, "msg", "it is too deep")
        return refuse_field("--where", f"is no expression ({reason})")
    if _filter_depth(tree) > _MAX_DEPTH:
        return refuse_field("--where", f"is nested more than {_MAX_DEPTH} times")
    try:
        value = _compile_node(tree, frozenset(columns))
    except _RefusedError as refused:
        return refuse_field("--where", str(refused))
    fault = explain_bulk_filter_error(tree, columns)
    return refuse_field("--where", fault) if fault else Success(lambda row: bool(value(row)))


def _filter_depth(tree: ast.AST) -> int:
    """Return the depth of an expression, level by level: recursion could overflow the stack."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _compile_node(node: ast.expr, columns: frozenset[str]) -> Evaluate:
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, str | int | float):
            return lambda _: value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return lambda _: -number
        case ast.Name() | ast.Attribute(value=ast.Name()):
            return _compile_column(ast.unparse(node), columns)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_compile_node(side, columns) for side in (left, *others)]
            return _compile_comparison(sides, ops)
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return _compile_logic(node, columns)
        case _:
            return _compile_collection(node, columns)


def _compile_logic(node: ast.BoolOp | ast.UnaryOp, columns: frozenset[str]) -> Evaluate:
    if isinstance(node, ast.UnaryOp):
        inner = _compile_node(node.operand, columns)
        return lambda row: not inner(row)
    parts = [_compile_node(part, columns) for part in node.values]
    decide = all if isinstance(node.op, ast.And) else any
    return lambda row: decide(part(row) for part in parts)


def _compile_collection(node: ast.expr, columns: frozenset[str]) -> Evaluate:
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            members = [_compile_node(element, columns) for element in elements]
            return lambda row: tuple(member(row) for member in members)
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            inner = _compile_node(argument, columns)
            return lambda row: len(text) if isinstance(text := inner(row), str | tuple) else None
        case _:
            msg = f"may not hold {ast.unparse(node)!r}; {_ALLOWED_TEXT}"
            raise _RefusedError(msg)


def _compile_column(name: str, columns: frozenset[str]) -> Evaluate:
    if name not in columns:
        if name in _USAGE_ANSWERS:
            return lambda _: name
        msg = f"names no column {name!r}; there are {', '.join(sorted(columns))}"
        raise _RefusedError(msg)
    return lambda row: row.get(name)


def _compile_comparison(values: list[Evaluate], ops: list[ast.cmpop]) -> Keep:
    def compare(row: Columns) -> bool:
        sides = pairwise(value(row) for value in values)
        return all(_compare_values(op, *pair) for op, pair in zip(ops, sides, strict=True))

    return compare


def _compare_values(op: ast.cmpop, left: object, right: object) -> bool:
    if not isinstance(op, _NULL_OPERATORS) and (left is None or right is None):
        return False
    try:
        return _COMPARISONS[type(op)](left, right)
    except TypeError:
        return False

"""Steps inside of a loop that read the whole of something which outlives the loop, found in the code.

It is the law for loops that no pumped call reaches. Names that the loop itself binds, and constants of
a module, are of a turn or of a fixed size; a search from a position goes on where the last one ended.
"""

import ast
import builtins
from collections.abc import Iterator

from properties.written_patterns import module_tree

LOOPS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
# Methods that read all of a text, or of a list, unless they are told where to begin.
_READING = frozenset({
    "find", "rfind", "index", "rindex", "count", "replace", "split", "rsplit", "splitlines", "partition", "rpartition",
    "lower", "upper", "casefold", "translate", "encode", "decode", "remove", "search", "findall", "finditer", "sub",
})  # fmt: skip
_STARTING = frozenset({"find", "rfind", "index", "rindex", "count", "search", "finditer"})
_COPYING = frozenset({"sorted", "list", "tuple", "set", "frozenset", "dict", "sum", "max", "min"})
_LIBRARIES = {"msgspec", "re", "os", "json"}
_PATTERN_METHODS = frozenset({"search", "findall", "finditer", "sub"})


def _bound_names(loop: ast.AST) -> set[str]:
    """Return the names that a loop binds in every turn, but not those it makes from themselves."""
    bound = {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    bound |= {node.arg for node in ast.walk(loop) if isinstance(node, ast.arg)}
    fed = {
        name
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in _names(target) & _names(node.value)
    }
    aims = {
        name
        for node in ast.walk(loop)
        if hasattr(node, "target") and hasattr(node, "iter")
        for name in _names(node.target)
    }
    return bound - (fed - aims)


def _body(loop: ast.AST) -> Iterator[ast.AST]:
    """Yield what a loop does in every turn: not what it walks along."""
    if isinstance(loop, ast.While):
        yield loop.test
        yield from loop.body
    elif isinstance(loop, ast.For | ast.AsyncFor):
        yield from loop.body
    else:
        for name in ("elt", "key", "value"):
            if hasattr(loop, name):
                yield getattr(loop, name)
        for number, part in enumerate(getattr(loop, "generators", ())):
            yield from ([] if number == 0 else [part.iter])
            yield from part.ifs


def _outliving(node: ast.AST, bound: set[str]) -> str | None:
    """Return the text of a name, or of a field of one, that the loop does not bind."""
    base = node
    while isinstance(base, ast.Attribute):
        base = base.value
    is_ours = isinstance(base, ast.Name) and base.id not in bound | _LIBRARIES
    last = ast.unparse(node).rpartition(".")[2]
    return ast.unparse(node) if is_ours and not last.lstrip("_").isupper() else None


def _step_of(node: ast.AST, bound: set[str]) -> str | None:
    match node:
        case ast.Subscript(value=value, slice=ast.Slice(upper=None, lower=lower)):
            has_end = lower is None or isinstance(lower, ast.UnaryOp)
            return ast.unparse(node) if not has_end and _outliving(value, bound) else None
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=ast.Name())):
            return ast.unparse(node) if _outliving(value, bound) else None
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args):
            if attr in _PATTERN_METHODS and args and len(args) < 2:
                return ast.unparse(node) if _outliving(args[-1], bound) else None
            if attr in ("pop", "insert") and args and ast.unparse(args[0]) == "0":
                return ast.unparse(node)
            told = attr in _STARTING and len(args) > 1
            if attr in _READING - _PATTERN_METHODS and not told and _outliving(value, bound):
                return ast.unparse(node)
        case ast.Call(func=ast.Name(id=name), args=[first]) if name in _COPYING:
            return ast.unparse(node) if _outliving(first, bound) else None
        case ast.Starred(value=value) if isinstance(value, ast.Name | ast.Attribute):
            return ast.unparse(node) if _outliving(value, bound) else None
    return None


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _walks_constants(loop: ast.AST) -> bool:
    """Tell whether a loop turns as often as a constant has items."""
    parts = [part.iter for part in getattr(loop, "generators", [loop]) if hasattr(part, "iter")]
    names = {name for part in parts for name in _names(part)} - vars(builtins).keys()
    return bool(parts) and all(name.lstrip("_").isupper() for name in names)


def long_steps(loop: ast.AST) -> Iterator[str]:
    """Yield the steps of a loop that read the whole of what outlives it."""
    bound = _bound_names(loop)
    if _walks_constants(loop):
        return
    match loop:
        # A search for a free name that begins anew for each name.
        case ast.While(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.In()], comparators=[used])
        ):
            if name in bound and _outliving(used, bound):
                yield ast.unparse(loop.test)
    for part in _body(loop):
        for node in ast.walk(part):
            step = _step_of(node, bound)
            if step is not None:
                yield step


def loops_of(module: str) -> Iterator[tuple[str, str, ast.AST]]:
    """Yield the loops in the functions of a module: place, name of the function, and the loop."""
    yield from _loops(module_tree(module), module, "", in_function=False)


def _loops(
    node: ast.AST, module: str, owner: str, *, in_function: bool
) -> Iterator[tuple[str, str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = in_function or not isinstance(child, ast.ClassDef)
            name = f"{owner}.{child.name}".lstrip(".")
            yield from _loops(child, module, name, in_function=inside)
            continue
        if in_function and isinstance(child, LOOPS):
            yield f"{module}:{child.lineno}:{child.col_offset}", owner, child
        yield from _loops(child, module, owner, in_function=in_function)

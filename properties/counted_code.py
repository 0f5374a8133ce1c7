"""Count what code does to texts and lists: its turns, and the characters and items it copies or searches.

``install`` has the modules of webseam rewritten as they are imported: every call, slice, sum, test of
membership and loop inside a function goes through ``COUNT``. A loop that copies the rest of a text in
every turn costs a few lines a turn, but a whole text of characters. No clock is asked.
"""

import ast
import functools
import itertools
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

_SIZED = (str, bytes, bytearray, list, tuple, set, frozenset, dict, deque)
_TEXTS = (str, bytes, bytearray)
# What looks at no more than the ends of what it is called on, or at nothing before it is asked.
_CONSTANT = frozenset({
    "len", "isinstance", "issubclass", "getattr", "setattr", "hasattr", "id", "iter", "next", "callable",
    "append", "add", "discard", "get", "setdefault", "popleft", "appendleft", "popitem", "keys", "values",
    "items", "start", "end", "span", "group", "groups", "groupdict", "release", "acquire", "ord", "chr",
    "heappush", "heappop", "bisect", "bisect_left", "bisect_right", "replace_struct", "force_setattr",
    "__setattr__", "__getattribute__", "clear", "cast",
})  # fmt: skip
_LAZY = (
    map,
    filter,
    zip,
    enumerate,
    reversed,
    range,
    memoryview,
    type,
    super,
    staticmethod,
    property,
)
_FINDING = frozenset({"find", "index", "rfind", "rindex", "count"})
_MATCHING = frozenset({"search", "match", "fullmatch"})
_NAME = "__counted__"


def size(value: object) -> int:
    """Return the length of a text or of a plain container."""
    return len(value) if isinstance(value, _SIZED) else 0


class Count:
    """The work since the last ``reset``, and the loops that have turned since the start."""

    def __init__(self) -> None:
        self.work = 0
        self.total = 0
        self.limit = sys.maxsize
        self.turned: set[str] = set()

    def reset(self, limit: int = sys.maxsize) -> None:
        self.total += self.work
        self.work = 0
        self.limit = limit

    def add(self, amount: int) -> None:
        self.work += amount
        if self.work > self.limit:
            self.limit = sys.maxsize
            raise TooMuchWorkError

    def made(self, value: Any) -> Any:  # noqa: ANN401
        """Count a value that an expression has built."""
        self.add(1 + size(value))
        return value

    def enter(self) -> None:
        self.add(1)

    def turn(self, place: str) -> bool:
        self.turned.add(place)
        self.add(1)
        return True

    def turns(self, values: Iterable[Any], place: str) -> Iterator[Any]:
        for value in values:
            self.turn(place)
            yield value

    def contains(self, item: Any, container: Any) -> bool:  # noqa: ANN401
        found = item in container
        if isinstance(container, _TEXTS):
            self.add(1 + (container.find(item) if found else len(container)))
        elif isinstance(container, list | tuple | deque):
            self.add(1 + (container.index(item) if found else len(container)))
        else:
            self.add(1)
        return found

    def equal(self, left: Any, right: Any) -> Any:  # noqa: ANN401
        same = left == right
        self.add(1 + (size(left) if same is True else 0))
        return same

    def grown(self, value: Any, *, is_name: bool) -> None:  # noqa: ANN401
        """Count ``value += more``: a local text, a list and a bytearray grow in place."""
        in_place = isinstance(value, list | bytearray | set | dict) or (
            is_name and isinstance(value, str)
        )
        self.add(1 if in_place else 1 + size(value))

    def deleted(self, value: Any, *, from_start: bool) -> None:  # noqa: ANN401
        in_place = isinstance(value, dict) or (from_start and isinstance(value, bytearray))
        self.add(1 if in_place else 1 + size(value))

    def call(self, function: Any, /, *args: Any, **words: Any) -> Any:  # noqa: ANN401
        self.add(1)
        kind = type(function)
        if kind is MethodType or kind is FunctionType:
            code = getattr(function, "__code__", None)
            if code is None or _NAME in code.co_names or words.get("key") is not None:
                return function(*args, **words)
            return self._foreign(function, args, words)
        if (function is map or function is filter) and callable(args[0]):
            args = (functools.partial(self.call, args[0]), *args[1:])
        if callable(words.get("key")):
            words["key"] = functools.partial(self.call, words["key"])
        if function is itertools.islice and len(args) > 2 and isinstance(args[1], int):
            self.add(args[1])
        owner = getattr(function, "__self__", None)
        name = getattr(function, "__name__", "")
        is_builtin = isinstance(function, BuiltinFunctionType)
        if is_builtin and isinstance(owner, re.Pattern):
            return self._match(function, name, args, words)
        outcome = function(*args, **words)
        if is_builtin:
            self.add(self._cost(owner, name, args, outcome))
        elif kind is type and function not in _LAZY and function.__module__ == "builtins":
            self.add(sum(map(size, args)) if outcome is not (args or [...])[0] else 0)
        return outcome

    @staticmethod
    def _cost(owner: Any, name: str, args: tuple[Any, ...], outcome: Any) -> int:  # noqa: ANN401
        if name in _CONSTANT or (isinstance(owner, ModuleType) and owner.__name__ == "itertools"):
            return 0
        if isinstance(owner, dict | set | frozenset) and name in {"pop", "remove", "__contains__"}:
            return 0
        if isinstance(owner, _TEXTS):
            if name in {"startswith", "endswith"}:
                marks = args[0] if isinstance(args[0], tuple) else (args[0],)
                return len(marks) + sum(len(mark) for mark in marks if len(mark) <= len(owner))
            if name in _FINDING and len(args) > 1:
                return _searched(owner, name, args, outcome)
            if outcome is owner:
                return 0
            if name in {"find", "index"} and outcome >= 0:
                return int(outcome)
            if name in {"rfind", "rindex"} and outcome >= 0:
                return len(owner) - int(outcome)
            if name in {"join", "extend"}:
                return size(outcome) + sum(map(size, args))
            return len(owner) + (size(outcome) if name != "split" else 0)
        if isinstance(owner, list):
            if name == "pop":
                return len(owner) if args and args[0] != -1 else 0
            return size(args[0]) if name == "extend" else len(owner)
        return sum(map(size, args)) + size(owner)

    def _match(self, function: Any, name: str, args: Any, words: Any) -> Any:  # noqa: ANN401
        text = next(
            (each for each in args if isinstance(each, _TEXTS) and name not in {"sub", "subn"}),
            args[1] if len(args) > 1 else "",
        )
        start = (
            args[1] if name in _MATCHING | {"finditer"} and len(args) > 1 else words.get("pos", 0)
        )
        end = args[2] if name in _MATCHING | {"finditer"} and len(args) > 2 else len(text)
        found = function(*args, **words)
        if name in _MATCHING and found is not None:
            self.add(max(found.end() - start, 0))
        elif name != "match":
            self.add(max(min(end, len(text)) - start, 0))
        return found

    def _foreign(self, function: Any, args: Any, words: Any) -> Any:  # noqa: ANN401
        """Count the calls inside of a function that is not ours, and what it is given."""
        self.add(sum(map(size, args)))

        def trace(_frame: FrameType, _event: str, _argument: Any) -> None:  # noqa: ANN401
            self.add(1)

        before = sys.gettrace()
        if before is not None:
            return function(*args, **words)
        sys.settrace(trace)
        try:
            return function(*args, **words)
        finally:
            sys.settrace(before)


def _searched(owner: Any, name: str, args: tuple[Any, ...], outcome: int) -> int:  # noqa: ANN401
    start, end, _ = (
        slice(*args[1:3]).indices(len(owner))
        if len(args) > 2
        else slice(args[1], None).indices(len(owner))
    )
    if name in {"find", "index"} and outcome >= 0:
        return outcome - start
    if name in {"rfind", "rindex"} and outcome >= 0:
        return end - outcome
    return max(end - start, 0)


class TooMuchWorkError(BaseException):
    """The work is above the limit; no code of ours catches it."""


COUNT = Count()


def _counted(method: str, *args: ast.expr, **words: bool) -> ast.Call:
    return ast.Call(
        ast.Attribute(ast.Name(_NAME, ast.Load()), method, ast.Load()),
        list(args),
        [ast.keyword(name, ast.Constant(value)) for name, value in words.items()],
    )


class _Rewriter(ast.NodeTransformer):
    """Put the count around what functions do. What runs at import, and annotations, stay."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.depth = 0

    def _place(self, node: Any) -> ast.Constant:  # noqa: ANN401
        return ast.Constant(f"{self.module}:{node.lineno}:{node.col_offset}")

    def _function(self, node: Any) -> Any:  # noqa: ANN401
        self.depth += 1
        body = node.body
        node.body = [self.visit(each) for each in body]
        flat: list[ast.stmt] = []
        for each in node.body:
            flat.extend(each if isinstance(each, list) else [each])
        has_doc = isinstance(flat[0], ast.Expr) and isinstance(flat[0].value, ast.Constant)
        entry = ast.Expr(_counted("enter"))
        flat.insert(1 if has_doc else 0, entry)
        node.body = flat
        self.depth -= 1
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.depth += 1
        node.body = self.visit(node.body)
        self.depth -= 1
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        depth, self.depth = self.depth, 0
        self.generic_visit(node)
        self.depth = depth
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def _loop(self, node: Any) -> Any:  # noqa: ANN401
        self.generic_visit(node)
        if self.depth:
            node.iter = _counted("turns", node.iter, self._place(node))
        return node

    visit_For = _loop  # noqa: N815

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        if self.depth:
            turn = _counted("turn", self._place(node))
            node.body.insert(0, ast.Expr(turn))
        return node

    def _comprehension(self, node: Any) -> Any:  # noqa: ANN401
        self.generic_visit(node)
        if self.depth:
            for number, part in enumerate(node.generators):
                if not part.is_async:
                    place = ast.Constant(f"{self.module}:{node.lineno}:{node.col_offset + number}")
                    part.iter = _counted("turns", part.iter, place)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def _built(self, node: Any) -> Any:  # noqa: ANN401
        self.generic_visit(node)
        return _counted("made", node) if self.depth else node

    visit_BinOp = visit_JoinedStr = _built  # noqa: N815

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        # A format inside of a format may only be a text.
        node.value = self.visit(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_copy = isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load)
        return _counted("made", node) if self.depth and is_copy else node

    def _display(self, node: Any) -> Any:  # noqa: ANN401
        self.generic_visit(node)
        copies = any(isinstance(each, ast.Starred) for each in node.elts)
        loads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return _counted("made", node) if self.depth and copies and loads else node

    visit_List = visit_Tuple = visit_Set = _display  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        return _counted("made", node) if self.depth and None in node.keys else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_plain = isinstance(node.func, ast.Name) and node.func.id in {"super", "locals", "cast"}
        self.generic_visit(node)
        if not self.depth or is_plain:
            return node
        call = ast.Attribute(ast.Name(_NAME, ast.Load()), "call", ast.Load())
        return ast.Call(call, [node.func, *node.args], node.keywords)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not self.depth or len(node.ops) > 1:
            return node
        left, right = node.left, node.comparators[0]
        match node.ops[0]:
            case ast.In():
                return _counted("contains", left, right)
            case ast.NotIn():
                return ast.UnaryOp(ast.Not(), _counted("contains", left, right))
            case ast.Eq():
                return _counted("equal", left, right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:  # noqa: ANN401
        node.value = self.visit(node.value)
        if not self.depth or not isinstance(node.op, ast.Add | ast.BitOr):
            return node
        if not isinstance(node.target, ast.Name | ast.Attribute):
            return node
        is_name = isinstance(node.target, ast.Name)
        return [node, ast.Expr(_counted("grown", _loaded(node.target), is_name=is_name))]

    def visit_Delete(self, node: ast.Delete) -> Any:  # noqa: ANN401
        target = node.targets[0]
        if not self.depth or not isinstance(target, ast.Subscript):
            return node
        part = target.slice
        from_start = isinstance(part, ast.Slice) and part.lower is None
        return [ast.Expr(_counted("deleted", _loaded(target.value), from_start=from_start)), node]

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Rewrite a match statement but for its patterns."""
        node.subject = self.visit(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            body: list[ast.stmt] = []
            for each in case.body:
                new = self.visit(each)
                body.extend(new if isinstance(new, list) else [new])
            case.body = body
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node


def _loaded(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def count_module(tree: ast.Module, module: ModuleType, path: str = "") -> CodeType:
    """Return the code of a module that counts what its functions do."""
    vars(module)[_NAME] = COUNT
    rewritten = _Rewriter(module.__name__.removeprefix("webseam.")).visit(tree)
    return compile(ast.fix_missing_locations(rewritten), path, "exec", dont_inherit=True)


class _CountingLoader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        del fullname
        return compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        tree = ast.parse(self.get_data(self.path))
        exec(count_module(tree, module, self.path), vars(module))  # noqa: S102  our own code


class _CountingFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("webseam."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _CountingLoader(spec.loader.name, spec.loader.path)
        return spec


def install() -> None:
    """Count the work of every module of webseam that is imported from here on."""
    sys.meta_path.insert(0, _CountingFinder())

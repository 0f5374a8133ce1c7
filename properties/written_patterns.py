"""Every regular expression that the parent process may run, found by walking the code.

A call of ``re`` or a ``pattern=`` is a site. Sites that run at import are recorded as they run, in a
process of their own; of the others the expression is evaluated, with a word in place of each name that
only exists at run time. A module is left out if only workers import it.
"""

import ast
import builtins
import json
import re
import subprocess
import sys
from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import webseam

ROOMS = ("ports", "kernel", "adapters", "composition")
ROOT = Path(webseam.__file__).parent
_COMPILING = (
    "compile",
    "search",
    "match",
    "fullmatch",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
)
_ANCHORED = ("match", "fullmatch")
# "webseam.MODULE:FUNCTION" names a function that a worker runs.
_WORKER_ENTRY = re.compile(r"webseam\.([\w.]+):\w+")


class Pattern(NamedTuple):
    """A pattern, where it is written, and whether it is only tried at the start of a text."""

    site: str
    source: str | bytes
    flags: int
    anchored: bool


@cache
def module_files() -> dict[str, Path]:
    """Return the files of the four rooms by module name without ``webseam.``."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for room in ROOMS
        for file in sorted((ROOT / room).rglob("*.py"))
    }


@cache
def module_tree(name: str) -> ast.Module:
    """Return the parsed code of a module."""
    return ast.parse(module_files()[name].read_text())


def _is_type_check(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def walk_run_code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below one, but not what only type checkers read."""
    yield node
    for child in [] if _is_type_check(node) else ast.iter_child_nodes(node):
        yield from walk_run_code(child)


@cache
def imported_modules(name: str) -> frozenset[str]:
    """Return the modules that one imports, early or late; a loader of a folder imports all of it."""
    files = module_files()
    is_package = files[name].name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    found: set[str] = set()
    walks = "walk_packages" in files[name].read_text()
    for node in walk_run_code(module_tree(name)):
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            if not node.level and not (node.module or "").startswith("webseam"):
                continue
            full = ".".join(
                filter(None, (base, (node.module or "").removeprefix("webseam").lstrip(".")))
            )
            targets = {f"{full}.{alias.name}" for alias in node.names} | {full}
            found |= targets & files.keys()
            if walks:
                found |= {
                    other for other in files if any(other.startswith(f"{t}.") for t in targets)
                }
    return frozenset(found)


def closure(names: frozenset[str]) -> frozenset[str]:
    """Return modules with all that they import."""
    found: set[str] = set()
    todo = set(names)
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= imported_modules(name) - found
    return frozenset(found)


@cache
def parent_modules() -> tuple[str, ...]:
    """Return the modules that another process than a worker may import."""
    files = module_files()
    entries = {
        match[1]
        for name in files
        for node in ast.walk(module_tree(name))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and (match := _WORKER_ENTRY.fullmatch(node.value))
        and match[1] in files
    }
    in_workers = closure(frozenset(entries))
    return tuple(sorted(closure(frozenset(files.keys() - in_workers))))


_RECORDER = """
import importlib, json, re, sys
compile_pattern, root, seen = re._compile, sys.argv.pop(), []
def record(pattern, flags):
    compiled = compile_pattern(pattern, flags)
    frame = sys._getframe(2)
    if frame.f_code.co_filename.startswith(root):
        source = compiled.pattern
        as_bytes = isinstance(source, bytes)
        text = source.decode("latin-1") if as_bytes else source
        seen.append((frame.f_code.co_filename, frame.f_lineno, text, as_bytes, compiled.flags))
    return compiled
re._compile = record
for name in json.load(sys.stdin):
    if name.endswith('__main__'):
        continue
    try:
        importlib.import_module("webseam." + name)
    except Exception:
        pass
print(json.dumps(seen))
"""


@cache
def import_time_patterns() -> Mapping[str, list[tuple[int, str | bytes, int]]]:
    """Return what the modules compile while they are imported, by file: line, source and flags."""
    run = subprocess.run(
        [sys.executable, "-c", _RECORDER, str(ROOT)],
        input=json.dumps(parent_modules()),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found: dict[str, list[tuple[int, str | bytes, int]]] = defaultdict(list)
    for file, line, text, as_bytes, flags in json.loads(run.stdout):
        found[file].append((line, text.encode("latin-1") if as_bytes else text, flags))
    return found


class _Word(str):
    """A word whose fields, and what it returns when it is called, are words."""

    __slots__ = ()

    def __getattr__(self, _name: str) -> str:
        return self

    def __call__(self, *_: object) -> str:
        return self


class _RuntimeNames(dict[str, Any]):
    """Names that only exist at run time are a word of two letters, which is also two words of one."""

    def __missing__(self, name: str) -> str:
        if hasattr(builtins, name):
            raise KeyError(name)
        return _Word("ab")


class _Site(NamedTuple):
    module: str
    node: ast.Call
    pattern: ast.expr
    flags: ast.expr | None
    method: str

    @property
    def label(self) -> str:
        return f"{self.module}:{self.node.lineno}"


def pattern_sites(name: str) -> Iterator[_Site]:
    """Yield every place of a module that makes or runs a pattern."""
    tree = module_tree(name)
    modules = {"re"}
    functions = {"lazy_pattern": "compile"}
    for node in walk_run_code(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname for alias in node.names if alias.name == "re" and alias.asname}
        if isinstance(node, ast.ImportFrom) and node.module == "re" and not node.level:
            functions |= {alias.asname or alias.name: alias.name for alias in node.names}
    for node in walk_run_code(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        method = ""
        if isinstance(function, ast.Attribute) and ast.unparse(function.value) in modules:
            method = function.attr
        elif isinstance(function, ast.Name):
            method = functions.get(function.id, "")
        keywords = {word.arg: word.value for word in node.keywords}
        if method in _COMPILING:
            place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
            flags = node.args[place] if len(node.args) > place else keywords.get("flags")
            yield _Site(
                name, node, node.args[0] if node.args else keywords["pattern"], flags, method
            )
        elif "pattern" in keywords:
            # msgspec searches; an option's pattern runs in ``re.fullmatch``.
            method = "search" if ast.unparse(function).endswith("Meta") else "fullmatch"
            yield _Site(name, node, keywords["pattern"], None, method)


def _parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


@cache
def _imported_names() -> frozenset[str]:
    """Return every name that some module imports from another one of ours."""
    return frozenset(
        alias.name
        for name in module_files()
        for node in ast.walk(module_tree(name))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def is_anchored(site: _Site) -> bool:
    """Tell whether a pattern is only ever tried at one place of a text.

    ``match`` with a position moves on through the text like a search.
    """
    if site.method != "compile":
        return site.method in _ANCHORED
    parents = _parents(module_tree(site.module))
    parent = parents[site.node]
    if isinstance(parent, ast.Attribute):
        return _is_anchored_use(parent, parents)
    name = _target(parent)
    if name is None or name in _imported_names():
        return False
    uses = [
        node
        for node in walk_run_code(module_tree(site.module))
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    return bool(uses) and all(_is_anchored_use(_used_as(use, parents), parents) for use in uses)


def _used_as(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> ast.AST:
    """Return what is done with a value that may be one of two."""
    parent = parents[node]
    return _used_as(parent, parents) if isinstance(parent, ast.IfExp) else parent


def _target(node: ast.AST) -> str | None:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _is_anchored_use(attribute: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    if not isinstance(attribute, ast.Attribute):
        return False
    if attribute.attr in ("pattern", "flags", "groups"):
        return True
    call = parents.get(attribute)
    moves = isinstance(call, ast.Call) and call.func is attribute and len(call.args) > 1
    return attribute.attr in _ANCHORED and not moves


def _evaluated(site: _Site, module: ModuleType) -> tuple[Any, int]:
    names = ChainMap(vars(module), _RuntimeNames())
    scope = {"__builtins__": builtins}

    def value(node: ast.expr) -> Any:  # noqa: ANN401  whatever the code says
        code = compile(ast.Expression(node), str(module_files()[site.module]), "eval")
        return eval(code, scope, names)  # noqa: S307  our own code

    source = value(site.pattern)
    flags = value(site.flags) if site.flags is not None else 0
    return source, int(flags) if isinstance(flags, int) else 0


def patterns_of(name: str) -> Iterator[Pattern]:
    """Yield the patterns of a module; one that cannot be made is an error with its place."""
    recorded = import_time_patterns().get(str(module_files()[name]), [])
    for site in pattern_sites(name):
        lines = range(site.node.lineno, (site.node.end_lineno or site.node.lineno) + 1)
        made: list[tuple[object, int]]
        made = [(source, flags) for line, source, flags in recorded if line in lines]
        if not made:
            made = [_evaluated(site, import_module(f"webseam.{name}"))]
        anchored = is_anchored(site)
        for source, flags in made:
            # A compiled pattern has a site of its own.
            if isinstance(source, str | bytes):
                yield Pattern(site.label, source, flags & ~re.DEBUG, anchored)

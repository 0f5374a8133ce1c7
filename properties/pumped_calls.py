"""Call every function that takes a text, with texts that grow, and report where the work grows faster.

Arguments are made from annotations: each text in them is a pumped one, each list holds one long text or
many short ones, keys of mappings are words of the function's own module. Nothing is registered by hand.
It runs in a process of its own, which may not write, connect or start anything.
"""

import ast
import asyncio
import inspect
import json
import re
import signal
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set as AbstractSet
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any, NamedTuple

from properties.counted_code import COUNT, install
from properties.written_patterns import module_tree

MAX_GROWTH = 2.5
SIZES = (128, 256, 512, 1024, 2048, 4096)
# A scan of the rest for every few characters costs more than this, for each, at the second size.
_CHEAP = 6
_SUSPECT_GROWTH = 2.2
_MAX_WORK = 1_000_000
# For all pumps of a function that find nothing.
_MAX_FUNCTION_WORK = 500_000
_MAX_DEPTH = 5
_MIN_SIZES = 3
_CHARS_AN_ITEM = 4
_MAX_VALUES = 800
# Of processor time, for what turns without counted work, and of the clock, for what waits.
_MAX_SECONDS = 10
_MAX_WAIT_SECONDS = 60
_MAX_CONSTANTS = 6
_UNITS = (
    "a", " ", "\n", "a ", "a\n", "a\n\n", "[", "![", "(", "{", '"', "\\", "<", "<a>", "`", "```\n", "# a\n", "- a\n",
    "|a|\n", "a. ", ".", "-", "*", "%41", "&", "/", "?a=1&", ":", "a=1\n", "0", "1,", "[1]", '{"a":',
    "https://a.example/ ", "data: a\n\n", "\u00e9", "\u4e2d", "\u200b",
)  # fmt: skip
_PAIRS = (("[", "]"), ("(", ")"), ("<a>", "</a>"), ("{", "}"))
# A list of many needs fewer: what stands in each is short.
_FEW_UNITS = ("a", "[a](b)", "https://a.example/")
_WORDS = re.compile(r"[^\x00-\x1f]{1,24}")


class Pump(NamedTuple):
    """A text that grows: a unit again and again, then as many of another; or many short texts."""

    unit: str
    close: str = ""
    is_many: bool = False
    number: int = 1_000_000

    def text(self, length: int) -> str:
        times = max(length // len(self.unit + self.close), 1)
        return self.unit * times + self.close * times


class _CannotMakeError(Exception):
    pass


class _Maker:
    """Make a value of any annotated kind around one pumped text."""

    def __init__(self, pump: Pump, length: int, keys: tuple[str, ...]) -> None:
        self.pump = pump
        self.length = length
        self.keys = keys
        self.text = pump.unit if pump.is_many else pump.text(length)
        self.inside = False
        self.number = 0
        self.made = 0

    def make(self, kind: Any, depth: int = 0) -> Any:  # noqa: ANN401
        self.made += 1
        if depth > _MAX_DEPTH or self.made > _MAX_VALUES:
            raise _CannotMakeError
        origin = typing.get_origin(kind)
        args = typing.get_args(kind)
        if kind is str:
            return self._text()
        if kind in (bytes, bytearray):
            return kind(self._text().encode("utf-8", "surrogatepass"))
        if kind in (int, float):
            return self.pump.number
        if kind is bool:
            return self.pump.number > 1
        if kind is None or kind is type(None):
            return None
        if kind in (object, Any):
            return self._json(depth)
        if isinstance(kind, typing.NewType):
            return self.make(kind.__supertype__, depth)
        if isinstance(kind, typing.TypeVar):
            return self.make(kind.__bound__ or object, depth)
        if isinstance(kind, type(typing.ForwardRef("a"))) or isinstance(kind, str):  # noqa: SIM101
            raise _CannotMakeError
        if origin is typing.Annotated:
            return self.make(args[0], depth)
        if origin is typing.Literal:
            return args[0]
        if origin in (typing.Union, types.UnionType):
            return self._first([each for each in args if each is not type(None)], depth)
        if origin is tuple and args and args[-1] is not ...:
            return tuple(self.make(each, depth + 1) for each in args)
        holder = origin or kind
        if isinstance(holder, type) and holder.__module__ in (
            "builtins",
            "collections.abc",
            "collections",
        ):
            return self._container(holder, args, depth)
        raise _CannotMakeError

    def _text(self) -> str:
        if self.pump.is_many:
            self.number += 1
            return f"{self.pump.unit}{self.number}"
        return self.text

    def _first(self, kinds: list[Any], depth: int) -> Any:  # noqa: ANN401
        for kind in kinds:
            try:
                return self.make(kind, depth)
            except _CannotMakeError:
                continue
        raise _CannotMakeError

    def _many(self, kind: Any, depth: int) -> list[Any]:  # noqa: ANN401
        times = 1
        if self.pump.is_many and not self.inside:
            times = self.length // _CHARS_AN_ITEM
        inside, self.inside = self.inside, True
        try:
            return [self.make(kind, depth + 1) for _ in range(times)]
        finally:
            self.inside = inside

    def _container(self, holder: Any, args: tuple[Any, ...], depth: int) -> Any:  # noqa: ANN401
        item = args[0] if args else object
        if issubclass(holder, Mapping):
            values = args[1] if len(args) > 1 else object
            if self.pump.is_many and not self.inside and values is not object:
                return dict(zip(self._many(item, depth), self._many(values, depth), strict=False))
            keys = self.keys if item in (str, object) else self._many(item, depth)
            return {key: self.make(values, depth + 1) for key in keys}
        if holder is Callable or issubclass(holder, Callable):  # type: ignore[arg-type]
            outcome = args[1] if len(args) > 1 else None
            return lambda *_args, **_words: self.make(outcome, depth + 1)
        values = self._many(item, depth)
        if holder in (Iterator, types.GeneratorType):
            return iter(values)
        if holder is frozenset or issubclass(holder, AbstractSet):
            return frozenset(values) if holder is not set else set(values)
        if holder is list or holder is tuple:
            return holder(values)
        if issubclass(holder, Collection | Iterable):
            return tuple(values)
        raise _CannotMakeError

    def _json(self, depth: int) -> Any:  # noqa: ANN401
        """Return a text, or an object of the module's own words with lists of such objects."""
        if not self.pump.is_many or depth > 3:
            return self._text()
        if depth % 2 == 0 and not self.inside:
            return {key: self._json(depth + 1) for key in self.keys}
        return self._many(dict[str, str], depth)


@cache
def _names_of(module: str) -> dict[str, Any]:
    """Return the names of a module, with those that only type checkers import."""
    names = dict(vars(sys.modules[module]))
    package = sys.modules[module].__package__
    for node in ast.walk(module_tree(module.removeprefix("webseam."))):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                label = alias.asname or alias.name
                if label not in names:
                    try:
                        base = import_module("." * node.level + (node.module or ""), package)
                        names[label] = getattr(base, alias.name)
                    except (ImportError, AttributeError):
                        continue
    return names


@cache
def kinds_of(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the kinds of the parameters of a function, or of the fields of a class."""
    names = (
        _names_of(value.__module__)
        if value.__module__ in sys.modules and value.__module__.startswith("webseam.")
        else None
    )
    return typing.get_type_hints(value, names, names)


_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def loops_of(module: str) -> Mapping[str, str]:
    """Return the loops in the functions of a module, as they are counted, with the function's name."""
    found: dict[str, str] = {}
    for function in ast.walk(module_tree(module)):
        if not isinstance(function, _FUNCTIONS):
            continue
        for node in ast.walk(function):
            if isinstance(node, _LOOPS):
                parts = range(len(getattr(node, "generators", "a")))
                found |= {
                    f"{module}:{node.lineno}:{node.col_offset + k}": function.name for k in parts
                }
    return found


def leading_names(module: str, turned: AbstractSet[str]) -> set[str]:
    """Return the functions of a module that lead to a loop which has not turned."""
    names = {name for place, name in loops_of(module).items() if place not in turned}
    uses = {
        function.name: {
            _last_name(node)
            for node in ast.walk(function)
            if isinstance(node, ast.Name | ast.Attribute)
        }
        for function in ast.walk(module_tree(module))
        if isinstance(function, _FUNCTIONS)
    }
    while more := {name for name, used in uses.items() if used & names} - names:
        names |= more
    return names


@cache
def _looping_lines(module: str) -> frozenset[int]:
    """Return the first lines of the functions that have a loop, or call themselves."""
    return frozenset(
        min([function.lineno, *(each.lineno for each in function.decorator_list)])
        for function in ast.walk(module_tree(module))
        if isinstance(function, _FUNCTIONS)
        and any(
            isinstance(node, _LOOPS)
            or (isinstance(node, ast.Name | ast.Attribute) and _last_name(node) == function.name)
            for node in ast.walk(function)
        )
    )


def _last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


class Reader(NamedTuple):
    """A function or a method that may take a text."""

    module: str
    label: str
    function: Any

    @property
    def has_loop(self) -> bool:
        return self.function.__code__.co_firstlineno in _looping_lines(self.module)


def _takes_texts(reader: Reader) -> bool:
    """Tell whether a function needs texts and nothing else."""
    try:
        kinds = kinds_of(reader.function)
    except (NameError, TypeError, AttributeError, KeyError):
        return False
    required = [name for name, each in _parameters(reader.function) if each.default is each.empty]
    return bool(required) and all(kinds.get(name) in (str, bytes) for name in required)


def readers_of(name: str) -> Iterator[Reader]:
    """Yield the functions of a module that can be called with texts alone."""
    module = import_module(f"webseam.{name}")
    for label, value in list(vars(module).items()):
        is_ours = callable(value) and getattr(value, "__module__", "") == module.__name__
        plain = inspect.unwrap(value) if is_ours else None
        if inspect.isfunction(plain):
            reader = Reader(name, f"{name}.{label}", plain)
            if _takes_texts(reader):
                yield reader


def _constants(code: CodeType) -> Iterator[str]:
    for each in code.co_consts:
        if isinstance(each, str):
            yield each
        elif isinstance(each, bytes):
            yield each.decode("latin-1")
        elif isinstance(each, CodeType):
            yield from _constants(each)
        elif isinstance(each, tuple | frozenset):
            yield from (part for part in each if isinstance(part, str))


def pumps_of(function: Any) -> list[Pump]:  # noqa: ANN401
    """Return the pumps of a function: the usual ones, and those made of its own words."""
    doc = function.__doc__
    own = [
        each
        for each in dict.fromkeys(_constants(function.__code__))
        if each != doc and ":" not in each[8:] and _WORDS.fullmatch(each) and each not in _UNITS
    ][:_MAX_CONSTANTS]
    takes_number = "int" in str(function.__annotations__)
    pumps = [Pump(unit) for unit in own] + [Pump(unit, is_many=True) for unit in _FEW_UNITS]
    pumps += [Pump(unit) for unit in _UNITS] + [Pump(*pair) for pair in _PAIRS]
    if takes_number:
        pumps += [pump._replace(number=number) for pump in pumps[::6] for number in (1, 100)]
    return pumps


def _drain(outcome: Any) -> None:  # noqa: ANN401
    if inspect.iscoroutine(outcome):
        try:
            outcome.send(None)
        except StopIteration as stop:
            _drain(stop.value)
        finally:
            outcome.close()
    elif isinstance(outcome, Iterator):
        for _ in outcome:
            pass


@cache
def _parameters(function: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401
    return tuple(inspect.signature(function).parameters.items())


class _TimeoutError(BaseException):
    pass


class _WaitError(BaseException):
    pass


def measured_work(reader: Reader, pump: Pump, length: int) -> int | None:
    """Return the work of one call, or None if no arguments can be made."""
    COUNT.reset()
    maker = _Maker(pump, length, ())
    function = reader.function
    kinds = kinds_of(function)
    needed = [each for _, each in _parameters(function) if each.default is each.empty]
    try:
        values = [
            (each.kind is each.KEYWORD_ONLY, each.name, maker.make(kinds[each.name]))
            for each in needed
        ]
    except _CannotMakeError:
        return None
    args = [value for is_word, _, value in values if not is_word]
    given = {name: value for is_word, name, value in values if is_word}
    COUNT.reset(_MAX_WORK)
    signal.setitimer(signal.ITIMER_VIRTUAL, _MAX_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, _MAX_WAIT_SECONDS)
    try:
        _drain(function(*args, **given))
    except (_TimeoutError, _WaitError, KeyboardInterrupt):
        raise
    except BaseException:  # noqa: BLE001, S110  what a call raises is another law
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return COUNT.work


def superlinear_work(reader: Reader, pump: Pump) -> list[int] | None:
    """Return the work at growing sizes if the last doublings cost too much."""
    first = measured_work(reader, pump, SIZES[1])
    if first is None:
        raise _CannotMakeError
    is_heavy = first >= _MAX_WORK and pump.number > SIZES[-1]
    is_cheap = first <= _CHEAP * SIZES[1] and not pump.is_many
    if is_cheap or is_heavy:
        return None
    least = measured_work(reader, pump, 1) or 0
    work: list[int] = []
    for length in SIZES:
        is_measured = length == SIZES[1] and first < _MAX_WORK
        cost = first if is_measured else measured_work(reader, pump, length)
        # Lists within lists grow faster than their arguments can be made.
        if cost is None:
            return work if len(work) > _MIN_SIZES else None
        work.append(cost - least)
        if cost >= _MAX_WORK:
            break
        limit = _SUSPECT_GROWTH if len(work) < len(SIZES) else MAX_GROWTH
        least_work = length // _CHARS_AN_ITEM if pump.is_many else length
        if len(work) > 1 and work[-1] <= limit * max(work[-2], least_work):
            return None
    return work


def _pump_reader(
    reader: Reader, slow: dict[str, Any], called: list[str], uncalled: list[str]
) -> None:
    before = COUNT.total
    try:
        for pump in pumps_of(reader.function):
            if work := superlinear_work(reader, pump):
                slow[reader.label] = [pump, work]
            if work or COUNT.total - before > _MAX_FUNCTION_WORK:
                break
        called.append(reader.label)
    except _TimeoutError:
        slow[reader.label] = ["timeout", []]
    except _WaitError:
        uncalled.append(reader.label)


def _forbid_effects(event: str, args: tuple[Any, ...]) -> None:
    mode = args[1] if event == "open" else "r"
    flags = args[2] if event == "open" and mode is None and isinstance(args[2], int) else 0
    writes = bool({*(mode or "")} & {*"wax+"}) or bool(flags & 0o3)
    starts = event.startswith(
        (
            "subprocess.",
            "os.",
            "shutil.",
            "socket.",
            "sqlite3.",
            "resource.",
            "signal.",
            "pty.",
            "webbrowser.",
            "_thread.",
        )
    )
    reads = event in (
        "os.listdir",
        "os.scandir",
        "socket.__new__",
        "socket.gethostname",
        "os.walk",
        "os.fwalk",
    )
    if writes or (starts and not reads):
        message = f"a pumped call may not do this: {event}"
        raise PermissionError(message)


def _on_alarm(number: int, _frame: object) -> None:
    raise _TimeoutError if number == signal.SIGVTALRM else _WaitError


def main(names: list[str]) -> None:
    install()
    sys.setrecursionlimit(20_000)
    signal.signal(signal.SIGVTALRM, _on_alarm)
    signal.signal(signal.SIGALRM, _on_alarm)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    readers = []
    missing = []
    for name in names:
        if name.endswith("__main__"):
            continue
        try:
            readers += [*readers_of(name)]
        except ImportError:
            missing.append(name)
    COUNT.turned.clear()
    slow: dict[str, Any] = {}
    uncalled: list[str] = []
    called: list[str] = []
    sys.addaudithook(_forbid_effects)
    # What has a loop of its own first; then what may lead to a loop that has not turned.
    for reader in readers:
        if reader.has_loop:
            _pump_reader(reader, slow, called, uncalled)
    leading = {name: leading_names(name, COUNT.turned) for name in names}
    for reader in readers:
        if not reader.has_loop and reader.function.__name__ in leading[reader.module]:
            _pump_reader(reader, slow, called, uncalled)
    report = {
        "slow": slow,
        "called": called,
        "uncalled": uncalled,
        "missing": missing,
        "turned": sorted(COUNT.turned),
    }
    print(json.dumps(report))  # noqa: T201  the test reads it


if __name__ == "__main__":
    main(sys.argv[1:])

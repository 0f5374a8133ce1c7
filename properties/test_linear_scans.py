"""Every function of the kernel that reads one text does work in proportion to it.

Lines that run are counted, not seconds. Patterns have a law of their own in test_linear_patterns.py.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FrameType
from typing import Any

from properties.written_patterns import parent_modules

MAX_GROWTH = 2.5
UNITS = (
    "a", " ", "\n", "a ", "a\n", "[", "](", "![", "(", ")", "{", "}", '"', "\\", "<", ">", "`", "```\n",
    "# ", "# a\n", "- a\n", "|a|\n", "> ", "a. ", ".", "...", "-", "_", "*", "%", "&", "/", "../",
    "?a=1&", "@", ":", "0", "1,", "[1]", '{"a":', "https://a.example/ ", "\u00e9", "\u4e2d", "\u200b",
)  # fmt: skip
SIZES = (200, 400, 800)


def text_readers() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield the public functions of the kernel that can be called with one text."""
    for name in parent_modules():
        if not name.startswith("kernel."):
            continue
        module = import_module(f"webseam.{name}")
        for label, function in vars(module).items():
            is_ours = inspect.isfunction(function) and function.__module__ == module.__name__
            if not is_ours or label.startswith("_") or inspect.iscoroutinefunction(function):
                continue
            required = [
                parameter
                for parameter in inspect.signature(function).parameters.values()
                if parameter.default is parameter.empty
                and parameter.kind is not parameter.VAR_KEYWORD
            ]
            if [parameter.annotation for parameter in required] in ([str], ["str"]):
                yield f"{name}.{label}", function


def counted_lines(function: Callable[[str], object], text: str) -> int:
    """Return the lines that a call runs, with those of what it returns lazily."""
    lines = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:  # noqa: ANN401
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        outcome = function(text)
        if isinstance(outcome, Iterator):
            for _ in outcome:
                pass
    finally:
        sys.settrace(before)
    return lines


def test_every_reader_of_a_text_in_the_kernel_is_linear() -> None:
    readers = dict(text_readers())
    assert readers
    slow: dict[str, object] = {}
    for name, function in readers.items():
        for unit in UNITS:
            lines = [counted_lines(function, unit * (size // len(unit))) for size in SIZES]
            if lines[2] > MAX_GROWTH * lines[1] > MAX_GROWTH * MAX_GROWTH * lines[0]:
                slow[name] = unit, lines
    assert slow == {}

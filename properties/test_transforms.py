"""Every transformation of a page's text does work, and returns text, in proportion to the text.

The law of loops (test_linear_scans.py) could not see this: the loops are the parser's, a table grows only
with its columns *and* its rows, and what grew was the output. So the lines that run are counted, those of
libraries too, and the characters that come out, while a text doubles. A typed failure is an answer, and
must have cost no more.
"""

import math
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, cast

import pytest
from hypothesis import given, settings, strategies as st
from returns.result import Failure, Result, Success

from webseam.adapters.transforms.table import (
    TRANSFORMS,
    TransformName,
    max_output_chars,
    transform_text,
)
from webseam.composition.terminal.rich_markdown import draw_markdown, max_drawn_chars
from webseam.composition.terminal.terminal_look import DrawnLook
from webseam.ports.errors import WebError

SIZES = (512, 1024, 2048)
MAX_GROWTH = 2.5
# Of these, the start of a link that does not end has 440: its address may have 32 parentheses.
# What rich draws has more.
MAX_LINES_PER_CHAR = {False: 600, True: 4000}
DETAILS: dict[TransformName, str] = {
    "html": "",
    "text": "",
    "links": "https://a.example/a/page/with/a/path",
    "images": "",
    "without_images": "",
    "passages": "300 What is a tide?",
}
UNITS = (
    "a", "a ", "a\n", "a\n\n", "# a\n", "- a\n", "-\n", "* a\n+ a\n", "1. a\n", "> ", "> a\n", "    a\n", "***\n", "```\n",
    "`a` ", "*a* ", "**", "~~a~~ ", "_", "\\", "[", "![", "]", "(", ")", "[](", "[a](b)", "[](a) ", "![a](b)", "[a]: b\n",
    "[a][a]", "[^1]", "<", "<b>", "<https://a.example/>", "https://a.example/ ", "&amp;", '"', "$a_1$ ", "$", "\\(", "|", "|a|\n",
    "|\n", "|-|\n", "\t", "\u00e9", "\u4e2d", "\U0001f30a", "\u200b", "a. ", "A. B! ", "\u3002",
)  # fmt: skip


def _repeat(unit: str, length: int) -> str:
    return unit * (length // len(unit))


def _square_table(length: int, prefix: str = "") -> str:
    """Return a table of as many columns as rows, whose cells are not written."""
    side = max(length // (6 + len(prefix)), 1)
    rows = f"{prefix}|\n" * side
    return f"{prefix}{'|a' * side}\n{prefix}{'|-' * side}\n{rows}"


def _tables(length: int) -> str:
    table = f"{_square_table(128)}\n"
    return table * max(length // len(table), 1)


def _nested_list(length: int) -> str:
    return "\n".join(f"{'  ' * depth}- a" for depth in range(math.isqrt(length)))


def _references(length: int) -> str:
    names = range(max(length // 20, 1))
    return "".join(f"[a{n}]: b{n}\n\n" for n in names) + "".join(f"[a{n}] " for n in names)


PUMPS: dict[str, Callable[[int], str]] = {
    **{f"many {unit!r}": partial(_repeat, unit) for unit in UNITS},
    "brackets within brackets": lambda length: "[" * (length // 2) + "]" * (length // 2),
    "links within links": lambda length: "[" * (length // 6) + "](a)" * (length // 6),
    "stars around stars": lambda length: "*" * (length // 2) + "a" + "*" * (length // 2),
    "quotes within quotes": lambda length: "> " * (length // 2) + "a",
    "lists within lists": _nested_list,
    "lists on a line": lambda length: "- " * (length // 2) + "a",
    "references": _references,
    "one reference, used often": lambda length: "[a]: b\n\n" + "[a]" * (length // 3),
    "a square table": _square_table,
    "a square table in a quote": lambda length: _square_table(length, "> "),
    "a wide table with one row": lambda length: "|a" * (length // 4) + "\n" + "|-" * (length // 4),
    "many tables": _tables,
}


def _transform(name: TransformName, text: str) -> Result[str, WebError]:
    return transform_text(text, name, DETAILS[name])


def _draw(text: str) -> Result[str, WebError]:
    return draw_markdown(text, DrawnLook(styles=True, colours=True, links=True))


FUNCTIONS: dict[str, Callable[[str], Result[str, WebError]]] = {
    **{name: partial(_transform, name) for name in DETAILS},
    "drawn": _draw,
}


def _max_chars(name: str, text: str) -> int:
    if name == "drawn":
        return max_drawn_chars(text)
    return max_output_chars(text, DETAILS[cast("TransformName", name)])


def _counted(name: str, text: str) -> tuple[int, Result[str, WebError]]:
    """Return the lines that a transformation runs, and its outcome."""
    lines = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401  itself
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        outcome = FUNCTIONS[name](text)
    finally:
        sys.settrace(before)
    return lines, outcome


@pytest.mark.parametrize("name", FUNCTIONS)
def test_twice_the_text_costs_at_most_two_and_a_half_times_the_work(name: str) -> None:
    FUNCTIONS[name]("# warm\n\n- up\n")
    max_lines = MAX_LINES_PER_CHAR[name == "drawn"]
    slow: dict[str, object] = {}

    for pump, make in PUMPS.items():
        work = [_counted(name, make(size))[0] for size in SIZES]
        least = max_lines * SIZES[0] / 4
        grows = work[-1] > MAX_GROWTH * max(work[-2], least)
        if grows or work[-1] > max_lines * SIZES[-1]:
            slow[pump] = work

    assert slow == {}


@pytest.mark.parametrize("size", [100, 6_000])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_output_is_bounded_by_a_multiple_of_the_input(name: str, size: int) -> None:
    for make in PUMPS.values():
        text = make(size)

        outcome = FUNCTIONS[name](text)

        if isinstance(outcome, Success):
            assert len(outcome.unwrap()) <= _max_chars(name, text)


def test_a_table_that_fills_itself_up_is_a_failure_and_an_honest_one_is_not() -> None:
    honest = "|a|b|\n|-|-|\n" + "|1|2|\n" * 2000

    assert isinstance(transform_text(_square_table(1500), "html", ""), Failure)
    assert isinstance(transform_text(_square_table(1500), "text", ""), Failure)
    assert transform_text(honest, "html", "").unwrap().count("<td>") == 4000


def test_a_short_link_to_a_long_address_is_counted_at_its_full_length() -> None:
    links = "".join(f"[](a{number})" for number in range(2000))
    base = f"https://a.example/{'b' * 2000}/"

    assert isinstance(transform_text(links, "links", base), Failure)


_PARTS = st.tuples(st.sampled_from(UNITS), st.integers(1, 200))


@settings(deadline=None)
@given(name=st.sampled_from(list(FUNCTIONS)), parts=st.lists(_PARTS, max_size=5))
def test_no_text_raises_or_grows_beyond_its_bound(name: str, parts: list[tuple[str, int]]) -> None:
    text = "".join(unit * times for unit, times in parts)

    outcome = FUNCTIONS[name](text)

    if isinstance(outcome, Success):
        assert len(outcome.unwrap()) <= _max_chars(name, text)


def test_every_transformation_has_a_law() -> None:
    assert DETAILS.keys() == TRANSFORMS.keys()

"""Files of variables."""

import os

import pytest
from returns.result import Failure

from webseam.composition.settings.settings_files import read_dotenv


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1", {"A": "1"}),
        ("A=1\r\nB=2\r", {"A": "1", "B": "2"}),
        ("\ufeffA = 1 \n", {"A": "1"}),
        ("export A=1\nexport=2", {"A": "1", "export": "2"}),
        ("# A=1\n\n  # B=2\nC=3", {"C": "3"}),
        (
            "A=a b # c\nB=a#b\nC=#x\nD= # y\nE=",
            {"A": "a b", "B": "a#b", "C": "#x", "D": "", "E": ""},
        ),
        ("A='a \"b\" \\n $B' # c", {"A": 'a "b" \\n $B'}),
        ('A="a\\tb\\"c\\\\ \\$D \\x" # c', {"A": 'a\tb"c\\ \\$D \\x'}),
        ("A='one\ntwo'\nB=3", {"A": "one\ntwo", "B": "3"}),
        ("A=$B ${C} `d`", {"A": "$B ${C} `d`"}),
        ("A=1\nA=2", {"A": "2"}),
        ("A.b-c=1", {"A.b-c": "1"}),
        ("A==x=", {"A": "=x="}),
    ],
)
def test_a_line_gives_a_name_and_a_value(text: str, expected: dict[str, str]) -> None:
    file = read_dotenv(text).unwrap()

    assert {name: variable.value for name, variable in file.variables.items()} == expected
    assert file.unread == ()


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("nonsense", (1,)),
        ("A=1\nB\nC 3\n", (2, 3)),
        ("A='open\nB=2", (1,)),
        ('A="x" y\n', (1,)),
        ("=1", (1,)),
    ],
)
def test_a_line_that_is_none_is_counted(text: str, unread: tuple[int, ...]) -> None:
    assert read_dotenv(text).unwrap().unread == unread


def test_lines_are_counted_over_values_that_go_over_several() -> None:
    file = read_dotenv("A='x\ny'\n\nB=1\nC='z'\n").unwrap()

    assert [variable.line for variable in file.variables.values()] == [1, 4, 5]
    assert "z" not in repr(file)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A=1\n" * 80_000, "has 320,000 characters; at most 131,072 are read"),
        ("\n" * 80_000, "has 80,000 lines; at most 4,000 are read"),
        ("A=1\nB=x" + " " * 65 + "y\n", "has more than 64 blanks in a row on line 2"),
    ],
    ids=["characters", "lines", "blanks"],
)
def test_a_file_that_would_take_long_is_refused(text: str, reason: str) -> None:
    assert read_dotenv(text) == Failure(reason)


def test_nothing_is_filled_in_and_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDE", "high")
    before = dict(os.environ)

    file = read_dotenv("A=${TIDE}\nTIDE=low\n").unwrap()

    assert file.variables["A"].value == "${TIDE}"
    assert dict(os.environ) == before

"""Files of variables."""

import pytest

from webseam.composition.settings.dotenv import read_dotenv


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1", {"A": "1"}),
        ("A=1\r\nB=2\r", {"A": "1", "B": "2"}),
        ("\ufeffA = 1 \n", {"A": "1"}),
        ("export A=1\nexport=2", {"A": "1", "export": "2"}),
        ("# A=1\n\n  # B=2\nC=3", {"C": "3"}),
        ("A=a b # c\nB=a#b\nC=#x\nD= # y\nE=", {"A": "a b", "B": "a#b", "C": "#x", "D": "", "E": ""}),
        ("A='a \"b\" \\n $B' # c", {"A": 'a "b" \\n $B'}),
        ('A="a\\tb\\"c\\\\ \\$D \\x" # c', {"A": 'a\tb"c\\ $D \\x'}),
        ("A='one\ntwo'\nB=3", {"A": "one\ntwo", "B": "3"}),
        ("A=$B ${C} `d`", {"A": "$B ${C} `d`"}),
        ("A=1\nA=2", {"A": "2"}),
        ("A.b-c=1", {"A.b-c": "1"}),
        ("A==x=", {"A": "=x="}),
    ],
)  # fmt: skip
def test_a_line_gives_a_name_and_a_value(text: str, expected: dict[str, str]) -> None:
    read = read_dotenv(text)

    assert {name: found.value for name, found in read.found.items()} == expected
    assert read.unread == ()


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("nonsense", (1,)),
        ("A=1\n1A=2\nB 3\n", (2, 3)),
        ("A='open\nB=2", (1,)),
        ('A="x" y\n', (1,)),
        ("=1", (1,)),
    ],
)
def test_a_line_that_is_none_is_counted(text: str, unread: tuple[int, ...]) -> None:
    assert read_dotenv(text).unread == unread


def test_lines_are_counted_over_values_that_go_over_several() -> None:
    read = read_dotenv("A='x\ny'\n\nB=1\nC='z'\n")

    assert [found.line for found in read.found.values()] == [1, 4, 5]
    assert "z" not in repr(read)

"""One value set in a file: the rest of it stays as it is."""

import pytest
from returns.result import Failure

from tests.settings.support import BOMB
from webseam.composition.settings.yaml_edits import Value, set_yaml_value


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        ("", "a", "x", "a: x\n"),
        ("# mine\n", "a.b.c", "x", "# mine\na:\n  b:\n    c: x\n"),
        ("# mine", "a", "x", "# mine\na: x\n"),
        ("---\n", "a", "x", "---\na: x\n"),
        ("a: 1", "b", "x", "a: 1\nb: x"),
        ("a: 1\n", "a", "y", "a: y\n"),
        ("a: 1  # one\nb: 2\n", "a", 5, "a: 5  # one\nb: 2\n"),
        ("a: 'x'\n", "a", "it's: a #b", 'a: "it\'s: a #b"\n'),
        ("a:\nb: 2\n", "a", "x", "a: x\nb: 2\n"),
        ("a:   # none\n", "a", "x", "a: x   # none\n"),
        ("a: ~ # none\n", "a", True, "a: true # none\n"),
        ("a: |\n  long\n  text\nb: 2\n", "a", "x", "a: x\nb: 2\n"),
        ("a: [1, 2] # list\n", "a", "x", "a: x # list\n"),
        (
            "a:\n  b: 1 # one\n\n# about c\nc: 3\n",
            "a.d",
            "x",
            "a:\n  b: 1 # one\n  d: x\n\n# about c\nc: 3\n",
        ),
        (
            "a:\n    b:\n        c: 1\nd: 2\n",
            "a.b.e.f",
            "x",
            "a:\n    b:\n        c: 1\n        e:\n          f: x\nd: 2\n",
        ),
        ("a:\n  b: |\n    text\n\nc: 3\n", "a.d", "x", "a:\n  b: |\n    text\n\n  d: x\nc: 3\n"),
        ("a: 1\n...\n", "b", "x", "a: 1\nb: x\n...\n"),
        ("a:\n  - 1\n  - 2 # two\n", "b", "x", "a:\n  - 1\n  - 2 # two\nb: x\n"),
        ("a: # nothing yet\nb: 2\n", "a.c", "x", "a: # nothing yet\n  c: x\nb: 2\n"),
        ("a: null\nb: 2\n", "a.c.d", "x", "a: \n  c:\n    d: x\nb: 2\n"),
        ("a: {}\n", "a.b", "x", "a: {b: x}\n"),
        ("a: {b: 1 , } # c\n", "a.d.e", "x", "a: {b: 1, d: {e: x} , } # c\n"),
        ("a: {b: }\n", "a.b.c", "x", "a: {b: {c: x} }\n"),
        ("{a: 1}", "b", "x", "{a: 1, b: x}"),
        ("a: 1\r\nb:\r\n  c: 2 # two\r\n", "b.d", "x", "a: 1\r\nb:\r\n  c: 2 # two\r\n  d: x\r\n"),
        ("a: 1\r\nb: 2", "b", "x", "a: 1\r\nb: x"),
        ("a: ü # ö\nb: 2\n", "b", "é\u2028\U0001f600", 'a: ü # ö\nb: "é\\u2028😀"\n'),
        ("a: &x 1\nb: *x\n", "c", "y", "a: &x 1\nb: *x\nc: y\n"),
        ("'a b': 1\n", "a b", "x", "'a b': x\n"),
        ("a: 1\n", "b c", "x", 'a: 1\n"b c": x\n'),
        ("a: .nan\n", "b", "x", "a: .nan\nb: x\n"),
        ("\ufeffa: 1\n", "a", "x", "\ufeffa: x\n"),
    ],
)
def test_a_value_is_set_in_place(text: str, path: str, value: Value, expected: str) -> None:
    assert set_yaml_value(text, tuple(path.split(".")), value).unwrap() == expected


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("a: [", "a", "is not valid YAML (did not find expected node content)"),
        ("- a\n", "a", "the file does not hold settings"),
        (
            "a: 1\n",
            "a.b",
            "a is one value there, not a block, and cannot be changed safely; please edit the file by hand",
        ),
        (
            "a:\n  - 1\n",
            "a",
            "a holds several values and cannot be changed safely; please edit the file by hand",
        ),
        (
            "a: &x 1\nb: *x\n",
            "b",
            "b is an alias and cannot be changed safely; please edit the file by hand",
        ),
        ("a: &x 1\nb: *x\n", "a", "a cannot be changed safely; please edit the file by hand"),
        ("---\n...\n", "b", "b cannot be changed safely; please edit the file by hand"),
        (
            "a: &x 1\nb: &x 2\n",
            "c",
            "the file cannot be changed safely; please edit the file by hand",
        ),
        (BOMB, "z", "the file cannot be changed safely; please edit the file by hand"),
    ],
    ids=lambda text: text[:30],
)
def test_unsafe_edit_of_a_file_is_refused(text: str, path: str, reason: str) -> None:
    assert set_yaml_value(text, tuple(path.split(".")), "x") == Failure(reason)

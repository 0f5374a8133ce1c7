"""The help of every command: it fits the width, breaks no word, and has an example that works."""

import argparse
import re
import shlex

import pytest

from tests.doors.cli.helps import ALL
from webseam.composition.doors.cli import command_overview, find_commands
from webseam.composition.terminal.argument_parser import Parser

_SCREEN_LINES = 24


def own_words(parser: Parser) -> set[str]:
    """Return the words that the author of a command wrote."""
    texts = [parser.description or "", parser.epilog or "", *parser.examples]
    texts += [action.help or "" for action in parser._actions]  # noqa: SLF001
    return {word for text in texts for word in text.replace("%%", "%").split()}


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("parser", ALL, ids=lambda parser: parser.prog)
def test_a_help_fits_the_width_and_breaks_no_word(
    parser: Parser, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = parser.format_help()

    assert [line for line in text.splitlines() if len(line) > width] == []
    shown = {word for shown in text.split() for word in (shown, shown.rstrip(":"))}
    assert own_words(parser) - shown - {argparse.SUPPRESS} == set()


@pytest.mark.parametrize("parser", ALL, ids=lambda parser: parser.prog)
def test_a_help_fits_a_screen_or_is_grouped_with_what_all_commands_have_last(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = parser.format_help()
    titles = re.findall(r"^([a-z][^:\n]*):$", text, re.MULTILINE)

    assert titles[-2:] == ["all commands", "examples"]
    own_groups = set(titles) - {"arguments", "options", "all commands", "examples"}
    assert len(text.splitlines()) <= _SCREEN_LINES or own_groups


@pytest.mark.parametrize("parser", ALL, ids=lambda parser: parser.prog)
def test_every_help_has_examples_that_parse(parser: Parser) -> None:
    for example in parser.examples:
        words = shlex.split(example.removeprefix(parser.prog))

        assert example.startswith(parser.prog)
        assert parser.parse_args(words) is not None


@pytest.mark.parametrize("width", [60, 80])
def test_the_overview_fits_and_its_first_screen_has_eight_commands(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    first, everything = command_overview(), command_overview(with_all=True)
    listed = first.partition("Commands\n")[2].partition("\n\n")[0]

    assert max(map(len, [*first.splitlines(), *everything.splitlines()])) <= width
    assert len(re.findall(r"^  [a-z]", listed, re.MULTILINE)) == 8
    assert all(re.search(rf"^  {name} ", everything, re.MULTILINE) for name in find_commands())
    assert width < 80 or len(first.splitlines()) <= _SCREEN_LINES

"""Every command in a shell block is one that there is, with options that it takes; make's too.

And every option that a command takes is told somewhere.
"""

import re
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Iterator

import pytest

from tests.docs.shell import is_understood
from webseam.composition.doors.cli import find_commands, load_command

from .shell import commands
from .snippets import PAGES, snippets

CALLS = [
    (command.place, command.words)
    for snippet in snippets("sh", "console")
    for command in commands(snippet)
    if command.words[:1] in (["webseam"], ["make"])
]


def test_a_command_is_understood() -> None:
    assert CALLS
    assert [place for place, words in CALLS if not is_understood(*words)] == []


def _told(parser: ArgumentParser) -> Iterator[Action]:
    """Give every option of a command and of those below it, but what is hidden from its help."""
    for action in parser._actions:  # noqa: SLF001  argparse has no other list of them
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from _told(below)
        elif action.help != SUPPRESS and action.option_strings:
            yield action


@pytest.mark.parametrize("command", find_commands())
def test_every_option_is_told_somewhere(command: str) -> None:
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    told = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", pages))
    parser = load_command(command).command_line()

    options = [action.option_strings for action in _told(parser)]

    assert [names for names in options if told.isdisjoint(names)] == []


# Not options of a command that a parser lists, and why a page names them.
OTHER_OPTIONS = {
    "--flag": "a word of a query, in docs/document-index.md",
    "--allow-tool-override": "of hermes",
    "--passages": "of a benchmark",
    "--remove": "of webseam data rules, which reads its own words",
}


def test_option_in_the_text_of_a_page_is_one_of_a_command() -> None:
    parsers = [load_command(command).command_line() for command in find_commands()]
    options = {
        name for parser in parsers for action in _told(parser) for name in action.option_strings
    }

    unknown = {
        f"{page.name}: {option}"
        for page in PAGES
        for code in re.findall(r"`((?:webseam |--)[^`]+)`", page.read_text("utf-8"))
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", code)
        if option not in options | {*OTHER_OPTIONS, "--help"}
    }

    assert unknown == set()

"""Every command in a shell block is one that there is, with options that it takes; make's too."""

import re
import shlex
from collections.abc import Iterator
from importlib import import_module

import pytest

from webseam.composition.cli import COMMANDS

from .snippets import ROOT, snippets

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def commands() -> Iterator[tuple[str, list[str]]]:
    """Give each call of a program of ours, with the place where it stands."""
    for snippet in snippets("sh", "console"):
        lines = snippet.text.replace("\\\n", " ").splitlines()
        for number, line in enumerate(lines):
            if snippet.language == "console" and not line.startswith("$ "):
                continue
            for words in _calls(line.removeprefix("$ ")):
                yield f"{snippet.page}:{snippet.line + number}", words


def _calls(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not set(word) <= set("();<>|&"):
            words.append(word)
            continue
        # What is in front of a redirection goes on behind its file, which is no argument of ours.
        call, words = words, []
        if call[:1] in (["webseam"], ["make"]):
            yield call


CALLS = list(commands())


@pytest.mark.parametrize(("place", "words"), CALLS, ids=[place for place, _ in CALLS])
def test_a_command_is_understood(place: str, words: list[str]) -> None:
    program, *arguments = words
    if program == "make":
        assert set(arguments) <= TARGETS, place
        return
    command, *options = arguments
    if command.startswith("-"):
        return
    assert command in COMMANDS, place

    module = import_module(f"webseam.composition.cli.commands.{command}")
    parser = module.command_line()
    # It exits when it does not understand, and so does --help.
    parser.parse_args([option for option in options if option not in ("-h", "--help")])

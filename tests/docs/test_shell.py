"""Every command in a shell block is one that there is, with options that it takes; make's too."""

import re
from importlib import import_module

import pytest

from webseam.composition.cli import COMMANDS

from .shell import commands
from .snippets import ROOT, snippets

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
CALLS = [
    (command.place, command.words)
    for snippet in snippets("sh", "console")
    for command in commands(snippet)
    if command.words[:1] in (["webseam"], ["make"])
]


@pytest.mark.parametrize(("place", "words"), CALLS, ids=[place for place, _ in CALLS])
def test_a_command_is_understood(place: str, words: list[str]) -> None:
    program, *arguments = words
    if program == "make":
        assert {word for word in arguments if "=" not in word} <= TARGETS, place
        return
    command, *options = arguments
    if command.startswith("-"):
        return
    assert command in COMMANDS, place

    module = import_module(f"webseam.composition.cli.commands.{command}")
    parser = module.command_line()
    # It exits when it does not understand, and so does --help.
    parser.parse_args([option for option in options if option not in ("-h", "--help")])

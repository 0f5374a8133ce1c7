"""Blocks of shell, taken apart as far as examples go: exports, redirections, one command a line."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from webseam.composition.doors.cli import find_commands, load_command

from .snippets import ROOT, Snippet

_MARKS = set("();<>|&")


class Command(NamedTuple):
    """A program with its arguments; ``variables`` stand in front, ``source`` and ``target`` behind.

    ``output`` is what a block of ``console`` shows below it; None in other blocks.
    """

    place: str
    words: list[str]
    variables: dict[str, str]
    source: str | None = None
    target: str | None = None
    output: str | None = None


def commands(snippet: Snippet) -> Iterator[Command]:
    """Give each command of a block, with the place where it stands."""
    lines = snippet.text.replace("\\\n", " ").splitlines()
    for number, line in enumerate(lines):
        place = f"{snippet.page}:{snippet.line + number}"
        if snippet.language != "console":
            yield from _commands(place, line)
        elif line.startswith("$ "):
            below = takewhile(lambda text: not text.startswith("$ "), lines[number + 1 :])
            output = "".join(f"{text}\n" for text in below)
            for command in _commands(place, line.removeprefix("$ ")):
                yield command._replace(output=output)


def _commands(place: str, line: str) -> Iterator[Command]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    files: dict[str, str] = {}
    mark = ""
    for word in [*lexer, ";"]:
        if mark in ("<", ">"):
            files[mark], mark = word, ""
        elif not set(word) <= _MARKS:
            words.append(word)
        elif word in ("<", ">"):
            mark = word
        elif words:
            yield _command(place, words, files)
            words, files = [], {}


def _command(place: str, words: list[str], files: dict[str, str]) -> Command:
    exported = words[0] == "export"
    begin = 1 if exported else 0
    end = begin
    while end < len(words) and "=" in words[end].partition("/")[0]:
        end += 1
    variables = dict(word.split("=", 1) for word in words[begin:end])
    rest = ["export"] if exported else words[end:]
    return Command(place, rest, variables, files.get("<"), files.get(">"))


TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def is_understood(program: str, command: str, *options: str) -> bool:
    if program == "make":
        return {word for word in (command, *options) if "=" not in word} <= TARGETS
    if command.startswith("-"):
        return True
    if command not in find_commands():
        return False
    try:
        # It exits when it does not understand, and so does --help.
        load_command(command).command_line().parse_args(
            [option for option in options if option not in ("-h", "--help")]
        )
    except SystemExit:
        return False
    return True

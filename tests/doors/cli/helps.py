"""The commands that help lists."""

from collections.abc import Iterator

from webseam.composition.doors.cli import find_commands, load_command
from webseam.composition.terminal.argument_parser import Parser


def parsers(parser: Parser) -> Iterator[Parser]:
    yield parser
    for group in parser._subcommand_groups():  # noqa: SLF001  argparse has no other way
        for command in group.choices.values():
            yield from parsers(command)


ALL = [parser for name in find_commands() for parser in parsers(load_command(name).command_line())]

"""Options that several commands have: who answers, and how much text may come out."""

import argparse
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ....adapters.index.schema import INDEX_SETTING
from ....kernel.text.trim import Budget
from .parser import Parser

# Its name, what it does, and the function that does it and returns the exit code.
Action: TypeAlias = tuple[str, str, Callable[[argparse.Namespace], int]]


def with_actions(parser: Parser, actions: Sequence[Action]) -> Parser:
    """Return the parser of a command that has several actions."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, what, action in actions:
        command = commands.add_parser(name, help=what, description=f"{what.capitalize()}.")
        command.add_argument("--json", action="store_true", help="print JSON for programs")
        command.set_defaults(run=action)
    return parser


def run_action(parser: Parser, arguments: Sequence[str]) -> int:
    """Run the action that ``arguments`` name, and return its exit code."""
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


# Options that say who answers: which backend, which index, with or without the cache.


def add_backend_options(parser: argparse.ArgumentParser, *, with_all: bool = False) -> None:
    """Add ``--backend`` or ``--route`` or, for ``with_all``, ``--all``; and what goes with it."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--backend", metavar="NAME", help="who answers; without it the first that is set up"
    )
    who.add_argument(
        "--route",
        metavar="NAMES",
        help="who is asked in turn, e.g. brave,tavily; with a + at once, e.g. searxng+exa",
    )
    if with_all:
        help_text = "ask everybody that is set up at once, and fuse the rows"
        who.add_argument("--all", action="store_true", help=help_text)
    add_explain(parser)
    parser.add_argument("--index", metavar="FILE", help=f"the index, instead of {INDEX_SETTING}")
    parser.add_argument("--no-cache", action="store_true", help="ask again, and keep nothing")


def add_model_options(
    parser: argparse.ArgumentParser, example: str, *, provider: bool = False
) -> None:
    """Add ``--route`` for models, or ``--provider`` where there is one, and ``--explain``."""
    who = parser.add_mutually_exclusive_group()
    if provider:
        help_text = "who answers; else the first of model_route, else the only one"
        who.add_argument("--provider", help=help_text)
    who.add_argument(
        "--route", metavar="NAMES", help=f"who is asked in turn, with or without a model: {example}"
    )
    add_explain(parser)


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Add ``--explain``."""
    parser.add_argument(
        "--explain", action="store_true", help="tell who was asked, why, and what came of it"
    )


def named_backend(options: argparse.Namespace) -> str | None:
    """Return the backend that the options name; an endpoint alone is one for the JSON API."""
    named: str | None = options.backend
    alone = named is None and options.route is None
    return "json" if alone and options.endpoint is not None else named


def named_route(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the steps of the route that the options name."""
    words: str | None = options.route
    return () if words is None else tuple(word.strip() for word in words.split(","))


# The options that say how much text may come out.


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add ``--max-chars`` and ``--max-tokens``."""
    parser.add_argument(
        "--max-chars", type=positive_number, help="show at most this many characters"
    )
    parser.add_argument(
        "--max-tokens", type=positive_number, help="show at most about this many tokens"
    )


def text_budget(options: argparse.Namespace, default_chars: int | None = None) -> Budget:
    """Return the budget that the options set, or ``default_chars``; None means no limit."""
    if options.max_chars is None and options.max_tokens is None:
        return Budget(characters=default_chars)
    return Budget(characters=options.max_chars, tokens=options.max_tokens)


def positive_number(text: str) -> int:
    """Return a whole number from 1 on; argparse is told what is wrong with any other text."""
    if not text.isdecimal() or int(text) < 1:
        message = f"{text!r} is not a whole number from 1 on"
        raise argparse.ArgumentTypeError(message)
    return int(text)

"""Lines printed to a person at a terminal, and questions to them."""

import getpass
import sys
from typing import Protocol


class Console(Protocol):
    """A person who reads lines and answers questions. The end of input is an ``EOFError``."""

    def print_line(self, text: str, /) -> None:
        """Print a line."""

    def ask_line(self, question: str, /) -> str:
        """Ask for a line."""

    def ask_secret(self, question: str, /) -> str:
        """Ask for a line that is not shown while it is typed."""


class Terminal:
    """The terminal this process was started from."""

    def print_line(self, text: str, /) -> None:
        """Print a line."""
        print(text)

    def ask_line(self, question: str, /) -> str:
        """Ask for a line."""
        return input(question).strip()

    def ask_secret(self, question: str, /) -> str:
        """Ask for a line without echoing it."""
        return getpass.getpass(question).strip()


def is_terminal() -> bool:
    """Tell whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def ask_yes_no(console: Console, question: str, *, default: bool) -> bool:
    """Ask for a yes or a no until the answer is one; an empty answer means ``default``."""
    while True:
        if not (answer := console.ask_line(question).strip().lower()):
            return default
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        console.print_line("Answer y or n.")

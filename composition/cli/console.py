"""Talking with a person at a terminal."""

import getpass
import sys
from typing import Protocol


class Console(Protocol):
    """Somebody who is told things and answers. No answer at all is an ``EOFError``."""

    def say(self, text: str, /) -> None:
        """Tell something."""
        ...

    def ask(self, question: str, /) -> str:
        """Ask for a line."""
        ...

    def ask_secret(self, question: str, /) -> str:
        """Ask for a line that is not shown while it is typed."""
        ...


class Terminal:
    """The terminal this process was started from."""

    def say(self, text: str, /) -> None:
        """Print a line."""
        print(text)

    def ask(self, question: str, /) -> str:
        """Ask for a line."""
        return input(question).strip()

    def ask_secret(self, question: str, /) -> str:
        """Ask for a line without echoing it."""
        return getpass.getpass(question).strip()


def is_terminal() -> bool:
    """Tell whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()

"""The options that say how much text may come out."""

import argparse

from ...kernel.text.trim import Budget


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add ``--max-chars`` and ``--max-tokens``."""
    parser.add_argument("--max-chars", type=_positive, help="show at most this many characters")
    parser.add_argument("--max-tokens", type=_positive, help="show at most about this many tokens")


def budget_of(options: argparse.Namespace, usual: int | None = None) -> Budget:
    """Return the budget that the options set; without any, ``usual`` characters, None for all."""
    if options.max_chars is None and options.max_tokens is None:
        return Budget(characters=usual)
    return Budget(characters=options.max_chars, tokens=options.max_tokens)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        message = "must be at least 1"
        raise argparse.ArgumentTypeError(message)
    return number

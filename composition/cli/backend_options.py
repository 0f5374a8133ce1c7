"""Options that say who answers: which backend, which index, with or without the cache."""

import argparse

from ...adapters.index.schema import INDEX_SETTING


def add_backend_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--backend``, ``--index`` and ``--no-cache``."""
    parser.add_argument(
        "--backend", metavar="NAME", help="who answers; without it the first that is set up"
    )
    parser.add_argument("--index", metavar="FILE", help=f"the index, instead of {INDEX_SETTING}")
    parser.add_argument("--no-cache", action="store_true", help="ask again, and keep nothing")


def name_of(options: argparse.Namespace) -> str | None:
    """Return the backend that the options name; an endpoint is one for the JSON API."""
    named: str | None = options.backend
    return "json" if named is None and options.endpoint is not None else named

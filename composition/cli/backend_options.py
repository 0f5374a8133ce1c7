"""Options that say who answers: which backend, which index, with or without the cache."""

import argparse
from collections.abc import Sequence

from ...adapters.local.schema import INDEX_SETTING


def add_backend_options(parser: argparse.ArgumentParser, names: Sequence[str], usual: str) -> None:
    """Add ``--backend``, ``--index`` and ``--no-cache``."""
    parser.add_argument("--backend", choices=names, help=f"who answers; without it {usual}")
    parser.add_argument("--index", metavar="FILE", help=f"the index, instead of {INDEX_SETTING}")
    parser.add_argument("--no-cache", action="store_true", help="ask again, and keep nothing")

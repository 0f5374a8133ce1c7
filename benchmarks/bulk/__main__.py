"""Run it alone, and print its table."""

import argparse
import sys

from . import __doc__ as about
from .measuring import OURS, measure, table


def main() -> int:
    """Return 0 when every page of ours came back whole."""
    options = _options()
    figures = measure(options.pages, options.at_once, options.rounds)
    print("\n".join(table(figures)))
    return int(any(figure.whole < figure.pages for figure in figures if figure.reader == OURS))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.bulk", description=about)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""The patterns that were counted before and were linear, by digest.

To count every pattern takes 15 seconds of processor time, and gives the same each time. So a change
counts the patterns that are new or different, and ``make laws`` counts all of them again and writes the
list. A digest covers the counting code and the version of Python too, so that both void the list.
"""

import sys
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from properties import regex_work
from properties.regex_work import Growth, worst_growth
from properties.written_patterns import Pattern, parent_modules, patterns_of

_LIST = Path(__file__).with_suffix(".txt")
_COUNTING_CODE = Path(regex_work.__file__).read_bytes()


def digest(pattern: Pattern) -> str:
    """Return the digest of what is counted: not of the place where the pattern is written."""
    counted = (sys.version_info[:2], pattern.source, pattern.flags, pattern.anchored)
    return blake2b(_COUNTING_CODE + repr(counted).encode(), digest_size=8).hexdigest()


def written_patterns() -> list[Pattern]:
    """Return every pattern outside of the workers."""
    patterns = {pattern for name in parent_modules() for pattern in patterns_of(name)}
    return sorted(patterns, key=str)


def not_counted_before(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return the patterns that are not in the list."""
    before = frozenset(_LIST.read_text().split())
    return [pattern for pattern in patterns if digest(pattern) not in before]


def superlinear_patterns(patterns: Iterable[Pattern]) -> dict[str, tuple[str | bytes, Growth]]:
    """Count patterns; return those that are worse than linear, with a text for each."""
    growths = [
        (each, worst_growth(each.source, each.flags, anchored=each.anchored)) for each in patterns
    ]
    return {each.site: (each.source, growth) for each, growth in growths if growth is not None}


def main() -> None:
    """Count every pattern, and write the list."""
    patterns = written_patterns()
    if found := superlinear_patterns(patterns):
        sys.exit(str(found))
    _LIST.write_text("".join(f"{each}\n" for each in sorted(set(map(digest, patterns)))))


if __name__ == "__main__":
    main()

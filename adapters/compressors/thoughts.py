"""Thoughts that a model left in its answer, between tags that many models use."""

import re
from collections.abc import Iterator

_THOUGHTS = "think|thinking|thought|reasoning|reasoning_scratchpad"
_BLOCK = re.compile(rf"\s*<({_THOUGHTS})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(rf"^[ \t]*<(?:{_THOUGHTS})>", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(rf"</(?:{_THOUGHTS})>[ \t]*\n?", re.IGNORECASE)
_CODE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# Thoughts whose beginning stood in the prompt; the end of them has the rest of its line for itself.
_END = re.compile(rf"\A.*?</(?:{_THOUGHTS})>[ \t]*\n", re.DOTALL | re.IGNORECASE)


def without_thoughts(said: str) -> str:
    r"""Return an answer without the thoughts that a model left in it, on lines of their own.

    >>> without_thoughts("<think>Hm.</think>Tides."), without_thoughts("Hm.\n</think>\n\nTides.")
    ('Tides.', 'Tides.')
    """
    while (block := _BLOCK.match(said)) is not None:
        said = said[block.end() :]
    # In a block of code the tag is part of the page.
    parts = (part if code else _spoken(part) for code, part in _with_code(said))
    said = "".join(parts)
    left = _END.match(said)
    return said[left.end() if left and "```" not in left[0] else 0 :].strip()


def _with_code(said: str) -> Iterator[tuple[bool, str]]:
    return ((bool(place % 2), part) for place, part in enumerate(_CODE.split(said)))


def _spoken(said: str) -> str:
    """Return a text without its blocks of thoughts; what has no end is none."""
    kept, start = [], 0
    while opened := _OPENING.search(said, start):
        closed = _CLOSING.search(said, opened.end())
        if closed is None:
            break
        kept.append(said[start : opened.start()])
        start = closed.end()
    return "".join([*kept, said[start:]])

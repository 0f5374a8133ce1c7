"""A long text cut into pieces that a model can take, between paragraphs where there are any."""

import re
from collections.abc import Iterator

# After a blank line, else after a line, else after a sentence, else after a word.
_BORDERS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"[.!?\u3002]\s+|(?<=\u3002)", r"\s+")))


def pieces(text: str, most: int) -> list[str]:
    r"""Cut ``text`` into pieces of at most ``most`` characters; joined they are the text again.

    >>> pieces("One.\n\nTwo.\n\nThree.", 14)
    ['One.\n\nTwo.\n\n', 'Three.']
    """
    return list(_cut(text, most))


def _cut(text: str, most: int) -> Iterator[str]:
    start = 0
    while len(text) - start > most:
        end = _end(text, start, most)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _end(text: str, start: int, most: int) -> int:
    """Return where the piece from ``start`` ends: at the last border of the best kind it has."""
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(text, start, start + most)]
        # A border near the start would make many pieces of nearly nothing.
        if ends and ends[-1] > start + most // 4:
            return ends[-1]
    return start + most

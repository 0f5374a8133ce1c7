"""Text cut to a budget, on paragraph borders, so that nothing is lost: the rest can be paged."""

import re
from collections import deque

import msgspec

_HEAD_SHARE = 0.75
# A border may cost at most this share of the room that it divides.
_SLACK = 0.5
# Where to cut, best first: between paragraphs, lines, words.
_BORDERS = tuple(map(re.compile, (r"\n[ \t]*\n+", r"\n+", r"[ \t]+")))
_WORD = re.compile(r"\w+|[^\w\s]")
# Marker and numbers of any size fit into this.
_MARKER_ROOM = 80


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How much text may come out, in characters or in estimated tokens; the smaller one counts."""

    characters: int | None = None
    tokens: int | None = None


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a longer text: ``next_cursor`` is where to go on, None at the end."""

    text: str
    cursor: int
    next_cursor: int | None
    total: int


class TrimmedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text cut to a budget: ``omitted`` characters are left out from ``next_cursor`` on."""

    text: str
    omitted: int
    next_cursor: int | None
    total: int


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model will count, on the safe side for any script.

    >>> estimate_tokens("The quick brown fox."), estimate_tokens("東京都")
    (5, 5)
    """
    plain = text.encode("ascii", "ignore").decode("ascii")
    other = len(text) - len(plain)
    # About four characters a token in plain English; in other scripts a character may take two.
    return max(len(_WORD.findall(plain)), -(-len(plain) // 4)) + -(-other * 3 // 2)


def characters_for(text: str, budget: Budget) -> int:
    """Return how many characters of ``text`` the budget pays for."""
    most = len(text) if budget.characters is None else max(budget.characters, 0)
    if budget.tokens is None or not text:
        return min(most, len(text))
    share = budget.tokens / max(estimate_tokens(text), 1)
    return min(most, len(text), int(len(text) * max(share, 0.0)))


def read_piece(text: str, cursor: int, budget: Budget) -> Piece:
    """Return the piece of ``text`` that begins at ``cursor``.

    Following ``next_cursor`` from 0 gives pieces that join to the whole text.
    """
    start = min(max(cursor, 0), len(text))
    end = start + max(characters_for(text[start:], budget), 1)
    if end < len(text):
        end = _border_before(text, start, end)
    done = end >= len(text)
    return Piece(
        text=text[start:end], cursor=start, next_cursor=None if done else end, total=len(text)
    )


def trim_text(text: str, budget: Budget) -> TrimmedText:
    """Keep the head and the tail of a text that is too long, and say what is left out between."""
    room = characters_for(text, budget)
    if room >= len(text):
        return TrimmedText(text=text, omitted=0, next_cursor=None, total=len(text))
    inner = room - _MARKER_ROOM
    if inner <= 0:
        # No room for a marker: the beginning alone, the cursor tells the rest.
        return TrimmedText(
            text=text[:room], omitted=len(text) - room, next_cursor=room, total=len(text)
        )
    head = _border_before(text, 0, max(int(inner * _HEAD_SHARE), 1))
    tail = _border_after(text, len(text) - (inner - head), len(text))
    marker = f"\n\n[... {tail - head} characters left out, from {head} on ...]\n\n"
    return TrimmedText(
        text=text[:head] + marker + text[tail:],
        omitted=tail - head,
        next_cursor=head,
        total=len(text),
    )


def _border_before(text: str, start: int, end: int) -> int:
    """Return the best place to cut before ``end``: a paragraph, a line, a word, or just there."""
    least = start + int((end - start) * _SLACK)
    for pattern in _BORDERS:
        last = deque(pattern.finditer(text, least, end), maxlen=1)
        if last and last[0].end() > start:
            return last[0].end()
    return end


def _border_after(text: str, start: int, end: int) -> int:
    """Return the first good place to begin after ``start``."""
    most = start + int((end - start) * _SLACK)
    for pattern in _BORDERS:
        first = pattern.search(text, start, most)
        if first is not None:
            return first.end()
    return start

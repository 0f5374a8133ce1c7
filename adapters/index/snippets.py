"""The few lines of a passage that answer best, with the words looked for in **bold**."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from ..language.stems import ENGLISH
from ..language.words import spans, terms_of_word

MOST_CHARACTERS = 320
_LEAD = 60

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}|>|[-+]|\d+\.)[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[-=_ ]{3,}$", re.MULTILINE)
_EMPHASIS = "*`|"

Hit: TypeAlias = tuple[int, int, frozenset[str]]


def snippet(body: str, worth: Mapping[str, float], language: str = ENGLISH) -> str:
    r"""Return the best stretch of ``body`` on one line; ``worth`` is what each term counts.

    >>> snippet("# Pumps\n\nA heat pump moves heat.", {"pump": 2.0})
    '**Pumps** A heat **pump** moves heat.'
    """
    text = plain(body)
    hits = _hits(text, worth, language)
    begin = _begin(text, hits, worth)
    end = min(len(text), begin + MOST_CHARACTERS)
    shown = _marked(text, begin, end, hits)
    return ("… " if begin else "") + shown + (" …" if end < len(text) else "")


def plain(markdown: str) -> str:
    r"""Return markdown as one line of plain text.

    >>> plain("## A [link](https://a.example)\n- *item*")
    'A link item'
    """
    text = _LINK.sub(r"\1", markdown) if "](" in markdown else markdown
    for mark in _EMPHASIS:
        text = text.replace(mark, " ")
    return " ".join(_RULE.sub("", _LINE_START.sub("", text)).split())


def _hits(text: str, worth: Mapping[str, float], language: str) -> list[Hit]:
    """Find the words that were looked for. Only when no word begins alike is each one tried."""
    small = text.lower()
    # A few capitals are longer when they are small: what is found there is not where it seems.
    # Other languages change a word at its beginning: what is written with an accent has none here.
    easy = language == ENGLISH and len(small) == len(text) and all(map(str.isascii, worth))
    alike = _matching(_alike(small, worth, language), worth) if easy else []
    return alike or _matching(spans(text, language), worth)


def _matching(words: Iterable[tuple[int, int, list[str]]], worth: Mapping[str, float]) -> list[Hit]:
    return [
        (start, end, frozenset(term for term in terms if term in worth))
        for start, end, terms in words
        if not worth.keys().isdisjoint(terms)
    ]


def _alike(
    text: str, worth: Mapping[str, float], language: str
) -> Iterator[tuple[int, int, list[str]]]:
    beginnings = "|".join(sorted({re.escape(term[:2]) for term in worth}))
    for word in re.finditer(rf"\b(?:{beginnings})[^\W_]*", text):
        yield word.start(), word.end(), terms_of_word(word[0], language)


def _begin(text: str, hits: list[Hit], worth: Mapping[str, float]) -> int:
    """Return where the window begins that holds the most: first of the best, at a word."""
    if len(text) <= MOST_CHARACTERS:
        return 0
    best, chosen = -1.0, 0
    for at, (start, _, _) in enumerate(hits):
        held: set[str] = set()
        for _, end, terms in hits[at:]:
            if end > start + MOST_CHARACTERS - _LEAD:
                break
            held |= terms
        total = sum(worth[term] for term in held)
        if total > best:
            best, chosen = total, start
    begin = max(0, min(chosen - _LEAD, len(text) - MOST_CHARACTERS))
    blank = text.find(" ", begin, chosen) if begin else -1
    return begin if blank < 0 else blank + 1


def _marked(text: str, begin: int, end: int, hits: list[Hit]) -> str:
    pieces: list[str] = []
    at = begin
    for start, stop, _ in hits:
        if begin <= start and stop <= end:
            first = max(start, at)
            pieces += (text[at:first], "**", text[first:stop], "**")
            at = stop
    pieces.append(text[at:end])
    # Words without anything between them are one stretch of bold.
    return "".join(pieces).replace("****", "").strip()

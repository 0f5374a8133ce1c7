"""A passage as the index sees it: its terms by field, and marks for what it is filtered by.

A mark that starts with ``@`` is the host, or a domain it is in; with ``/``, a word of the address;
with ``<``, the end of a long word of its text, backwards; with ``]``, a sign that ends a run of
characters without blanks. Where it stands before another, it begins a pair. With a ``_`` between
them, it is two syllables of Vietnamese.
"""

import re
from functools import lru_cache
from itertools import chain
from urllib.parse import unquote

import msgspec

from ..language.compounds import compound_marks
from ..language.folding import fold
from ..language.scripts import ending_signs
from ..language.spelling_variants import identifier_terms
from ..language.stems import ENGLISH, has_syllables, syllable_pairs
from ..language.symbols import symbol_terms
from ..language.tokenising import text_terms

SATURATION = 1.3  # BM25's k1
LENGTH_WEIGHT = 0.75  # BM25's b
TITLE_WEIGHT = 1.2
HEADINGS_WEIGHT = 1.0
_MAX_ADDRESS_TERMS = 12
_PORT = re.compile(r":\d*$")
_DAY_DIGITS = 8


class PassageText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of one passage, by field, and the language whose stems it has."""

    title: str
    headings: str
    body: str
    url: str
    language: str = ENGLISH


class PassageFields(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of one passage, by field."""

    title: list[str]
    headings: list[str]
    body: list[str]

    @property
    def length(self) -> int:
        """How long the passage is; its address does not make it longer."""
        return len(self.title) + len(self.headings) + len(self.body)


class TermEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the words are fed with for a passage: texts of terms with blanks between, and marks."""

    words: tuple[str, ...]
    marks: str
    length: int


def analyse_passage(text: PassageText) -> PassageFields:
    """Take a passage apart into terms."""
    return PassageFields(
        title=text_terms(text.title, text.language),
        headings=text_terms(text.headings, text.language),
        body=text_terms(text.body, text.language),
    )


def term_entry(text: PassageText) -> TermEntry:
    """Return the entry of a passage. The same text always gives the same one."""
    fields = analyse_passage(text)
    whole = f"{text.title}\n{text.headings}\n{text.body}"
    every = (fields.title, fields.headings, fields.body)
    words = [" ".join(each) for each in every if each]
    names = [inside_mark(term) for term in identifier_terms(whole)]
    names += symbol_terms(whole)
    compounds = compound_marks(chain.from_iterable(every), text.language)
    places = [place_mark(term) for term in dict.fromkeys(place_terms(text.url, text.language))]
    # As marks, without where they stand: a quarter less room.
    pairs = chain.from_iterable(map(syllable_pairs, every)) if has_syllables(text.language) else ()
    # The terms of most languages have no letter beside those of ASCII any more.
    ends = [] if all(map(str.isascii, words)) else end_marks(whole)
    return TermEntry(
        words=(*words, " ".join(names)) if names else tuple(words),
        marks=" ".join([*site_marks(text.url), *places, *compounds, *pairs, *ends]),
        length=fields.length,
    )


def day_number(published: str | None) -> int | None:
    """Return a date as a number that is larger the later it is; None for what is no date.

    >>> day_number("2026-01-31T10:00"), day_number("2026-01"), day_number("soon")
    (20260131, 20260100, None)
    """
    digits = (published or "").replace("-", "")[:_DAY_DIGITS]
    if not digits.isascii() or not digits.isdigit():
        return None
    return int(digits.ljust(_DAY_DIGITS, "0"))


def term_saturation(length: int, usual_length: float) -> float:
    """Return how many times a term must stand in a passage to count half: more in a long one.

    With it, ``count / (count + term_saturation)`` is BM25's share of the term, from 0 to 1.
    """
    return SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / usual_length)


def inside_mark(term: str) -> str:
    """Return a word that is part of a name: userProfile is found by its parts, but counts less."""
    return f"~{term}"


def end_mark(sign: str) -> str:
    """Return the mark of a sign that ends a run of characters without blanks."""
    return f"]{sign}"


def end_marks(text: str) -> list[str]:
    """Return the marks of all such signs of a text.

    >>> end_marks("東京。犬と猫、犬")
    [']京', ']猫', ']犬']
    """
    return list(map(_END_MARKS.__getitem__, dict.fromkeys(ending_signs(text))))


class _EndMarks(dict[str, str]):
    """The mark of every such sign so far, which is folded as terms are."""

    def __missing__(self, sign: str) -> str:
        self[sign] = mark = end_mark(fold(sign))
        return mark


_END_MARKS = _EndMarks()


def place_mark(term: str) -> str:
    """Return the mark of a word in the address."""
    return f"/{term}"


def place_terms(url: str, language: str = ENGLISH) -> list[str]:
    """Return the words of an address: the last steps of its path, where names are.

    >>> place_terms("https://a.example/docs/quick-start.html")
    ['doc', 'quick', 'start', 'html']
    """
    path = url.split("?", 1)[0].split("/", 3)[3:]
    return text_terms(unquote(path[0]), language)[-_MAX_ADDRESS_TERMS:] if path and path[0] else []


def site_marks(url: str) -> tuple[str, ...]:
    """Return the marks of the host and of every domain above it.

    >>> site_marks("https://docs.python.org:443/3/")
    ('@docs.python.org', '@python.org', '@org')
    """
    return _marks_of(url.split("/", 3)[2].lower() if "://" in url else "")


def site_mark(name: str) -> str:
    """Return the mark of a host or domain.

    >>> site_mark("Python.org.")
    '@python.org'
    """
    allowed = (each if each.isalnum() or each in ".-" else "_" for each in name.lower())
    return "@" + "".join(allowed).rstrip(".")


@lru_cache(maxsize=1024)
def _marks_of(host: str) -> tuple[str, ...]:
    """Work out the marks of a host; few of them have many pages."""
    labels = _PORT.sub("", host).rstrip(".").split(".")
    return tuple(site_mark(".".join(labels[start:])) for start in range(len(labels)))

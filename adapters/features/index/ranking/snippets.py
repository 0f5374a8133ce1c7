"""Snippets: the part of a passage that answers best, with matching words in **bold**."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from math import fsum
from operator import itemgetter
from typing import TypeAlias

from webseam.adapters.caches import ComputedValues
from webseam.adapters.language.compounds import (
    compound_mark_pattern,
    has_compounds,
    matching_compound_ends,
)
from webseam.adapters.language.scripts import is_unspaced, word_pattern
from webseam.adapters.language.spelling_variants import identifier_positions
from webseam.adapters.language.stems import ENGLISH
from webseam.adapters.language.symbols import is_symbol, symbol_positions
from webseam.adapters.language.term_positions import (
    TermPattern,
    first_positions,
    term_runs,
    unspaced_positions,
    word_positions,
    written_forms,
)
from webseam.adapters.language.tokenising import terms_of_word

from ..query import SpellingVariant
from .scoring import find_term_runs
from .term_matches import (
    MAX_CACHED_WORDS,
    blank_separated_words,
    find_named_words,
    scanned_term_prefixes,
)

MAX_SNIPPET_CHARS = 320
_LEAD_CHARS = 60
_MIN_WEIGHT_MARGIN = 1e-9
# Number of the rarest pairs of a passage that choose the part to show.
_MAX_PAIRS = 6
# Maximum number of marks of one character.
_MAX_MARKS = 4

_LINK_PATTERN = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+\)")
_LINE_MARKS = frozenset("#>-+=_")
_LINE_START_PATTERN = re.compile(r"^[ \t]*(?:#{1,6}|>|[-+]|\d+\.)[ \t]+")
_RULE_PATTERN = re.compile(r"^[-=_ ]{3,}$")
# Marks of emphasis touch the text on one side; others separate words. The class comes first, too.
_EMPHASIS_PATTERN = re.compile(r"[*`](?:(?<!\w[*`])|(?!\w))")
_BLOCK_GAP = " \xb7 "
_LINE_END_CHARS = "\"')]\u201d\u2019\xbb \t\r\xb7"
_SENTENCE_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f\u061f\u0964")
_LEADING_ENDS = frozenset(":;,\uff1a\u3001\uff0c")
# One class of characters comes first: the pattern then takes a tenth of the time. No end are an
# initial, an ordinal of at most two digits (3. Mai) and a title (Dr. Who).
_SENTENCE_END_PATTERN = re.compile(
    r"[.!?\u2026\u061f\u0964\u3002\uff01\uff1f\xb7](?:(?<=[\u3002\uff01\uff1f])|(?<=\s\xb7)\s"
    r"|(?<!\xb7)(?<!\b[^\W_]\.)(?<!\b\d\d\.)(?<!\b(?:[DM]r|Ms|[SF]t|Nr|No|vs|ca)\.)(?<!\bMrs\.)"
    r"[\"')\]\u201d\u2019\xbb]?\s(?:\xb7\s)?(?![a-z]))"
)
# Invisible characters that would split matching words; joiners stay, because they shape letters.
_INVISIBLE_CHARS = "\xad\u200b\u2060\ufeff"
_JOINER_CHARS = "\u200c\u200d"
# Maximum length of a cut word that is left out at the end.
_MAX_CUT_WORD_CHARS = 40
# Ranges of skin tones and of flag letters; characters that join two others.
_TONE_RANGE, _FLAG_RANGE, _CONNECTOR_CHARS = (
    "\U0001f3fb\U0001f3ff",
    "\U0001f1e6\U0001f1ff",
    "\u200d\u034f",
)

_HIT_SPAN = itemgetter(0, 1)

SnippetHit: TypeAlias = tuple[int, int, frozenset[str]]


class Snippets:
    """Make snippets of passages for the terms of a query; ``worth`` is the weight of each term.

    Terms in ``beginnings`` are prefixes, and ``variants`` count as the terms they stand for.
    """

    def __init__(
        self,
        worth: Mapping[str, float],
        beginnings: Collection[str] = (),
        variants: Sequence[SpellingVariant] = (),
    ) -> None:
        """Prepare the terms for many passages."""
        self._worth = worth
        self._rarest = sorted(worth, key=lambda term: (-worth[term], term))
        self._variants = variants
        named = TermPattern(frozenset(worth).difference(beginnings), tuple(beginnings))
        self._named = named
        # A cache: few different words begin alike.
        self._terms_of_word: ComputedValues[bytes, frozenset[str]] = ComputedValues(
            lambda word: named.match_terms(terms_of_word(word.decode())), MAX_CACHED_WORDS
        )
        pairs = filter(is_unspaced, worth)
        self._pairs = sorted(pairs, key=worth.__getitem__, reverse=True)
        self._forms = written_forms(self._pairs)
        words = [term for term in worth if term not in self._pairs] if self._pairs else list(worth)
        self._symbols = list(filter(is_symbol, words))
        words = [term for term in words if term not in self._symbols] if self._symbols else words
        self._has_words = bool(words)
        self._long = list(filter(compound_mark_pattern, words))
        self._beginnings = scanned_term_prefixes(words)

    def make_snippet(self, body: str, language: str = ENGLISH) -> str:
        r"""Return the best part of ``body`` on one line.

        >>> Snippets({"pump": 2.0}).make_snippet("# Pumps\n\nA heat pump moves heat.")
        '**Pumps** · A heat **pump** moves heat.'
        """
        text = markdown_to_line(body)
        words = self._find_word_hits(text, language)
        if self._variants:
            words = sorted(words + self._variant_hits(text, language), key=_HIT_SPAN)
        if self._symbols:
            symbols = [
                (start, end, frozenset((symbol,)))
                for start, end, symbol in symbol_positions(text)
                if symbol in self._symbols
            ]
            words = sorted(words + symbols, key=_HIT_SPAN)
        shown, last = "", 0
        for begin, end in self._snippet_parts(text, words):
            spans = self._bold_spans(text, begin, end, words)
            gap = "… " if text[last:begin].strip(" \xb7") else ""
            part = _bold_matches(text, begin, end, spans).strip(" \xb7")
            shown = f"{shown} {gap}{part}"
            last = end
        return shown.strip() + (" …" if last < len(text) else "")

    def _snippet_parts(self, text: str, words: list[SnippetHit]) -> list[tuple[int, int]]:
        """Return the spans to show: sentences with the rarest terms, or a part of a long one."""
        if len(text) <= MAX_SNIPPET_CHARS:
            return [(0, len(text))]
        hits = words
        if self._pairs:
            pairs = first_positions(text, self._forms, _MAX_PAIRS)
            hits = sorted(words + (pairs or unspaced_positions(text, self._pairs)), key=_HIT_SPAN)
        if sentences := self._best_sentences(text, hits):
            return sentences
        begin = self._snippet_start(text, hits)
        return [(begin, _part_end(text, begin))]

    def _snippet_start(self, text: str, hits: list[SnippetHit]) -> int:
        """Return the start of the first part with the highest weight, moved to a word."""
        chosen = _best_window_start(hits, self._worth)
        begin = max(0, min(chosen - _LEAD_CHARS, len(text) - MAX_SNIPPET_CHARS))
        blank = text.find(" ", begin, chosen) if begin else -1
        if blank >= 0:
            return blank + 1
        while begin < chosen and _is_joined_char(text, begin):
            begin += 1
        return begin

    def _find_word_hits(self, text: str, language: str) -> list[SnippetHit]:
        """Find matching words; joiners inside them are ignored."""
        if not self._has_words:
            return []
        if text.isascii() or not any(joiner in text for joiner in _JOINER_CHARS):
            return self._find_bare_word_hits(text, language)
        offsets = [offset for offset, char in enumerate(text) if char not in _JOINER_CHARS]
        hits = self._find_bare_word_hits("".join(map(text.__getitem__, offsets)), language)
        return [(offsets[start], offsets[end - 1] + 1, terms) for start, end, terms in hits]

    def _find_bare_word_hits(self, text: str, language: str) -> list[SnippetHit]:
        """Find words in a text without joiners; test every word only if no prefix matches."""
        # Other languages change words at the beginning.
        words = blank_separated_words(text) if language == ENGLISH else None
        if words and (hits := find_named_words(words, self._beginnings, self._terms_of_word)):
            return hits
        hits = sorted(word_positions(text, self._named, language), key=_HIT_SPAN)
        return hits or self._find_part_hits(text, language)

    def _find_part_hits(self, text: str, language: str) -> list[SnippetHit]:
        """Find the identifiers and compounds that have a word as a part."""
        identifiers = identifier_positions(text)
        names = ((at, end, self._named.match_terms(parts)) for at, end, parts in identifiers)
        hits = [hit for hit in names if hit[2]]
        if not has_compounds(language):
            return hits
        words = ((word.start(), word.end()) for word in word_pattern(text).finditer(text))
        ends = ((at, end, self._compound_ends(text[at:end], language)) for at, end in words)
        return sorted([*hits, *(hit for hit in ends if hit[2])], key=_HIT_SPAN)

    def _compound_ends(self, word: str, language: str) -> frozenset[str]:
        """Return the terms that end a compound word."""
        terms = (matching_compound_ends(term, self._long) for term in terms_of_word(word, language))
        return frozenset(end for ends in terms for end in ends)

    def _variant_hits(self, text: str, language: str) -> list[SnippetHit]:
        """Find spelling variants."""
        return [
            (start, end, frozenset(writing.typed))
            for writing in self._variants
            for start, end in find_term_runs(text, writing.other, language)
        ]

    def _bold_spans(
        self, text: str, begin: int, end: int, words: list[SnippetHit]
    ) -> list[tuple[int, int]]:
        """Return the spans to show in bold: words, and runs of pairs of the shown part."""
        spans = [(start, stop) for start, stop, _ in words if begin <= start and stop <= end]
        if not self._pairs:
            return spans
        # Read a little beyond the end: marks belong to the character before them.
        runs = term_runs(text[begin : begin + MAX_SNIPPET_CHARS + _MAX_MARKS], self._forms)
        spans += [(begin + start, begin + stop) for start, stop in runs if begin + stop <= end]
        return sorted(spans)

    def _best_sentences(self, text: str, hits: list[SnippetHit]) -> list[tuple[int, int]]:
        """Return spans of sentences with the rarest terms; none if such a sentence is too long."""
        starts = [0, *[match.end() for match in _SENTENCE_END_PATTERN.finditer(text)], len(text)]
        # A text of a single sentence is too long.
        if not starts[2:]:
            return []
        terms: dict[int, frozenset[str]] = {}
        for start, _, found in hits:
            index = bisect_right(starts, start) - 1
            terms[index] = terms[index] | found if index in terms else found
        chosen = self._rarest_sentences(starts, terms)
        spans: list[tuple[int, int]] = []
        for index in sorted(_add_next_sentences(text, starts, chosen)):
            start, end = starts[index : index + 2]
            begin = spans.pop()[0] if spans and spans[-1][1] == start else start
            spans.append((begin, end))
        return spans

    def _rarest_sentences(
        self, starts: list[int], terms: Mapping[int, frozenset[str]]
    ) -> list[int]:
        """Return the indexes of sentences that have the rarest terms and fit."""
        missing = set[str]().union(*terms.values())
        sizes = {index: starts[index + 1] - starts[index] for index in terms}
        room = MAX_SNIPPET_CHARS
        chosen: list[int] = []

        def sentence_weight(index: int) -> tuple[float, bool]:
            # Of two with the same terms the longer one is no heading.
            weight = fsum(map(self._worth.__getitem__, terms[index] & missing))
            return weight, sizes[index] > _LEAD_CHARS

        for term in filter(missing.__contains__, self._rarest):
            having = [index for index, found in terms.items() if term in found]
            fitting = [index for index in having if sizes[index] <= room]
            if not fitting and not chosen:
                return []
            if fitting:
                chosen.append(max(fitting, key=sentence_weight) if fitting[1:] else fitting[0])
                missing -= terms[chosen[-1]]
                room -= sizes[chosen[-1]]
        return chosen


def _add_next_sentences(text: str, starts: list[int], chosen: list[int]) -> list[int]:
    """Add the sentences that follow and fit; no heading follows a sentence."""
    room = MAX_SNIPPET_CHARS - sum(starts[index + 1] - starts[index] for index in chosen)
    for index in chosen:
        begin, end = [*starts[index + 1 : index + 3], 0][:2]
        if not 0 < end - begin <= room or index + 1 in chosen:
            continue
        ends_before = _has_sentence_end(text[starts[index] : begin])
        if _has_sentence_end(text[begin:end]) or not ends_before:
            chosen.append(index + 1)
            room -= end - begin
    return chosen


def markdown_to_line(markdown: str) -> str:
    r"""Return markdown as one line of plain text.

    >>> markdown_to_line("## A [link](https://a.example)\n- *item*")
    'A link · item'
    """
    text = _LINK_PATTERN.sub(r"\1", markdown) if "](" in markdown else markdown
    if "*" in text or "`" in text:
        text = _EMPHASIS_PATTERN.sub("", text).replace("*", " ").replace("`", " ")
    text = text.replace("|", " ")
    for character in "" if text.isascii() else _INVISIBLE_CHARS:
        text = text.replace(character, "")
    joined = _join_lines(text)
    # Blanks other than the space are not printable. Most texts have none, and no double spaces.
    is_spaced = joined.isprintable() and "  " not in joined
    line = joined.strip(" ") if is_spaced else " ".join(joined.split())
    return line.replace(" , ", ", ").replace(" . ", ". ")


def _join_lines(text: str) -> str:
    """Join the lines without their marks; a dot separates blocks that are not one text."""
    pieces: list[str] = []
    is_apart = is_ended = leads = False
    for line in text.split("\n"):
        plain = line if not line or line[0].isalpha() else _strip_line_marks(line)
        if not plain or plain.isspace():
            is_apart = True
            continue
        is_block = plain is not line
        end = plain.rstrip(_LINE_END_CHARS)[-1:]
        was_ended, is_ended = is_ended, end in _SENTENCE_ENDS
        # Two blocks are read as one text if both end, or if the first leads to the second.
        is_one = not (is_apart or is_block) or leads or (was_ended and is_ended)
        pieces += (" " if is_one else _BLOCK_GAP, plain)
        is_apart, leads = is_block, end in _LEADING_ENDS
    return "".join(pieces[1:])


def _has_sentence_end(text: str) -> bool:
    return text.rstrip(_LINE_END_CHARS)[-1:] in _SENTENCE_ENDS


def _strip_line_marks(line: str) -> str:
    """Return a line without the marks of a heading, item or rule; few lines have any."""
    first = line.lstrip()[:1]
    if first in _LINE_MARKS or first.isdecimal():
        return _RULE_PATTERN.sub("", _LINE_START_PATTERN.sub("", line))
    return line


def _part_end(text: str, begin: int) -> int:
    """Return the end of the part: between words, or at least between characters."""
    end = begin + MAX_SNIPPET_CHARS
    if end >= len(text):
        return len(text)
    if not _is_joined_char(text, end) and not all(map(_is_word_char, text[end - 1 : end + 1])):
        return end
    blank = text.rfind(" ", end - _MAX_CUT_WORD_CHARS, end)
    if blank > begin:
        return blank
    while end > begin + 1 and _is_joined_char(text, end):
        end -= 1
    return end


def _is_word_char(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _is_joined_char(text: str, offset: int) -> bool:
    """Tell whether a character belongs to the one before it."""
    before, character = text[offset - 1 : offset], text[offset]
    if character.isascii():
        return False
    return (
        before in _CONNECTOR_CHARS
        or character in _CONNECTOR_CHARS
        or unicodedata.category(character)[0] == "M"
        or _TONE_RANGE[0] <= character <= _TONE_RANGE[1]
        or (
            _FLAG_RANGE[0] <= character <= _FLAG_RANGE[1]
            and _FLAG_RANGE[0] <= before <= _FLAG_RANGE[1]
        )
    )


def _best_window_start(hits: list[SnippetHit], worth: Mapping[str, float]) -> int:
    """Return the start of the best window; each hit enters and leaves it once."""
    best, chosen, last, total = -1.0, 0, 0, 0.0
    counts = dict.fromkeys(worth, 0)
    for start, _, terms in hits:
        while last < len(hits) and hits[last][1] <= start + MAX_SNIPPET_CHARS - _LEAD_CHARS:
            for term in hits[last][2]:
                total += 0.0 if counts[term] else worth[term]
                counts[term] += 1
            last += 1
        # Require a margin: float sums of the same terms can differ in the last digits.
        if total > best + _MIN_WEIGHT_MARGIN:
            best, chosen = total, start
        for term in terms:
            counts[term] -= 1
            total -= 0.0 if counts[term] else worth[term]
    return chosen


def _bold_matches(text: str, begin: int, end: int, bold: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    offset = begin
    for start, stop in bold:
        first = max(start, offset)
        pieces += (text[offset:first], "**", text[first:stop], "**")
        offset = stop
    pieces.append(text[offset:end])
    # Adjacent words become one bold span.
    joined = "".join(pieces).replace("****", "")
    return joined.replace("**\u200d**", "\u200d").strip()

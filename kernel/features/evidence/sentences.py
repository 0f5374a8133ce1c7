"""Find where sentences end, in any language; where that is in doubt, they stay one.

No list of abbreviations is needed, because a wrong join does no harm and a wrong cut does: "It is
false that J. K. Rowling ..." A stop ends a sentence only where the page shows that the word before
it is no abbreviation: an abbreviation is short, and hardly ever stands without its stop (Kiss and
Strunk, Unsupervised Multilingual Sentence Boundary Detection, 2006).
"""

import re
from collections.abc import Iterator

# Marks that end a sentence wherever they stand: the full stops of Chinese and Japanese, Hindi's
# danda, Urdu, Armenian, Ethiopic, Burmese, Khmer and Tibetan.
_SURE_MARKS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u06d4\u0589\u1362\u104b\u17d4\u0f0d"
_QUESTION_MARKS = "?\uff1f\u061f\u1367\u037e"
_END_PATTERN = re.compile(
    rf"(?P<sure>[{_SURE_MARKS}]+)"
    r"(?P<closed>[^\w\s]{0,20}+)\s*"
    r"|(?P<mark>(?<![!?\u061f])[!?\u061f]++|(?<![.\u2026])\.(?![.\u2026]))"
    r"(?P<behind>[^\w\s]{0,20}+)\s+"
    r"|(?P<open>[(\[\u300c\u300e\uff08\u3010\u201c\u00ab\u201e])"
    r"|(?P<shut>[)\]\u300d\u300f\uff09\u3011\u201d\u00bb])"
    r"|(?P<straight>(?<!\d)\")"
)
_OPENERS = "\"'\u201c\u2018\u201e\u00ab(\u00bf\u00a1"
_WORD_PATTERN = re.compile(r"[^\W\d_]{2,40}(?!\.)(?![^\W_])")
_LAST_WORD_PATTERN = re.compile(r"\w[\w.\u2019'&/-]{0,60}\Z")
_MIN_KNOWN_LETTERS, _MIN_KNOWN_NAME_LETTERS, _MIN_LETTERS = 3, 5, 5
_YEAR_DIGITS = 4
_MAX_WORD_CHARS = 60


def page_words(text: str) -> frozenset[str]:
    """Return the words of a page that stand somewhere without a stop behind them."""
    return frozenset(_WORD_PATTERN.findall(text))


def split_sentences(text: str, words: frozenset[str] = frozenset()) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of a paragraph; ``words`` are its page's.

    >>> text = "Dr. Li saw the bridge. It fell. No. 5 stays."
    >>> [text[a:b] for a, b in split_sentences(text, page_words(text + " the bridge fell there"))]
    ['Dr. Li saw the bridge.', 'It fell.', 'No. 5 stays.']
    """
    start, depth, is_speech = 0, 0, False
    for end in _END_PATTERN.finditer(text):
        if end["straight"]:
            is_speech = not is_speech
        elif end["open"]:
            # German closes speech with the mark that opens it in English.
            depth += -1 if end["open"] == "\u201c" and "\u201e" in text[start : end.start()] else 1
        elif end["shut"]:
            depth = max(0, depth - 1)
        elif depth or is_speech or _closing_marks(end):
            # The sentence around a speech or a bracket may go on behind it.
            depth, is_speech = _closed_depth(end, depth, is_speech=is_speech)
        elif end["sure"] or _ends_sentence(text, end, words):
            yield start, end.end("sure") if end["sure"] else end.end("mark")
            start = end.end()
    tail = text[start:].rstrip()
    if tail:
        yield start, start + len(tail)


def _closing_marks(end: re.Match[str]) -> str:
    """Return the marks behind a stop, but for those of markup."""
    return (end["closed"] or end["behind"] or "").strip("*_`~")


def _closed_depth(end: re.Match[str], depth: int, *, is_speech: bool) -> tuple[int, bool]:
    """Return what is still open behind the marks that follow a stop."""
    for mark in _closing_marks(end):
        if mark in ")]\u300d\u300f\uff09\u3011\u201d\u00bb\u201c":
            depth = max(0, depth - 1)
        is_speech ^= mark == '"'
    return depth, is_speech


def _ends_sentence(text: str, end: re.Match[str], words: frozenset[str]) -> bool:
    following = text[end.end() : end.end() + 2].lstrip(_OPENERS)[:1]
    if not following.isalpha() or following.islower():
        # A figure may belong to an abbreviation before it: "No. 5".
        return False
    if end["mark"] != ".":
        return True
    before = _LAST_WORD_PATTERN.search(text, max(0, end.start() - _MAX_WORD_CHARS), end.start())
    word = before[0] if before else ""
    if word.isdecimal():
        # A year, and no ordinal.
        return len(word) >= _YEAR_DIGITS
    if not word.isalpha() or word.isupper():
        return False
    if word.islower() or word == word.swapcase():
        return len(word) >= _MIN_LETTERS or (len(word) >= _MIN_KNOWN_LETTERS and word in words)
    return len(word) >= _MIN_KNOWN_NAME_LETTERS and word in words


# What stands before this is a sentence of its own, though it was in doubt where it ends.
_INNER_END_PATTERN = re.compile(
    r"(?:(?<!\w)[^\W\d_A-Z]{3,40}|\d\d)[.!\u2026][^\w\s]*\s+(?![a-z])|[\u3002\uff01\u0964\u06d4]\s*\S"
)


def is_question(printed: str) -> bool:
    """Tell whether a printed text asks, and says nothing before that."""
    if _INNER_END_PATTERN.search(printed):
        return False
    return printed.rstrip("\"'\u201d\u2019\u00bb)]\u300d* ")[-1:] in tuple(_QUESTION_MARKS)

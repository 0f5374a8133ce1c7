"""Find where sentences end, in any language; where that is in doubt, they stay one.

No list of abbreviations is needed, because a wrong join does no harm and a wrong cut does: "It is
false that J. K. Rowling ..." A stop ends a sentence only where the page shows that it does (Kiss
and Strunk, Unsupervised Multilingual Sentence Boundary Detection, 2006): the word before it stands
elsewhere without a stop, as an abbreviation hardly ever does, or the word behind it stands
elsewhere in lower case, as a name hardly ever does. Speech and brackets are never cut.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

# Marks that end a sentence wherever they stand: the full stops of Chinese and Japanese, Hindi's
# danda, Urdu, Armenian, Ethiopic, Burmese, Khmer and Tibetan.
_SURE_MARKS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u06d4\u0589\u1362\u104b\u17d4\u0f0d"
_QUESTION_MARKS = "?\uff1f\u061f\u1367\u037e"
# What opens speech or a bracket, and what closes it. German closes with the mark that opens in
# English, Swedish opens with the one that closes, and Danish turns the marks of French round.
_CLOSERS: Mapping[str, str] = MappingProxyType({
    "(": ")", "[": "]", "\uff08": "\uff09", "\u3010": "\u3011", "\u3014": "\u3015",
    "\u300c": "\u300d", "\u300e": "\u300f", "\u300a": "\u300b", "\u3008": "\u3009",
    "\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u201d": "\u201d", '"': '"',
    "\u00ab": "\u00bb", "\u00bb": "\u00ab\u00bb", "\u2039": "\u203a", "\u203a": "\u2039\u203a",
    "\u2018": "\u2019", "\u201a": "\u2018\u2019", "'": "'",
})  # fmt: skip
_APOSTROPHES = "'\u2018\u2019"
_ENCLOSING_MARKS = re.escape(
    "".join(sorted({*_CLOSERS, *"".join(_CLOSERS.values())} - {*_APOSTROPHES, '"'}))
)
_APOSTROPHE = r"[\u2019'](?!\w)|(?<=[^\w\s])\u2019"
_MARK_PATTERN = re.compile(
    rf"(?P<sure>[{_SURE_MARKS}]+)(?![{_ENCLOSING_MARKS}\u2019\"])\s*"
    r"|(?P<stop>(?<![!?\u061f])[!?\u061f]++|(?<![.\u2026])\.(?![.\u2026]))[*_`~]{0,20}+\s+"
    # An inch has no speech behind it, and an apostrophe stands within a word or behind it.
    rf"|(?P<enclosing>[{_ENCLOSING_MARKS}]|(?<!\d)\"|\u2018|(?<!\w)'(?=\S)|{_APOSTROPHE})"
)
_LAST_APOSTROPHE_PATTERN = re.compile(rf".*(?:{_APOSTROPHE})", re.DOTALL)
_OPENERS = "\"'\u201c\u2018\u201e\u00ab(\u00bf\u00a1"
_WORD_PATTERN = re.compile(r"[^\W\d_]{1,40}+(?![.!?])(?![^\W_])")
_FIRST_WORD_PATTERN = re.compile(rf"[{re.escape(_OPENERS)}]{{0,2}}([^\W\d_]{{1,40}})")
_LAST_WORD_PATTERN = re.compile(r"\w[\w.\u2019'&/-]{0,60}\Z")
_MIN_LETTERS, _MIN_NAME_LETTERS = 3, 5
# German shortens longer words than others do: "einschl.", "durchschn."
_MIN_LONG_LETTERS = 11
_YEAR_DIGITS = 4
_MAX_WORD_CHARS = 60
_CLOSING_MARKS = "\"'\u201d\u2019\u00bb)]\u300d* "
# What stands before this is a sentence of its own, though it was in doubt where it ends.
_INNER_END_PATTERN = re.compile(
    r"(?:(?<!\w)[^\W\d_A-Z]{3,40}|\d\d)[.!\u2026][^\w\s]*\s+(?![a-z])|[\u3002\uff01\u0964\u06d4]\s*\S"
)


def page_words(text: str) -> frozenset[str]:
    """Return the words of a page that stand somewhere without a stop behind them."""
    return frozenset(_WORD_PATTERN.findall(text))


def split_sentences(text: str, words: frozenset[str] = frozenset()) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of a paragraph; ``words`` are its page's.

    >>> text = "Dr. Li saw the bridge. It fell. No. 5 stays."
    >>> [text[a:b] for a, b in split_sentences(text, page_words(text + " the bridge fell there"))]
    ['Dr. Li saw the bridge.', 'It fell.', 'No. 5 stays.']
    """
    last_apostrophe = _LAST_APOSTROPHE_PATTERN.match(text)
    speech_end = last_apostrophe.end() if last_apostrophe else 0
    start = 0
    open_marks: list[str] = []
    for mark in _MARK_PATTERN.finditer(text):
        if enclosing := mark["enclosing"]:
            if open_marks and enclosing in _CLOSERS[open_marks[-1]]:
                open_marks.pop()
            elif enclosing in _CLOSERS and (enclosing not in "'\u2018" or mark.end() < speech_end):
                open_marks.append(enclosing)
        elif not open_marks and (mark["sure"] or _ends_sentence(text, mark, words)):
            yield start, mark.end("sure") if mark["sure"] else mark.end("stop")
            start = mark.end()
    tail = text[start:].rstrip()
    if tail:
        yield start, start + len(tail)


def _ends_sentence(text: str, stop: re.Match[str], words: frozenset[str]) -> bool:
    following = _FIRST_WORD_PATTERN.match(text, stop.end())
    if following is None or following[1][0].islower():
        # A figure may belong to an abbreviation before it: "No. 5".
        return False
    before = _LAST_WORD_PATTERN.search(text, max(0, stop.start() - _MAX_WORD_CHARS), stop.start())
    word = before[0] if before else ""
    if word.isdecimal():
        # A year, and no ordinal.
        return len(word) >= _YEAR_DIGITS
    if not word.isalpha():
        return False
    if word == word.swapcase():
        # A script without capital letters shortens to few letters.
        return len(word) >= _MIN_NAME_LETTERS or (len(word) >= _MIN_LETTERS and word in words)
    begins = following[1].lower() in words
    if word.islower():
        is_sure = begins or word in words or len(word) >= _MIN_LONG_LETTERS
        return is_sure and len(word) >= _MIN_LETTERS
    if word.isupper() or len(word) < _MIN_NAME_LETTERS:
        return False
    # A name may have a mark of its own: "Yahoo! Japan".
    return begins or (stop["stop"] == "." and word in words)


def is_question(printed: str) -> bool:
    """Tell whether a printed text asks, and says nothing before that."""
    if _INNER_END_PATTERN.search(printed):
        return False
    return printed.rstrip(_CLOSING_MARKS)[-1:] in (*_QUESTION_MARKS,)


def ends_with_stop(printed: str) -> bool:
    """Tell whether a printed text ends as a sentence does."""
    return printed.rstrip(_CLOSING_MARKS)[-1:] in (*".!?", *_SURE_MARKS, *_QUESTION_MARKS)

"""Split a text into words, and select the content words."""

import re

_WORD_PATTERN = re.compile(r"[^\W_]+(?:[.,](?=\d)\d+)*(?:['\u2019][^\W\d_]+)?")
# Split scripts without blanks between words into pairs of characters.
_UNSPACED_PATTERN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
FUNCTION_WORDS = frozenset((
    "a", "about", "above", "after", "again", "against", "all", "also", "although", "am", "an",
    "and", "any", "are", "as", "at", "be", "because", "been", "before", "being", "below", "between",
    "both", "but", "by", "can", "could", "did", "do", "does", "doing", "down", "during", "each",
    "either", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
    "him", "his", "how", "however", "i", "if", "in", "into", "is", "it", "its", "itself", "just",
    "may", "me", "might", "more", "most", "much", "my", "of", "off", "on", "once", "one", "only",
    "or", "other", "our", "out", "over", "own", "per", "same", "she", "should", "since", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "to", "too", "under", "until", "up", "upon", "us", "very", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "would", "yet", "you", "your", "according", "say", "says", "said", "it's", "he's",
    "she's", "there's", "that's", "not", "no", "never", "none", "nor", "neither", "cannot",
    "without",
))  # fmt: skip
_STEM_ENDINGS = ("ings", "ing", "edly", "ies", "ied", "ed", "es", "s", "e", "y")
_MIN_STEM_CHARS = 4
_MIN_CHARS_BEFORE_S = 3


def lower_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case.

    >>> lower_words("The firm's 1,200 cars")
    ('the', 'firm', '1,200', 'cars')
    """
    return tuple(
        part
        for word in _WORD_PATTERN.findall(text)
        for part in _split_unspaced(_strip_possessive(word.lower()))
    )


def _strip_possessive(word: str) -> str:
    stemmed, mark, ending = word.replace("\u2019", "'").partition("'")
    return stemmed if mark and ending == "s" else word


def _split_unspaced(word: str) -> tuple[str, ...]:
    if word.isascii() or not _UNSPACED_PATTERN.search(word):
        return (word,)
    return tuple(word[offset : offset + 2] for offset in range(max(1, len(word) - 1)))


def word_stem(word: str) -> str:
    """Return a word without its common endings, so that its forms compare equal.

    >>> word_stem("opened") == word_stem("opening") == word_stem("opens")
    True
    """
    low = word.lower()
    for ending in _STEM_ENDINGS:
        min_chars = _MIN_CHARS_BEFORE_S if ending == "s" else _MIN_STEM_CHARS
        if low.endswith(ending) and len(low) - len(ending) >= min_chars:
            return low[: -len(ending)]
    return low


def content_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that are no function words."""
    return tuple(word for word in lower_words(text) if word not in FUNCTION_WORDS)

"""The words of a text, to compare it with others."""

from itertools import pairwise

from ....language.scripts import has_unspaced


def split_words(text: str) -> list[str]:
    """Return what stands between blanks, in lower case; where a script has none, each two letters.

    >>> split_words("Low tide"), split_words("iPhone 今天发布")
    (['low', 'tide'], ['iphone', '今天', '天发', '发布'])
    """
    words = text.lower().split()
    if not has_unspaced(text):
        return words
    return [piece for word in words for piece in _pieces(word)]


def _pieces(word: str) -> list[str]:
    if not has_unspaced(word):
        return [word]
    return [first + second for first, second in pairwise(word)] or [word]

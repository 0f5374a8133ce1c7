"""Whether a stretch of text is whole at both ends: no word, figure, sign or unit is cut."""

import re

# What turns a word or a figure around, or changes its size, right before it.
_TURNING = re.compile(
    r"\b(?:non|un|anti|in|dis|pre|post|counter|never|no|not|ex|pseudo|quasi|semi|sub)[-']\Z",
    re.IGNORECASE,
)
_BEFORE_FIGURE = re.compile(
    r"(?:[\d.,/:^\u00d7]|[-+\u00b1<>=\u2264\u2265~\u2248$\u20ac\u00a3\u00a5#] ?"
    r"|\b(?:minus|below|under|over"
    r"|about|around|nearly|almost|approximately|roughly|up to|at most|at least|less than"
    r"|more than|fewer than|only) )\Z",
    re.IGNORECASE,
)
_AFTER_FIGURE = re.compile(
    r"[\d%\u2030\u00b0\u00b2\u00b3\u00b9\u2070-\u2079\u00bd\u00bc\u00be^/'\"]|[.,:]\d|\s?-\s?\d"
    r"|\s?(?:%|per ?cent|percentage|hundred|thousand|million|billion|trillion|dozen|times\b|x\b"
    r"|(?:bn|mn|m|k)\b|(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b)",
    re.IGNORECASE,
)
_LOOK_BACK = 18


def is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether ``text[start:end]`` cuts nothing that changes its meaning.

    >>> is_whole("it cannot rise", 6, 14), is_whole("a rise of 5 million", 0, 11)
    (False, False)
    """
    return _begins_whole(text, start) and _ends_whole(text, end)


def _begins_whole(text: str, start: int) -> bool:
    first, before = text[start], text[start - 1 : start]
    back = text[max(0, start - _LOOK_BACK) : start]
    if in_word(first) and in_word(before):
        return False
    if in_word(first) and _TURNING.search(back):
        return False
    return not (first.isdigit() and _BEFORE_FIGURE.search(back))


def _ends_whole(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end : end + 1]
    if in_word(last) and in_word(after):
        return False
    if in_word(last) and after == "'" and text[end + 1 : end + 2].isalpha():
        # A possessive may go, n't may not.
        return text[end + 1 : end + 3].rstrip(" .,;:") == "s"
    return not (last.isdigit() and _AFTER_FIGURE.match(text, end))


def in_word(character: str) -> bool:
    """Tell whether a character, empty for none, is part of a word in a script that parts words."""
    return character.isalnum() and not _without_blanks(character)


def _without_blanks(character: str) -> bool:
    """Tell whether the script has no blanks between words: Thai, Lao, Chinese, Japanese, Korean."""
    return (
        "\u0e00" <= character <= "\u0eff"
        or "\u2e80" <= character <= "\ud7ff"
        or "\uf900" <= character <= "\ufaff"
    )

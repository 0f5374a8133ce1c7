"""One word written in several ways: letters that stand for others, and what nobody sees."""

import re
from functools import cache

# A soft hyphen, joiners and places where a line may break: part of the writing, not of the word.
UNSEEN = ("\xad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
_DOTTED, _DOTLESS_LANGUAGE = "\u0130", "tr"
# Letters that are not another one with an accent, but are typed so where there is no key for them.
# Not that of Vietnamese, where it makes other words: to fold it lost 0.03 of nDCG on a manual.
# Then letters of Persian that differ by keyboard, and a stroke that only makes words longer.
_LETTERS = {
    "\u0131": "i", "ø": "o", "ł": "l", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
    "ħ": "h", "\u06cc": "\u064a", "\u06a9": "\u0643", "\u0640": "",
    # Hindi: a point below a letter is often left out, and the moon over one is often a point.
    "\u093c": "", "\u0901": "\u0902",
}  # fmt: skip


def without_unseen(text: str) -> str:
    r"""Return a text without what is not seen in it.

    >>> without_unseen("co\xadoperation")
    'cooperation'
    """
    if text.isascii():
        return text
    for character in UNSEEN:
        text = text.replace(character, "")
    return text


def lower_case(text: str, language: str) -> str:
    """Return a text in small letters; in Turkish a capital without a dot is small without one.

    >>> lower_case("\u0130I", "tr") == "i\u0131", lower_case("\u0130I", "de")
    (True, 'ii')
    """
    undotted = text.replace("I", "\u0131") if language == _DOTLESS_LANGUAGE else text
    return undotted.replace(_DOTTED, "i").lower()


def normalise_spelling(word: str) -> str:
    """Return the one spelling of a folded word that others are taken for.

    >>> normalise_spelling("łodz"), normalise_spelling("हिन्दी") == normalise_spelling("हिंदी")
    ('lodz', True)
    """
    if word.isascii():
        return word
    return _nasal().sub("\u0902", word.translate(_table()))


@cache
def _table() -> dict[int, str]:
    return str.maketrans(_LETTERS)


@cache
def _nasal() -> re.Pattern[str]:
    # In Hindi, an n or m right before another consonant can be written as a point above.
    return re.compile("[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])")

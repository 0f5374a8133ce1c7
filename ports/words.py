"""Count the words of a text: the one definition for all that is kept or left out.

A word is a stretch without blanks that has a letter or a digit. Of scripts that set no blanks
between words, such as Chinese, Japanese and Thai, each letter counts as a word. Signs alone count
for nothing: list marks, bars and arrows are none, in a page as in its markdown.

A page is counted text node by text node, so that the sum does not depend on how it is divided: 30
links without blanks between them are 30 words.
"""

import re
from collections.abc import Iterable

# Thai and Lao, Burmese, Khmer, kana, and Han with its iteration marks.
_UNSPACED_CHARS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Their marks and vowel signs are no letters of their own.
_WORD_PATTERN = re.compile(
    rf"[^\W_](?:(?<=[{_UNSPACED_CHARS}])|(?<![{_UNSPACED_CHARS}])[^\s{_UNSPACED_CHARS}]*+)"
)
# Most western texts fit into one byte a letter; bytes are counted ten times as fast.
_WESTERN = "cp1252"
_WESTERN_LETTERS = [bytes([code]).decode(_WESTERN, "ignore") for code in range(256)]
_SIGNS = bytes(
    code
    for code, letter in enumerate(_WESTERN_LETTERS)
    if not (letter.isalnum() or letter.isspace())
)
# For bytes, unlike for texts, some blanks are none.
_BLANKS = bytes(
    ord(" ") if letter.isspace() else code for code, letter in enumerate(_WESTERN_LETTERS)
)
_UNSPACED_PATTERN = re.compile(f"[{_UNSPACED_CHARS}]")
# A western text has a few other characters: arrows, thin blanks, names.
_MAX_OTHER_CHARS = 12


def count_words(text: str) -> int:
    """Return the number of words of a text.

    >>> count_words("- The mole's 2 lamps | *burn*"), count_words("潮汐表 2026")
    (5, 4)
    """
    for _ in range(_MAX_OTHER_CHARS):
        try:
            letters = text.encode(_WESTERN)
        except UnicodeEncodeError as error:
            character = text[error.start]
            text = text.replace(character, _western_equivalent(character))
        else:
            return len(letters.translate(_BLANKS, _SIGNS).split())
    return len(_WORD_PATTERN.findall(text))


def _western_equivalent(character: str) -> str:
    """Return western text that has as many words in the place of another character."""
    is_letter = character.isalnum()
    if _UNSPACED_PATTERN.match(character):
        return " a " if is_letter else " "
    if is_letter:
        return "a"
    return " " if character.isspace() else ""


def count_all_words(texts: Iterable[str]) -> int:
    """Return the number of words of texts; none goes on in the next one.

    >>> count_all_words(["Home", "Tides"])
    2
    """
    return count_words("\n".join(texts))

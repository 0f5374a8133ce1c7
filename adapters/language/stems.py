"""English word stems, after Martin Porter's second algorithm (Snowball "english").

https://snowballstem.org/algorithms/english/stemmer.html (read 2026-11-15). A word is stemmed as a
list of rules per step: the longest ending that fits decides, whether its rule applies or not.
"""

import re
from collections.abc import Container

_SHORTEST = 3
_VOWELS = "aeiouy"
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = frozenset("cdeghkmnrt")

_PREFIXES = re.compile(r"gener|commun|arsen|past|univers|later|emerg|organ|inter")
_WHOLE_DOUBLE = re.compile(r"[aeo](.)\1$")
_REGION = re.compile(r"[aeiouy][^aeiouy]")
_CONSONANT_Y = re.compile(r"(?:^|(?<=[aeiouy]))y")
_HAS_VOWEL = re.compile(r"[aeiouy]")
_SHORT_SYLLABLE = re.compile(r"(?:^|.*[^aeiouy])[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$|^past$")

_EXCEPTIONS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "vying": "vie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
} | {word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")}
_LEFT_ALONE = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed")
)

_STEP_2 = {
    "ization": "ize",
    "ational": "ate",
    "fulness": "ful",
    "ousness": "ous",
    "iveness": "ive",
    "tional": "tion",
    "biliti": "ble",
    "lessli": "less",
    "entli": "ent",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "ousli": "ous",
    "iviti": "ive",
    "fulli": "ful",
    "ogist": "og",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "izer": "ize",
    "ator": "ate",
    "alli": "al",
    "bli": "ble",
    "ogi": "og",
    "li": "",
}
_STEP_3 = {
    "ational": "ate",
    "tional": "tion",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ative": "",
    "ical": "ic",
    "ness": "",
    "ful": "",
}
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic",
)  # fmt: skip
_LAST_TWO = frozenset(ending[-2:] for ending in (*_STEP_2, *_STEP_3, *_STEP_4))


def stem(word: str) -> str:
    """Return the stem of a lower-case word; what is no English word comes back nearly as it was.

    >>> [stem(word) for word in ("running", "studies", "generously", "relational")]
    ['run', 'studi', 'generous', 'relat']
    """
    if len(word) < _SHORTEST:
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    if "y" in word:
        word = _CONSONANT_Y.sub("Y", word)
    first, second = _regions(word)
    word = _plurals(word)
    if word in _LEFT_ALONE:
        return word
    word = _final_y(_past(word, first))
    # Nothing can end inside R1 when there is none, as in most short words.
    if first < len(word):
        word = _step_3(_step_2(word, first), first, second)
        word = _step_5(_step_4(word, second), first, second)
    return word.lower()


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 begin: after the first, and the second, vowel-consonant pair."""
    prefix = _PREFIXES.match(word)
    first = prefix.end() if prefix else _after_pair(word, 0)
    return first, _after_pair(word, first) if first < len(word) else first


def _after_pair(word: str, start: int) -> int:
    pair = _REGION.search(word, start)
    return pair.end() if pair else len(word)


def _plurals(word: str) -> str:
    if word[-1] not in "sd":
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > len("ties") else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if _HAS_VOWEL.search(word, 0, len(word) - 2) else word


def _past(word: str, first: int) -> str:
    if word[-1] not in "dgy":
        return word
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            at = len(word) - len(ending)
            return word[:at] + "ee" if at >= first else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _mended(base, first) if _HAS_VOWEL.search(base) else word
    return word


def _mended(base: str, first: int) -> str:
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base.endswith(_DOUBLES):
        return base if _WHOLE_DOUBLE.match(base) else base[:-1]
    return base + "e" if first >= len(base) and _SHORT_SYLLABLE.match(base) else base


def _final_y(word: str) -> str:
    turns = len(word) > len("by") and word[-1] in "yY" and word[-2] not in _VOWELS
    return word[:-1] + "i" if turns else word


def _ending(word: str, endings: Container[str], longest: int) -> str:
    """Return the longest of ``endings`` that ``word`` has, or nothing."""
    if word[-2:] not in _LAST_TWO:
        return ""
    for length in range(min(longest, len(word)), 1, -1):
        if word[-length:] in endings:
            return word[-length:]
    return ""


def _step_2(word: str, first: int) -> str:
    ending = _ending(word, _STEP_2, 7)
    at = len(word) - len(ending)
    if not ending or at < first or not _allows(ending, word[at - 1 : at]):
        return word
    return word[:at] + _STEP_2[ending]


def _allows(ending: str, before: str) -> bool:
    if ending == "li":
        return before in _BEFORE_LI
    return ending != "ogi" or before == "l"


def _step_3(word: str, first: int, second: int) -> str:
    ending = _ending(word, _STEP_3, 7)
    at = len(word) - len(ending)
    if not ending or at < (second if ending == "ative" else first):
        return word
    return word[:at] + _STEP_3[ending]


def _step_4(word: str, second: int) -> str:
    ending = _ending(word, _STEP_4, 5)
    at = len(word) - len(ending)
    if not ending or at < second or (ending == "ion" and word[at - 1] not in "st"):
        return word
    return word[:at]


def _step_5(word: str, first: int, second: int) -> str:
    at = len(word) - 1
    if word.endswith("e"):
        short = _SHORT_SYLLABLE.match(word[:-1]) is not None
        return word[:-1] if at >= second or (at >= first and not short) else word
    return word[:-1] if word.endswith("ll") and at >= second else word

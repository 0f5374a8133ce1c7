"""Honest ways to quote a sentence: other blanks, marks, hyphens, line ends."""

import random
import re
from collections.abc import Callable, Mapping

Way = Callable[[str, random.Random], str]
_LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--")


def _blanks(text: str, chance: random.Random) -> str:
    return re.sub(" ", lambda _: chance.choice([" ", "  ", "\t", "\u00a0"]), text)


def _lines(text: str, chance: random.Random) -> str:
    return re.sub(" ", lambda _: chance.choice([" ", " ", "\n"]), text)


def _curly(text: str, _chance: random.Random) -> str:
    return re.sub(r"(?<=\w)'", "\u2019", text.replace('"', "\u201d"))


def _split(text: str, chance: random.Random) -> str:
    long = list(re.finditer(r"[a-z]{8,}", text))
    if not long:
        return text
    cut = chance.choice(long).start() + 4
    return f"{text[:cut]}-\n{text[cut:]}"


def _soft(text: str, _chance: random.Random) -> str:
    return re.sub(r"([a-z]{4})([a-z]{4})", "\\1\u00ad\\2", text, count=1)


def _ligatures(text: str, _chance: random.Random) -> str:
    for letters, one in _LIGATURES.items():
        text = text.replace(letters, one)
    return text


def _wrapped(text: str, chance: random.Random) -> str:
    return chance.choice(
        ['"{}"', "\u201c{}\u201d", "'{}'", "...{}...", "\u2026 {}", "\u00ab{}\u00bb", "[...] {}"]
    ).format(text)


def _marked(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    at = chance.randrange(len(words))
    if words[at].isalpha():
        words[at] = f"**{words[at]}**"
    return " ".join(words)


def _dashes(text: str, chance: random.Random) -> str:
    return re.sub(
        r" ?[\u2013\u2014] ?(?=[A-Za-z])",
        lambda _: chance.choice([" - ", "\u2014", " -- ", " \u2013 "]),
        text,
    )


WAYS: Mapping[str, Way] = {
    "as it is": lambda text, _: text,
    "blanks": _blanks,
    "lines": _lines,
    "curly": _curly,
    "straight": lambda text, _: text.translate(_STRAIGHT),
    "split word": _split,
    "soft hyphen": _soft,
    "ligatures": _ligatures,
    "wrapped": _wrapped,
    "marks": _marked,
    "dashes": _dashes,
    "first letter": lambda text, _: (
        text[0].swapcase() + text[1:] if not text[1:2].isupper() else text
    ),
    "no full stop": lambda text, _: text.rstrip(".,;:"),
    "decomposed": lambda text, _: text.replace("\u00e9", "e\u0301").replace("\u00fc", "u\u0308"),
}

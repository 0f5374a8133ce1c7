"""Quotes of real prose, true and altered: ``python -m benchmarks.evidence.prose FOLDER [SEED] [COUNT]``.

FOLDER holds pages as WCXB has them: ``ground-truth/*.json`` with ``main_content``. Prints how many
quotes lead to their sentence, to another one, and nowhere, and how long claims are.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from webseam.kernel.features.evidence.answer_prompts import ModelClaim, ModelQuote
from webseam.kernel.features.evidence.content_words import FUNCTION_WORDS
from webseam.kernel.features.evidence.passages import find_sentences
from webseam.kernel.features.evidence.shelf import choose_claims

from .quotes import follow, print_counts, shelve

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_UNITS = (
    "km", "kg", "miles", "metres", "meters", "feet", "inches", "mm", "cm", "GB", "MB", "hours",
    "minutes", "seconds", "days", "weeks", "months", "years", "pounds", "ounces", "grams", "mg",
    "ml", "liters", "litres", "percent", "%", "degrees", "watts", "acres",
)  # fmt: skip
_AUXILIARY = (
    "is", "was", "are", "were", "has", "have", "can", "will", "would", "does", "did", "should",
    "could", "must",
)  # fmt: skip
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*\b")
# Capital letters that are no names.
_NO_NAME = frozenset((*_MONTHS, "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
                      "Sunday", "The", "This", "That", "There", "These", "They", "You", "Your",
                      "What", "When", "How", "Why", "And", "But", "For", "With"))  # fmt: skip
_NEGATION = re.compile(r"\b(?:not|never) |(?<=\w)n['\u2019]t\b|\bno (?=[a-z])", re.IGNORECASE)
Alter = Callable[[str, random.Random], str]


class Sentence(NamedTuple):
    """A sentence of a page, and the paragraph it stands in."""

    text: str
    around: str


def pages(folder: Path) -> Iterator[str]:
    """Yield the text of each page, in the order of the files."""
    for file in sorted((folder / "ground-truth").glob("*.json")):
        yield str(json.loads(file.read_text())["ground_truth"].get("main_content") or "")


def prose(text: str) -> Iterator[Sentence]:
    """Yield whole sentences of running text; no headings, lists, questions or other scripts."""
    for block in re.split(r"\n\s*\n", text):
        for stretch in find_sentences(block):
            sentence = block[stretch.start : stretch.end]
            if (
                40 <= len(sentence) <= 300
                and sentence.isascii()
                and re.fullmatch(r"[A-Z].*[.!]", sentence)
                and "\n" not in sentence
                and len(re.findall(r"\b(?:the|a|of|to|and|in|is)\b", sentence)) > 1
            ):
                yield Sentence(sentence, block)


def _one_of(pattern: str | re.Pattern[str], by: Alter) -> Alter:
    def alter(text: str, chance: random.Random) -> str:
        places = list(re.finditer(pattern, text))
        if not places:
            return text
        place = chance.choice(places)
        return text[: place.start()] + by(place[0], chance) + text[place.end() :]

    return alter


def _other(known: Sequence[str]) -> Alter:
    return lambda word, chance: chance.choice([each for each in known if each != word])


def _unit(written: str, chance: random.Random) -> str:
    known = [unit for unit in _UNITS if unit not in (written.strip(" -"), "%", "percent")]
    return f" {chance.choice(known)}"


def _digit(word: str, chance: random.Random) -> str:
    return str((int(word) + chance.randrange(1, 10)) % 10)


def _swapped(text: str, _chance: random.Random) -> str:
    names = list(dict.fromkeys(name for name in _NAME.findall(text) if name not in _NO_NAME))[:2]
    if len(names) < 2 or any(one in two for one, two in (names, names[::-1])):
        return text
    pattern = "|".join(map(re.escape, names))
    return re.sub(pattern, lambda name: names[1] if name[0] == names[0] else names[0], text)


_SMALL = {
    "some": "all", "many": "all", "most": "least", "over": "under", "under": "over", "since": "until",
    "because": "although", "and": "or", "or": "and", "would": "did", "can": "must", "up": "down",
    "with": "against", "during": "after", "before": "after", "both": "either", "more": "less",
    "in": "near", "the": "a", "is": "was", "he": "she", "to": "from",
}  # fmt: skip


def alterations(names: Sequence[str]) -> Mapping[str, Alter]:
    """Return the ways to alter a sentence; ``names`` are those to put in place of others."""

    def renamed(name: str, chance: random.Random) -> str:
        return name if name in _NO_NAME else chance.choice(names)

    after = "|".join(map(re.escape, _UNITS))
    month = "|".join(_MONTHS)
    return {
        "figure": _one_of(r"(?<![\w.,:/\[-])[1-9](?=[\d.,]*)", _digit),
        "unit": _one_of(rf"(?<=\d)[ -]?(?:{after})\b|(?<=\d)%", _unit),
        "month": _one_of(rf"\b(?:{month})(?= \d)", _other(_MONTHS)),
        "year": _one_of(
            r"\b(?:19|20)\d\d\b",
            lambda year, chance: str(int(year) + chance.choice([-7, -1, 1, 10])),
        ),
        "name": _one_of(_NAME, renamed),
        "negation added": _one_of(
            rf"\b(?:{'|'.join(_AUXILIARY)})\b(?! not\b|['\u2019]t| no\b)",
            lambda verb, _: f"{verb} not",
        ),
        "negation dropped": _one_of(_NEGATION, lambda *_: ""),
        "roles swapped": _swapped,
        "small word": _one_of(rf"\b(?:{'|'.join(_SMALL)})\b", lambda word, _: _SMALL[word]),
        "word dropped": _one_of(
            r"(?<=[a-z] )(?:only|just|some|many|most|about|over|may|might|often|also) ",
            lambda *_: "",
        ),
        "sign dropped": _one_of(r"[$\u20ac\u00a3%](?=\W|\d)", lambda *_: ""),
    }


HONEST: Mapping[str, Alter] = {
    "the same": lambda text, _: text,
    "first clause": lambda text, _: text.split(", ")[0].rstrip(".!"),
    "last words": lambda text, _: " ".join(text.split()[-8:]),
    "every third word left out": lambda text, _: " ".join(
        word for number, word in enumerate(text.split()) if number % 3 != 2
    ),
}


def follow_prose(folder: Path, seed: int, count: int) -> tuple[dict[str, Counter[str]], list[int]]:
    """Quote ``count`` sentences in every way; return where that led, and the lengths of claims."""
    chance = random.Random(seed)
    texts = list(pages(folder))
    found = {name for text in texts for it in prose(text) for name in _NAME.findall(it.text)}
    names = sorted(name for name in found - _NO_NAME if name.lower() not in FUNCTION_WORDS)
    ways = {**alterations(names), **HONEST}
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in ways}
    lengths: list[int] = []
    while counts["the same"].total() < count:
        text = chance.choice(texts)
        sentences = list(prose(text))
        shelf = shelve(text)
        for sentence in chance.sample(sentences, min(5, len(sentences))):
            raw = ModelClaim(quotes=(ModelQuote(passage="p1", quote=sentence.text),))
            lengths += [len(it.text) for it in choose_claims(raw, shelf).value_or(())]
            for kind, way in ways.items():
                quote = way(sentence.text, chance)
                if kind == "the same" or quote != sentence.text:
                    counts[kind][follow(shelf, quote, sentence.text)] += 1
    return counts, lengths


def main() -> int:
    """Print where the quotes led; 1 when whole sentences do not lead to themselves."""
    folder, seed, count = Path(sys.argv[1]), *map(int, (*sys.argv[2:], "12", "1000")[:2])
    counts, lengths = follow_prose(folder, seed, count)
    total = print_counts("quote", counts)
    middle = sorted(lengths)[len(lengths) // 2]
    longest = sorted(lengths)[int(0.95 * len(lengths))]
    print(f"claims have {middle} characters (median), 95 % of them at most {longest}")
    same = counts["the same"]
    return int(total["INVENTED"] > 0 or same["right"] < 0.98 * same.total())


if __name__ == "__main__":
    sys.exit(main())

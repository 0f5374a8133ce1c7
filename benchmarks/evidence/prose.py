"""Alterations planted into real prose: ``python -m benchmarks.evidence.prose FOLDER [SEED] [COUNT]``.

FOLDER holds pages as WCXB has them: ``ground-truth/*.json`` with ``main_content``. Prints how many
altered claims are refused, how many honest ones are not, and how many honest quotes are found.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from returns.result import Success

from webseam.kernel.features.evidence.claims import check_claim
from webseam.kernel.features.evidence.content_words import FUNCTION_WORDS
from webseam.kernel.features.evidence.page_view import view_page
from webseam.kernel.features.evidence.passages import find_sentences
from webseam.kernel.features.evidence.quotes import find_quote, searchable_page

from .honest import WAYS

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
        "year": _one_of(r"\b(?:19|20)\d\d\b", lambda year, chance: str(int(year) + chance.choice([-7, -1, 1, 10]))),
        "name": _one_of(_NAME, renamed),
        "negation added": _one_of(rf"\b(?:{'|'.join(_AUXILIARY)})\b(?! not\b|['\u2019]t| no\b)", lambda verb, _: f"{verb} not"),
        "negation dropped": _one_of(_NEGATION, lambda *_: ""),
        "roles swapped": _swapped,
        "small word": _one_of(rf"\b(?:{'|'.join(_SMALL)})\b", lambda word, _: _SMALL[word]),
        "word dropped": _one_of(r"(?<=[a-z] )(?:only|just|some|many|most|about|over|may|might|often|also) ", lambda *_: ""),
        "sign dropped": _one_of(r"[$\u20ac\u00a3%](?=\W|\d)", lambda *_: ""),
    }  # fmt: skip


HONEST: Mapping[str, Alter] = {
    "the same": lambda text, _: text,
    "with a lead-in": lambda text, _: f"According to the page, {text}",
    "first clause": lambda text, _: text.split(", ")[0].rstrip(".!") + ".",
    "thousands rewritten": lambda text, _: re.sub(r"(?<=\d),(?=\d{3}\b)", "", text),
}
# No alteration may be supported, and of the same sentences nearly all.
_MIN_SUPPORTED = 0.98


class Case(NamedTuple):
    """What came of a changed claim."""

    kind: str
    verdict: str
    quote: str
    claim: str


def support(folder: Path, seed: int, count: int) -> list[Case]:
    """Alter ``count`` sentences in every way there is, and return the verdicts."""
    chance = random.Random(seed)
    every = [sentence for text in pages(folder) for sentence in prose(text)]
    found = {name for it in every for name in _NAME.findall(it.text)} - _NO_NAME
    names = sorted(name for name in found if name.lower() not in FUNCTION_WORDS)
    ways = {**alterations(names), **HONEST}
    cases: list[Case] = []
    for sentence in chance.sample(every, min(count, len(every))):
        for kind, way in ways.items():
            claim = way(sentence.text, chance)
            if kind in HONEST or (
                claim != sentence.text and not _is_allowed_name(claim, sentence, kind)
            ):
                cases.append(_case(kind, sentence, claim))
    return cases


def _is_allowed_name(claim: str, sentence: Sentence, kind: str) -> bool:
    """Tell whether a replaced name is one that the paragraph has anyway: that is allowed."""
    fresh = set(re.findall(r"\w+", claim)) - set(re.findall(r"\w+", sentence.text))
    return kind == "name" and all(word in sentence.around for word in fresh)


def _case(kind: str, sentence: Sentence, claim: str) -> Case:
    start = sentence.around.find(sentence.text)
    context = view_page(sentence.around).quote_context(start, start + len(sentence.text))
    verdict = check_claim(claim, [context], sentence.around).support.verdict
    return Case(kind, verdict, sentence.text, claim)


def quotes(folder: Path, seed: int, count: int) -> list[Case]:
    """Quote ``count`` sentences honestly, each in a way of its own, and look for them."""
    chance = random.Random(seed)
    cases: list[Case] = []
    texts = list(pages(folder))
    while len(cases) < count:
        text = chance.choice(texts)
        found = list(prose(text))
        normal = searchable_page(text)
        for sentence in chance.sample(found, min(5, len(found))):
            kind = chance.choice(list(WAYS))
            quote = WAYS[kind](sentence.text, chance)
            there = isinstance(find_quote(normal, quote), Success)
            cases.append(Case(kind, "found" if there else "lost", sentence.text, quote))
    return cases


def main() -> int:
    """Print the rates; 1 when one is lower than it should be."""
    folder, seed, count = Path(sys.argv[1]), *map(int, (*sys.argv[2:], "7", "5000")[:2])
    low = 0
    cases = support(folder, seed, count)
    print(f"{'claim':20} {'tried':>7} {'refused':>9} {'open':>9} {'supported':>9}")
    for kind in dict.fromkeys(case.kind for case in cases):
        verdicts = Counter(case.verdict for case in cases if case.kind == kind)
        tried = sum(verdicts.values())
        shares = [verdicts[each] / tried for each in ("refused", "weak", "supported")]
        low += (
            shares[2] > 0
            if kind not in HONEST
            else kind == "the same" and shares[2] < _MIN_SUPPORTED
        )
        print(f"{kind:20} {tried:7}", *(f"{share:9.2%}" for share in shares))
    honest = quotes(folder, seed, count)
    found = sum(case.verdict == "found" for case in honest)
    print(f"honest quotes: {found} of {len(honest)} found ({found / len(honest):.2%})")
    if "--show" in sys.argv:
        _show(cases, honest)
    return int(low > 0 or found < 0.99 * len(honest))


def _show(cases: Sequence[Case], honest: Sequence[Case]) -> None:
    """Print a few of what went wrong."""
    for kind in dict.fromkeys(case.kind for case in cases):
        wrong = "refused" if kind in HONEST else "supported"
        for case in [it for it in cases if it.kind == kind and it.verdict == wrong][:12]:
            print(f"\n{kind} ({case.verdict})\n  {case.quote}\n  {case.claim}")
    for case in [it for it in honest if it.verdict == "lost"][:20]:
        print(f"\nlost ({case.kind})\n  {case.quote}\n  {case.claim!r}")


if __name__ == "__main__":
    sys.exit(main())

"""What the check by words catches of planted alterations: ``python -m benchmarks.evidence.claims``."""

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping

from webseam.kernel.features.evidence.claims import check_claim
from webseam.kernel.features.evidence.page_view import view_page
from webseam.ports.evidence import Support

from .sentences import FIRMS, MONTHS, PEOPLE, PLACES, UNITS, sentence

Alter = Callable[[str, random.Random], str]


def _one_of(pattern: str, by: Callable[[str, random.Random], str]) -> Alter:
    def alter(text: str, chance: random.Random) -> str:
        places = list(re.finditer(pattern, text))
        if not places:
            return text
        place = chance.choice(places)
        return text[: place.start()] + by(place[0], chance) + text[place.end() :]

    return alter


def _other(known: tuple[str, ...]) -> Callable[[str, random.Random], str]:
    return lambda word, chance: chance.choice([each for each in known if each != word])


def _any_of(known: tuple[str, ...]) -> str:
    return r"\b(?:" + "|".join(re.escape(each) for each in known) + r")(?!\w)"


def _digit(word: str, chance: random.Random) -> str:
    return str((int(word) + chance.randrange(1, 10)) % 10)


def _roles(text: str, _chance: random.Random) -> str:
    names = [each for each in (*PEOPLE, *FIRMS, *PLACES) if each in text][:2]
    if len(names) < 2:
        return text
    pattern = "|".join(map(re.escape, names))
    return re.sub(pattern, lambda name: names[1] if name[0] == names[0] else names[0], text)


def _replaced(name: str, chance: random.Random) -> str:
    kind = next(kind for kind in (PEOPLE, PLACES, FIRMS) if name in kind)
    return _other(kind)(name, chance)


ALTERATIONS: Mapping[str, Alter] = {
    "figure": _one_of(r"(?<![\d.,:])(?:[1-9])(?=[\d.,]*\d?)", _digit),
    "unit": _one_of(r"(?<=\d )(?:" + "|".join(map(re.escape, UNITS)) + r")\b", _other(UNITS)),
    "date": _one_of(_any_of(MONTHS), _other(MONTHS)),
    "day": _one_of(r"(?<= )\d{1,2}(?= (?:" + "|".join(MONTHS) + r"))", lambda day, _: str(int(day) % 28 + 1)),
    "name": _one_of(_any_of((*PEOPLE, *PLACES, *FIRMS)), _replaced),
    "negation added": _one_of(r"\b(?:is|was|would|has|are)\b", lambda verb, _: f"{verb} not"),
    "negation dropped": _one_of(r"\b(?:not|never|no) |n\u2019t\b", lambda *_: ""),
}  # fmt: skip
SWAPPED = "roles swapped"


HONEST: Mapping[str, Alter] = {
    "the same": lambda text, _: text,
    "with a lead-in": lambda text, _: f"According to the page, {text}",
    "first half": lambda text, _: text.split(", ")[0].rstrip(".") + ".",
}


def verdict(quote: str, claim: str) -> Support:
    """Return what the check says of a claim about a quote that is a passage of its own."""
    context = view_page(quote).quote_context(0, len(quote))
    return check_claim(claim, [context], quote).support


def rates(seed: int, count: int) -> dict[str, Counter[str]]:
    """Return the verdicts on so many sentences, for each kind of change."""
    chance = random.Random(seed)
    counts: dict[str, Counter[str]] = {}
    for _ in range(count):
        quote = sentence(chance, foreign=0)
        for kind, change in {**ALTERATIONS, SWAPPED: _roles, **HONEST}.items():
            claim = change(quote, chance)
            if kind in HONEST or claim != quote:
                counts.setdefault(kind, Counter())[verdict(quote, claim).verdict] += 1
    return counts


def main() -> int:
    """Print how many of each kind were refused, left open and supported."""
    seed, count = map(int, (*sys.argv[1:], "7", "3000")[:2])
    print(f"{'claim':20} {'tried':>7} {'refused':>9} {'open':>9} {'supported':>9}")
    for kind, verdicts in rates(seed, count).items():
        tried = sum(verdicts.values())
        shares = [verdicts[each] / tried for each in ("refused", "weak", "supported")]
        print(f"{kind:20} {tried:7}", *(f"{share:9.2%}" for share in shares))
    return 0


if __name__ == "__main__":
    sys.exit(main())

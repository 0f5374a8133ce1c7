"""How many honest quotes are taken, and how many forged ones: ``python -m benchmarks.evidence.quotes``."""

import random
import re
import sys
from collections import Counter

import msgspec
from returns.result import Success

from webseam.kernel.features.evidence.quotes import PageText, find_quote, searchable_page

from .forged import FORGERIES, Scene
from .honest import WAYS
from .pages import KnownPage, known_page

# A figure with one of these behind it, or nothing, has neither a size nor a unit, nor is it a range.
_AFTER_A_FIGURE = ([], *([word] for word in ("and", "in", "of", "on", "with", "by")))


class Trial(msgspec.Struct, frozen=True):
    """A quote that was tried."""

    kind: str
    quote: str
    accepted: bool


class Tally(msgspec.Struct, frozen=True):
    """What was tried with honest quotes, and with forged ones."""

    honest: tuple[Trial, ...]
    forged: tuple[Trial, ...]


def tally(seed: int, pages: int, per_page: int = 30) -> Tally:
    """Try quotes of so many pages."""
    chance = random.Random(seed)
    honest: list[Trial] = []
    forged: list[Trial] = []
    other = known_page(chance)
    for _ in range(pages):
        page = known_page(chance)
        text = searchable_page(page.content)
        for _ in range(per_page):
            sentence = chance.choice(page.sentences)
            honest.append(_honest(text, _fragment(sentence, chance), chance))
            trial = _forged(text, Scene(sentence, page, other), chance)
            if trial is not None:
                forged.append(trial)
        other = page
    return Tally(tuple(honest), tuple(forged))


def _fragment(sentence: str, chance: random.Random) -> str:
    """Return the sentence, or now and then the words of it from some border on."""
    words = sentence.split(" ")
    if chance.random() < 0.7 or len(words) < 12:
        return sentence
    start = chance.randrange(len(words) - 8)
    part = words[start : start + chance.randrange(7, 20)]
    before, after = words[start - 1 : start], words[start + len(part) : start + len(part) + 1]
    # An honest quote does not tear a figure from its sign, size or unit.
    torn = re.match(r"[-\u20ac$]?\d", part[0]) or re.search(r"\d\W*\Z", part[-1])
    denied = any(re.search(r"\d|about|least|than|only", each) for each in before + after)
    return sentence if torn or denied else " ".join(part)


def _honest(text: PageText, sentence: str, chance: random.Random) -> Trial:
    kind = chance.choice(list(WAYS))
    quote = WAYS[kind](sentence, chance)
    return Trial(kind, quote, isinstance(find_quote(text, quote), Success))


def _forged(text: PageText, scene: Scene, chance: random.Random) -> Trial | None:
    kind = chance.choice(list(FORGERIES))
    quote = FORGERIES[kind](scene, chance)
    if quote is None or is_true_quote(quote, scene.page):
        return None
    return Trial(kind, quote, isinstance(find_quote(text, quote), Success))


def is_true_quote(quote: str, page: KnownPage) -> bool:
    """Tell whether what a forger made is true after all, by means other than those that are tried."""
    tokens = _tokens(quote)
    whole = (*page.sentences, " ".join(page.sentences))
    if any(_follow_whole(tokens, _tokens(each)) for each in whole):
        return True
    parts = [_words(part) for part in re.split(r" ?(?:\.\.\.|\u2026) ?", quote)]
    return len(parts) > 1 and any(
        re.search("[^.?!]*".join(map(re.escape, parts)), _words(each))
        and not re.search(r"\d|\bno", each)
        for each in page.sentences
    )


def _follow_whole(tokens: list[str], there: list[str]) -> bool:
    """Tell whether tokens stand in a row, and a figure at their end has nothing of it behind it."""
    places = (
        there[at : at + len(tokens) + 1]
        for at in range(len(there) - len(tokens) + 1)
        if there[at : at + len(tokens)] == tokens
    )
    figure = bool(re.search(r"\d\Z", tokens[-1])) if tokens else False
    return any(not figure or place[len(tokens) :] in _AFTER_A_FIGURE for place in places)


def _tokens(text: str) -> list[str]:
    """Return what stands between blanks, without the marks around it: sugar-free is one, as is 3.5."""
    bare = re.sub(r"[\u2018\u2019]", "'", re.sub(r"\[\d+\]", "", text))
    figures = re.sub(r"(?<=\d)[\u00a0\u202f](?=\d{3}\b)", "_", bare)
    tokens = re.findall(r"[-+$\u20ac]?\w+(?:[-'./,:&]\w+)*%?|[+<>=$\u20ac-]", figures)
    return [
        re.sub(r"'s\Z", "", token)
        for token in [t[:1].lower() + t[1:] for t in tokens[:1]] + tokens[1:]
    ]


def _words(text: str) -> str:
    joined = " ".join(re.findall(r"\w+|[%$\u20ac+<>=-]|(?<=\d)[.,](?=\d)", text))
    return joined[:1].lower() + joined[1:]


def main() -> int:
    """Print the rates; 1 when a forged quote was taken, or too few honest ones."""
    seed, pages = map(int, (*sys.argv[1:], "11", "400")[:2])
    result = tally(seed, pages)
    for name, trials in (("honest", result.honest), ("forged", result.forged)):
        taken = sum(trial.accepted for trial in trials)
        print(f"{name}: {taken} of {len(trials)} taken ({taken / len(trials):.3%})")
        tried: Counter[str] = Counter()
        accepted: Counter[str] = Counter()
        for trial in trials:
            tried[trial.kind] += 1
            accepted[trial.kind] += trial.accepted
        for kind, count in sorted(tried.items()):
            print(f"  {kind:24} {count:6} {accepted[kind]:6}")
    for trial in [trial for trial in result.forged if trial.accepted][:20]:
        print("TAKEN", trial.kind, repr(trial.quote))
    missed = [trial for trial in result.honest if not trial.accepted]
    for trial in missed[:20]:
        print("REFUSED", trial.kind, repr(trial.quote))
    forged = any(trial.accepted for trial in result.forged)
    return int(forged or len(missed) > len(result.honest) / 100)


if __name__ == "__main__":
    sys.exit(main())

"""How many honest quotes are taken, and how many forged ones: ``python -m benchmarks.evidence.quotes``."""

import random
import re
import sys
from collections import Counter
from functools import partial

import msgspec
from returns.result import Success

from webseam.kernel.evidence.quotation.quotes import PageText, find_quote, page_text

from .forged import FORGERIES, Scene
from .honest import WAYS
from .pages import KnownPage, known_page


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
        text = page_text(page.content)
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
    if quote is None or stands(quote, scene.page):
        return None
    return Trial(kind, quote, isinstance(find_quote(text, quote), Success))


def stands(quote: str, page: KnownPage) -> bool:
    """Tell whether what a forger made is true after all, by means other than those that are tried."""
    words = _words(quote)
    if any(
        f" {words} " in f" {_words(each)} " for each in (*page.sentences, " ".join(page.sentences))
    ):
        return not re.search(r"\d\Z", quote) or any(
            map(partial(_ends_whole, words), page.sentences)
        )
    parts = [_words(part) for part in re.split(r" ?(?:\.\.\.|\u2026) ?", quote)]
    return len(parts) > 1 and any(
        re.search("[^.?!]*".join(map(re.escape, parts)), _words(each))
        and not re.search(r"\d|\bno", each)
        for each in page.sentences
    )


def _ends_whole(words: str, sentence: str) -> bool:
    """Tell whether a figure at the end of a quote has neither digits, size nor unit behind it."""
    _, there, after = f" {_words(sentence)} ".partition(f" {words} ")
    return bool(there) and after.split(" ")[0] in ("", "to", "and", "in", "of", "on", "with", "by")


def _words(text: str) -> str:
    found = re.findall(r"\w+|[%$\u20ac+<>=-]|(?<=\d)[.,](?=\d)", text)
    joined = " ".join(found)
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

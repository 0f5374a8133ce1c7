"""Where honest and forged quotes lead: ``python -m benchmarks.evidence.quotes [SEED] [PAGES]``.

A quote only chooses, so no quote can put a word into an answer that is not on the page. What is
counted is whether it leads to the sentence that was meant, to another one, or nowhere.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

from returns.result import Failure

from webseam.kernel.features.evidence.answer_prompts import ModelClaim, ModelQuote
from webseam.kernel.features.evidence.gathering import text_hash
from webseam.kernel.features.evidence.printing import print_text
from webseam.kernel.features.evidence.quotes import quote_words
from webseam.kernel.features.evidence.shelf import SourceShelf, choose_claims, make_source_shelf
from webseam.ports.evidence import Passage, SourcePage

from .forged import FORGERIES, Scene
from .honest import WAYS
from .pages import known_page

Lead: TypeAlias = Literal["right", "other", "refused", "INVENTED"]
LEADS: tuple[Lead, ...] = ("right", "other", "refused", "INVENTED")
Counts: TypeAlias = dict[str, Counter[str]]


def source_page(text: str, url: str = "https://a.example/", title: str = "A") -> SourcePage:
    """Return a page as it is read."""
    return SourcePage(
        url=url,
        final_url=url,
        title=title,
        text=text,
        sha256=text_hash(text),
        read_on="2026-11-19",
        backend="pages",
    )


def shelve(text: str) -> SourceShelf:
    """Return a page of which all is shown to the model."""
    return make_source_shelf(
        (source_page(text),), (Passage(id="p1", page=0, start=0, end=len(text)),)
    )


def follow(shelf: SourceShelf, quote: str, meant: str) -> Lead:
    """Return where a quote leads whose author meant the sentence ``meant``."""
    raw = ModelClaim(quotes=(ModelQuote(passage="p1", quote=quote),), claim=quote)
    chosen = choose_claims(raw, shelf)
    if isinstance(chosen, Failure):
        return "refused"
    text = shelf.pages[0].text
    for claim in chosen.unwrap():
        if claim.kind == "sentences" and claim.text != print_text(text[claim.start : claim.end]):
            return "INVENTED"
    shown = " ".join(" ".join(quote_words(claim.text)) for claim in chosen.unwrap())
    return "right" if " ".join(quote_words(meant)) in shown else "other"


def tally(seed: int, pages: int, per_page: int = 30) -> tuple[Counts, Counts]:
    """Follow honest and forged quotes of so many pages."""
    chance = random.Random(seed)
    honest: Counts = {}
    forged: Counts = {}
    other = known_page(chance)
    for _ in range(pages):
        page = known_page(chance)
        shelf = shelve(page.content)
        for _ in range(per_page):
            # A question is no claim.
            sentence = chance.choice([it for it in page.sentences if not it.endswith("?")])
            meant = re.sub(r"[\u00a0\u202f]", " ", sentence)
            kind = chance.choice(list(WAYS))
            lead = follow(shelf, WAYS[kind](sentence, chance), meant)
            honest.setdefault(kind, Counter())[lead] += 1
            kind = chance.choice(list(FORGERIES))
            quote = FORGERIES[kind](Scene(sentence, page, other), chance)
            if quote is not None:
                forged.setdefault(kind, Counter())[follow(shelf, quote, meant)] += 1
        other = page
    return honest, forged


def print_counts(name: str, counts: Mapping[str, Counter[str]]) -> Counter[str]:
    """Print where each kind of quote led; return the sums."""
    total: Counter[str] = sum(counts.values(), Counter())
    print(f"{name:24}", *(f"{lead:>9}" for lead in LEADS))
    for kind, leads in sorted({**counts, "all": total}.items()):
        print(f"  {kind:22}", *(f"{leads[lead]:9}" for lead in LEADS))
    return total


def main() -> int:
    """Print the rates; 1 when a text was invented, or too few honest quotes led home."""
    seed, pages = map(int, (*sys.argv[1:], "11", "200")[:2])
    counts = tally(seed, pages)
    honest, forged = (
        print_counts(name, it) for name, it in zip(("honest", "forged"), counts, strict=True)
    )
    invented = honest["INVENTED"] + forged["INVENTED"]
    return int(invented > 0 or honest["right"] < 0.96 * honest.total())


if __name__ == "__main__":
    sys.exit(main())

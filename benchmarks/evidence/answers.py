"""Forged answers through the whole of ``ask``: ``python -m benchmarks.evidence.answers [SEED] [COUNT]``.

Each answer claims what stands in no page: forged quotes, invented passages, or a true quote with
another claim. None may come out; 1 when one does.
"""

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from returns.result import Failure, Result, Success

from webseam.kernel.features.evidence.gathering import text_hash
from webseam.kernel.features.evidence.notes import AskDeps, Pages, Searches
from webseam.kernel.features.evidence.web_ask import answer_from_pages
from webseam.ports.errors import WebError
from webseam.ports.evidence import HearText, ModelText, SourcePage
from webseam.ports.web import WebSearchQuery

from .claims import ALTERATIONS
from .forged import FORGERIES, Scene
from .pages import KnownPage, known_page
from .quotes import is_true_quote

_OF_A_PAGE = 25


class Forgery(NamedTuple):
    """What a model claims, and what it quotes from which passage."""

    kind: str
    passage: str
    quote: str
    claim: str


class Liar:
    """A model that gives one answer, also when it is asked again."""

    name = "liar"

    def __init__(self, forgery: Forgery) -> None:
        """Claim what is forged."""
        quote = {"passage": forgery.passage, "quote": forgery.quote}
        claim = {"quotes": [quote], "claim": forgery.claim}
        self._text = json.dumps({"claims": [claim], "missing": ""})

    async def __call__(
        self, _prompt: str, _schema: Mapping[str, object], /, *, hear: HearText | None = None
    ) -> Result[ModelText, WebError]:
        """Say it."""
        if hear is not None:
            hear(self._text)
        return Success(ModelText(text=self._text))


def forgeries(page: KnownPage, other: KnownPage, chance: random.Random) -> Iterator[Forgery]:
    """Yield what may be said of a page that it does not say."""
    for _ in range(_OF_A_PAGE):
        sentence = chance.choice(page.sentences)
        passage = f"p{chance.randrange(1, 9)}"
        kind = chance.choice([*FORGERIES, *ALTERATIONS, "invented passage"])
        if kind == "invented passage":
            name = chance.choice(["p99", "", "https://a.example/", "P1"])
            yield Forgery(kind, name, sentence, sentence)
        elif kind in ALTERATIONS:
            claim = ALTERATIONS[kind](sentence, chance)
            if claim != sentence and sentence.isascii():
                yield Forgery(f"claim: {kind}", passage, sentence, claim)
        else:
            quote = FORGERIES[kind](Scene(sentence, page, other), chance)
            if quote is not None and not is_true_quote(quote, page):
                yield Forgery(kind, passage, quote, quote)


async def is_accepted(forgery: Forgery, page: KnownPage) -> bool:
    """Tell whether a forged answer comes out, at the end or on the way."""
    told: list[str] = []
    source = SourcePage(
        url="https://a.example/",
        final_url="https://a.example/",
        title="A",
        text=page.content,
        sha256=text_hash(page.content),
        read_on="2026-11-15",
        backend="pages",
    )
    deps = AskDeps(
        search=_no_search,
        read=_no_pages,
        read_on="2026-11-15",
        answerer=Liar(forgery),
        tell=lambda step: told.append(step.detail) if step.claim is not None else None,
    )
    question = " ".join(page.sentences)[:1500]
    outcome = await answer_from_pages(question, (source,), deps)
    return bool(told) or not isinstance(outcome, Failure)


async def _no_search(_queries: Sequence[WebSearchQuery]) -> Searches:
    return ()


async def _no_pages(_urls: Sequence[str]) -> Pages:
    return ()


def tally(seed: int, count: int) -> tuple[Counter[str], list[Forgery]]:
    """Try so many answers; return how many of each kind, and those that came out."""
    chance = random.Random(seed)
    tried: Counter[str] = Counter()
    out: list[Forgery] = []
    other = known_page(chance)
    while tried.total() < count:
        page = known_page(chance)
        for forgery in forgeries(page, other, chance):
            tried[forgery.kind] += 1
            if asyncio.run(is_accepted(forgery, page)):
                out.append(forgery)
        other = page
    return tried, out


def main() -> int:
    """Print what was tried, and what came out."""
    seed, count = map(int, (*sys.argv[1:], "5", "10000")[:2])
    tried, out = tally(seed, count)
    print(f"{tried.total()} forged answers of {len(tried)} kinds, {len(out)} accepted")
    for kind, number in sorted(tried.items()):
        print(f"  {kind:28} {number:6} {sum(it.kind == kind for it in out):6}")
    for forgery in out[:20]:
        print("ACCEPTED", forgery)
    return int(bool(out))


if __name__ == "__main__":
    sys.exit(main())

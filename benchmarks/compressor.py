"""The extractive compressor beside head-and-tail trimming, on questions made from pages.

    python -m benchmarks.compressor FOLDER [--questions N] [--budget N]

FOLDER is laid out as WCXB is. A page is asked about one of its sentences: by a few of its words, by
one of its words and two of the sentence before it, or by a single word. What counts is how often
that sentence is in the shortened page. Made-up questions are easier than real ones, for both sides.

A FOLDER as ``benchmarks.index.making packages`` makes them is measured otherwise, in any language: a
page is 25 descriptions, asked for by the short one of one of them, and what counts is how much of
that is in the shortened page, in sentences.
"""

import argparse
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.index.collection import load, pages
from webseam.adapters.compressors.extractive_compressor import extract, split_page_units
from webseam.adapters.language.tokenising import STOP_TERMS, text_terms

_SHORTEST_PAGE = 9000
_DESCRIPTIONS = 25
_SHORT = 20
_WORD = re.compile(r"[A-Za-z]{4,}")


class Case(NamedTuple):
    page: str
    sentence: str
    question: str


def head_and_tail(page: str, question: str, budget: int) -> str:
    del question
    head = budget * 3 // 4
    return page[:head] + page[-(budget - head) :]


def cases(folder: Path, kind: str, most: int) -> Iterator[Case]:
    chance = random.Random(5)
    texts = [text for _, text in pages(folder) if len(text) >= _SHORTEST_PAGE]
    for page in chance.choices(texts, k=most * 3):
        parts = split_page_units(page)
        at = chance.randrange(1, len(parts))
        own, before = _words(parts[at].text), _words(parts[at - 1].text)
        if parts[at].kind != "sentence" or len(own) < 4 or len(before) < 2:
            continue
        few = chance.sample(own, max(2, len(own) // 3))
        words = {"words": few, "neighbour": [own[0], *before[:2]], "word": own[:1]}[kind]
        yield Case(page, parts[at].text, f"What about {' '.join(words)}?")


def descriptions(folder: Path, most: int, budget: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield pages, what is asked, and the sentences that should be kept."""
    chance = random.Random(2)
    collection = load(folder)
    texts = {number: text for number, _, text in collection.documents}
    for number, question in collection.queries[:most]:
        chosen = [number, *chance.sample(sorted(texts), _DESCRIPTIONS - 1)]
        chance.shuffle(chosen)
        page = "\n\n".join(texts[each] for each in chosen)
        wanted = [unit.text for unit in split_page_units(texts[number]) if len(unit.text) > _SHORT]
        if wanted and len(page) > budget * 1.5:
            yield page, question, wanted


def _show_descriptions(folder: Path, most: int, budget: int) -> None:
    shares: dict[str, list[float]] = {"extractive": [], "head+tail": []}
    for page, question, wanted in descriptions(folder, most, budget):
        for name, shorten in (("extractive", extract), ("head+tail", head_and_tail)):
            shortened = " ".join(shorten(page, question, budget).split())
            kept = [sentence for sentence in wanted if " ".join(sentence.split()) in shortened]
            shares[name].append(len(kept) / len(wanted))
    for name, some in shares.items():
        print(f"{name:<12}{len(some):>8}{sum(some) / max(len(some), 1):>12.3f}")


def _words(text: str) -> list[str]:
    words = dict.fromkeys(_WORD.findall(text))
    return [word for word in words if not STOP_TERMS.intersection(text_terms(word))]


def _kept(case: Case, shortened: str) -> bool:
    return " ".join(case.sentence.split()) in " ".join(shortened.split())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--budget", type=int, default=5000)
    options = parser.parse_args()
    if (options.folder / "corpus.jsonl").is_file():
        _show_descriptions(options.folder, options.questions, options.budget)
        return
    print(f"{'question':<12}{'asked':>8}{'extractive':>12}{'head+tail':>12}{'ms a page':>12}")
    for kind in ("words", "neighbour", "word"):
        examples = list(cases(options.folder, kind, options.questions))[: options.questions]
        began = time.process_time()
        ours = _share(examples, extract, options.budget)
        spent = (time.process_time() - began) / len(examples) * 1000
        theirs = _share(examples, head_and_tail, options.budget)
        print(f"{kind:<12}{len(examples):>8}{ours:>12.3f}{theirs:>12.3f}{spent:>12.1f}")


def _share(examples: list[Case], shorten: Callable[[str, str, int], str], budget: int) -> float:
    shares = (_kept(case, shorten(case.page, case.question, budget)) for case in examples)
    return sum(shares) / len(examples)


if __name__ == "__main__":
    main()

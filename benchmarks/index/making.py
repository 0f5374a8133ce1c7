"""Test collections in BEIR's layout, made of texts that anybody can have.

    python -m benchmarks.index.making packages Translation-de.bz2 FOLDER [--documents N]
    python -m benchmarks.index.making titles|sentences|paragraphs PAGES FOLDER

``packages`` is the file of descriptions in some language of any mirror of Debian, under
``dists/bookworm/main/i18n``: the long description of each package is asked for by its short one.
The others take pages laid out as WCXB is, cut into passages of 180 words: asked for are all passages
of a page by its title, or one by a sentence or a paragraph that is taken out of it.
"""

import argparse
import bz2
import json
import lzma
import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.index.collection import Collection, pages

_WORDS = 180
_FEWEST_WORDS = 60
_OPERATORS = re.compile(r'["+*-]')


def packages(path: Path, documents: int, queries: int, seed: int = 3) -> Collection:
    """Ask for long descriptions by short ones, one of each family of packages."""
    described = list(_descriptions(path))
    random.Random(seed).shuffle(described)
    chosen = described[:documents]
    asked = [(name, short) for name, short, long in chosen]
    return _collection([(name, long) for name, _, long in chosen], asked[:queries])


def _descriptions(path: Path) -> Iterator[tuple[str, str, str]]:
    unpack = lzma.decompress if path.suffix == ".xz" else bz2.decompress
    blocks = unpack(path.read_bytes()).decode().split("\n\n")
    seen: set[str] = set()
    for block in blocks:
        name = re.search(r"^Package: (.*)$", block, re.MULTILINE)
        text = re.search(r"^Description-(?!md5)\w+: (.*)\n((?: .*\n?)*)", block, re.MULTILINE)
        if not name or not text:
            continue
        long = re.sub(r"\n ", "\n", text[2].replace("\n .\n", "\n\n")).strip()
        family = re.sub(r"(-dev|-doc|-data|-common|-dbg|\d.*)$", "", name[1])
        if len(long) < 120 or {family, long[:120]} & seen:
            continue
        seen |= {family, long[:120]}
        yield name[1], text[1], long


def titles(folder: Path) -> Collection:
    """Ask for all passages of a page by its title."""
    cut = list(_passages(folder))
    documents = [(f"{page}-{at}", " ".join(words)) for page, at, words, _ in cut]
    relevant: dict[str, dict[str, int]] = {}
    for page, at, _, _ in cut:
        relevant.setdefault(str(page), {})[f"{page}-{at}"] = 1
    named = {str(page): title for page, _, _, title in cut}
    asked = [(page, re.split(r"\s+[|\u2013\u2014-]\s+", title)[0]) for page, title in named.items()]
    return _collection(documents, [each for each in asked if len(each[1].split()) > 3], relevant)


def taken_out(folder: Path, fewest: int, most: int, queries: int, seed: int = 7) -> Collection:
    """Ask for passages by a stretch of so many words that is taken out of each."""
    chance = random.Random(seed)
    cut = list(_passages(folder))
    chance.shuffle(cut)
    documents: list[tuple[str, str]] = []
    asked: list[tuple[str, str]] = []
    for page, at, words, _ in cut:
        name, text = f"{page}-{at}", " ".join(words)
        stretches = re.split(r"(?<=[.!?])\s+", text)[1:-1]
        fitting = [each for each in stretches if fewest <= len(each.split()) <= most]
        if len(asked) < queries and fitting:
            stretch = chance.choice(fitting)
            asked.append((name, stretch))
            text = text.replace(stretch, " ")
        documents.append((name, text))
    return _collection(documents, asked)


def paragraphs(folder: Path, queries: int, seed: int = 7) -> Collection:
    """Ask for a passage by the one before it on the same page, which is taken out."""
    chance = random.Random(seed)
    cut = list(_passages(folder))
    following = {place for place, (one, other) in enumerate(pairwise(cut), 1) if one[0] == other[0]}
    chosen = chance.sample(sorted(following), min(queries, len(following)))
    asked = [(f"{cut[at][0]}-{cut[at][1]}", " ".join(cut[at - 1][2])) for at in chosen]
    gone = {at - 1 for at in chosen} - {*chosen}
    documents = [
        (f"{page}-{at}", " ".join(words))
        for place, (page, at, words, _) in enumerate(cut)
        if place not in gone
    ]
    return _collection(documents, asked)


def _passages(folder: Path) -> Iterator[tuple[int, int, list[str], str]]:
    for page, (title, text) in enumerate(pages(folder)):
        words = text.split()
        for start in range(0, len(words), _WORDS):
            part = words[start : start + _WORDS]
            if len(part) >= _FEWEST_WORDS:
                yield page, start, part, title


def _collection(
    documents: list[tuple[str, str]],
    asked: list[tuple[str, str]],
    relevant: dict[str, dict[str, int]] | None = None,
) -> Collection:
    queries = [(name, _OPERATORS.sub(" ", text)) for name, text in asked]
    known = relevant or {name: {name: 1} for name, _ in asked}
    return Collection([(name, "", text) for name, text in documents], queries, known)


def write(collection: Collection, folder: Path) -> None:
    """Lay a collection out as BEIR does."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    _lines(folder / "corpus.jsonl", [(number, text) for number, _, text in collection.documents])
    _lines(folder / "queries.jsonl", collection.queries)
    rows = [
        f"{query}\t{document}\t{grade}"
        for query, _ in collection.queries
        for document, grade in collection.relevant[query].items()
    ]
    head = "query-id\tcorpus-id\tscore"
    (folder / "qrels" / "test.tsv").write_text("\n".join([head, *rows]) + "\n")


def _lines(path: Path, rows: list[tuple[str, str]]) -> None:
    lines = (json.dumps({"_id": number, "title": "", "text": text}) for number, text in rows)
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("packages", "titles", "sentences", "paragraphs"))
    parser.add_argument("source", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--queries", type=int, default=400)
    options = parser.parse_args()
    made = {
        "packages": lambda: packages(options.source, options.documents, options.queries),
        "titles": lambda: titles(options.source),
        "sentences": lambda: taken_out(options.source, 10, 25, options.queries),
        "paragraphs": lambda: paragraphs(options.source, options.queries),
    }[options.kind]()
    write(made, options.folder)
    print(f"{len(made.documents)} documents, {len(made.queries)} queries")


if __name__ == "__main__":
    main()

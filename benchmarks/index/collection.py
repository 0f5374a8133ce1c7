"""Test collections for the index: one in BEIR's layout, or one made up of any size."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Collection(NamedTuple):
    documents: list[tuple[str, str, str]]  # number, title, text
    queries: list[tuple[str, str]]  # number, text
    relevant: dict[str, dict[str, int]]  # by query, then by document


def load(folder: Path) -> Collection:
    """Read corpus.jsonl, queries.jsonl and qrels/test.tsv; or a folder of pages with titles."""
    if (folder / "ground-truth").is_dir():
        return _by_title(folder)
    relevant: dict[str, dict[str, int]] = {}
    lines = (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]
    for query, document, grade in (line.split("\t") for line in lines):
        relevant.setdefault(query, {})[document] = int(grade)
    documents = [
        (each["_id"], each.get("title") or "", each["text"])
        for each in _lines(folder / "corpus.jsonl")
    ]
    queries = [(each["_id"], each["text"]) for each in _lines(folder / "queries.jsonl")]
    return Collection(documents, [each for each in queries if each[0] in relevant], relevant)


def make(size: int, queries: int = 300, seed: int = 7) -> Collection:
    """Make passages of about 70 words about one of many subjects each, and questions on some.

    Words are as unequally common as in real text. A question is made of words that its passage
    uses, and of some that it does not; passages on the same subject are relevant a little.
    """
    chance = random.Random(seed)
    words = [_word(number) for number in range(40_000)]
    common = [1 / (rank + 3) for rank in range(len(words))]
    subjects = [chance.sample(range(500, len(words)), 25) for _ in range(max(10, size // 25))]
    background = iter(chance.choices(words, common, k=size * 55 + queries * 10))
    about = [chance.randrange(len(subjects)) for _ in range(size)]
    documents = []
    for number, subject in enumerate(about):
        own = [words[each] for each in chance.choices(subjects[subject], k=15)]
        text = own + [next(background) for _ in range(55)]
        chance.shuffle(text)
        documents.append((str(number), " ".join(own[:3]), " ".join(text)))
    asked, relevant = [], {}
    for query in range(queries):
        target = chance.randrange(size)
        text = chance.sample(documents[target][2].split(), 5)
        text += [words[each] for each in chance.sample(subjects[about[target]], 2)]
        asked.append((str(query), " ".join(text)))
        relevant[str(query)] = {str(target): 3} | {
            str(other): 1
            for other, subject in enumerate(about)
            if subject == about[target] and other != target
        }
    return Collection(documents, asked, relevant)


def _word(number: int) -> str:
    letters = ""
    number += 26 * 26
    while number:
        number, rest = divmod(number, 20)
        letters += "bcdfghjklmnprstvwxyz"[rest] + "aeiou"[(number + rest) % 5]
    return letters


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the title and main text of each page of a folder laid out as WCXB is."""
    for path in sorted((folder / "ground-truth").glob("*.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))["ground_truth"]
        yield truth.get("title") or "", truth.get("main_content") or ""


def _by_title(folder: Path) -> Collection:
    """Ask for each page by its title, which is taken out of its text."""
    documents, queries, relevant = [], [], {}
    for number, (title, text) in enumerate(pages(folder)):
        name = re.split(r"\s+[|\u2013\u2014-]\s+", title)[0]
        if len(text) <= 300 or not name:
            continue
        named = name.lower()[:40] in text[: len(name) + 20].lower()
        documents.append((str(number), "", text[len(name) :] if named else text))
        if len(name.split()) >= 3:
            queries.append((str(number), re.sub(r'["+-]', " ", name)))
            relevant[str(number)] = {str(number): 1}
    return Collection(documents, queries, relevant)

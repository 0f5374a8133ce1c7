"""A process that adds, replaces, removes and embeds documents, and is killed while it does.

Run as ``python -m tests.features.index.changing FOLDER COUNT``. Before each change it says what it is about
to do, and after it that it is done; what was done stays, and what was begun happened as a whole or
not at all. What is wrong in the end is printed, a line each.
"""

import os
import random
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.vector_table import EmbeddingModel
from webseam.ports import WebSearchQuery

_DOCUMENTS = 40
_NONE = "-"
_BEGUN, _DONE = "?", "!"
_EMBEDS = find_spec("numpy") is not None

# What each document may be: the word of its text, or none. The first is what was last said.
Possible = dict[int, tuple[str, ...]]


def _url(number: int) -> str:
    return f"https://{number}.example/"


def _document(number: int, word: str) -> IndexDocument:
    text = f"# {word}\n\n" + f"Words of {word} and others. " * (60 + 80 * (number % 4))
    return IndexDocument(url=_url(number), text=text)


def change(folder: Path, turn: int, pipe: int) -> None:
    """Change documents, some at a time, until somebody kills us."""
    chance = random.Random(turn)  # noqa: S311  not a secret
    index = DocumentIndex.open_writer(folder / "index.sqlite").unwrap()
    step = 0
    while True:
        step += 1
        numbers = chance.sample(range(_DOCUMENTS), chance.randrange(1, 12))
        word = _NONE if chance.random() < 0.4 else f"z{turn}z{step}z"
        # Each has a word of its own, and no other ever had it.
        words = [word if word == _NONE else f"{word}{number}z" for number in numbers]
        told = " ".join(f"{number}={each}" for number, each in zip(numbers, words, strict=True))
        os.write(pipe, f"{_BEGUN} {told}\n".encode())
        if word == _NONE:
            index.remove([_url(number) for number in numbers]).unwrap()
        else:
            index.add(map(_document, numbers, words)).unwrap()
        if chance.random() < 0.1:
            index.tidy().unwrap()
        if _EMBEDS and chance.random() < 0.5:
            _embed(index)
        os.write(pipe, f"{_DONE} {told}\n".encode())


def _embed(index: DocumentIndex) -> None:
    passages = index.passages_without_vectors(100).unwrap()
    if passages:
        vectors = [(float(len(each.body)), 1.0) for each in passages]
        numbers = [each.number for each in passages]
        index.store_vectors(EmbeddingModel("m", 2), numbers, vectors).unwrap()


def kill(folder: Path, rounds: int) -> Iterator[str]:
    """Kill a writer again and again, and compare the file with what it said."""
    chance = random.Random(rounds)  # noqa: S311  not a secret
    possible: Possible = dict.fromkeys(range(_DOCUMENTS), (_NONE,))
    for turn in range(rounds):
        for line in _heard(folder, turn, chance.randrange(1, 40)):
            sign, *changes = line.split()
            for number, word in (each.split("=") for each in changes):
                before = possible[int(number)][0]
                possible[int(number)] = (word,) if sign == _DONE else (before, word)
        yield from faults(folder, possible)


def _heard(folder: Path, turn: int, lines: int) -> list[str]:
    """Start a writer, kill it after so many lines, and return what it said."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            change(folder, turn, into)
        finally:
            os._exit(1)
    os.close(into)
    heard = b""
    while heard.count(b"\n") < lines and (more := os.read(out, 4096)):
        heard += more
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(out, 65536):
        heard += more
    os.close(out)
    return [line.decode() for line in heard.split(b"\n")[:-1]]


def faults(folder: Path, possible: Possible) -> Iterator[str]:
    """Find what is neither as it was said to be, nor as it was about to become."""
    index = DocumentIndex.open_writer(folder / "index.sqlite").unwrap()
    if index.check().value_or(0) is not None:
        yield "the file is damaged"
    listed = index.documents().unwrap()
    counted = index.statistics().unwrap()
    passages = sum(each.passages for each in listed)
    if (counted.documents, counted.passages) != (len(listed), passages):
        yield "the counts do not add up"
    if counted.vectors != counted.passages - len(index.passages_without_vectors(10_000).unwrap()):
        yield "a vector is nobody's"
    for number, words in possible.items():
        page = index.page(_url(number)).unwrap()
        texts = {"" if word == _NONE else _document(number, word).text: word for word in words}
        content = "" if page is None else str(page["content"])
        if content not in texts:
            yield f"{number} is lost or torn: it is none of {words}"
            continue
        # It may have been the one or the other; from now on it is what it is.
        possible[number] = (texts[content],)
        yield from _unlike(index, number, texts[content], words)
    index.close()


def _unlike(index: DocumentIndex, number: int, now: str, words: tuple[str, ...]) -> Iterator[str]:
    for word in {*words} - {_NONE}:
        urls = [row["url"] for row in index.search(WebSearchQuery(query=word)).unwrap()]
        if urls != ([_url(number)] if word == now else []):
            yield f"{word} is found in {urls}, and {number} is {now}"


if __name__ == "__main__":
    for fault in kill(Path(sys.argv[1]), int(sys.argv[2])):
        print(fault)  # noqa: T201  what the test reads

"""Processes that write at once, and processes that are killed while they write.

Run as ``python -m tests.features.index.processes kill|together index|cache FOLDER COUNT``. One process
forks the others, so that each is at work at once. What is wrong in the end is printed, a line each.
"""

import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.stores.cache_table import CacheStore
from webseam.ports import WebSearchQuery
from webseam.ports.stores import CachedAnswer

Say: TypeAlias = Callable[[str], None]

_WRITES = 10
_MANY = 100_000


def _word(name: str) -> str:
    return "z" + name.replace("-", "z") + "z"


def _document(name: str) -> IndexDocument:
    text = f"About {_word(name)}.\n\n" + f"Words of {name} and others. " * 60
    return IndexDocument(url=f"https://{name}.example/", text=text)


def _answer(name: str) -> CachedAnswer:
    return CachedAnswer(
        key=name.encode(),
        backend="b",
        operation="search",
        payload=f"{name} ".encode() * 500,
        stored_at=0.0,
        expires_at=1e12,
    )


def write_index(folder: Path, names: Iterator[str], say: Say) -> None:
    """Add documents, a few at a time, and say their names when they are kept."""
    index = DocumentIndex.open_writer(folder / "index.sqlite").unwrap()
    for name in names:
        batch = [name, *(f"{name}-{more}" for more in range(len(name) % 4))]
        index.add([_document(each) for each in batch]).unwrap()
        for each in batch:
            say(each)


def write_cache(folder: Path, names: Iterator[str], say: Say) -> None:
    """Keep answers, and say their names when they are kept."""
    store = CacheStore(folder / "answers.sqlite", now=lambda: 1.0)
    for name in names:
        store.keep(_answer(name)).unwrap()
        say(name)


def index_faults(folder: Path, said: set[str]) -> Iterator[str]:
    """Find what is not as it was said to be: lost, torn, or not to be found."""
    index = DocumentIndex.open_writer(folder / "index.sqlite").unwrap()
    if index.check().value_or(0) is not None:
        yield "the file is damaged"
    documents = index.documents().unwrap()
    counted = index.statistics().unwrap()
    if (counted.documents, counted.passages) != (
        len(documents),
        sum(each.passages for each in documents),
    ):
        yield "the counts do not add up"
    there = {each.url for each in documents}
    for name in said:
        document = _document(name)
        page = index.page(document.url).unwrap() if document.url in there else None
        outcome = index.search(WebSearchQuery(query=_word(name))).unwrap()
        if page is None or page["content"] != document.text:
            yield f"{name} is lost or torn"
        elif [row["url"] for row in outcome] != [document.url]:
            yield f"{name} is not found"
    index.close()


def cache_faults(folder: Path, said: set[str]) -> Iterator[str]:
    """Find answers that were kept and are not there as they were."""
    store = CacheStore(folder / "answers.sqlite", now=lambda: 1.0)
    for name in said:
        if store.look_up(name.encode()).unwrap() != _answer(name).payload:
            yield f"{name} is lost or torn"
    if list(folder.glob("*.bad-*")):
        yield "the file was set aside"
    store.close()


STORES = {"index": (write_index, index_faults), "cache": (write_cache, cache_faults)}


def start(kind: str, folder: Path, names: Iterator[str]) -> tuple[int, int]:
    """Fork a writer; return its number and the pipe on which it says what it has kept."""
    out, into = os.pipe()
    child = os.fork()
    if child:
        os.close(into)
        return child, out
    code = 1
    try:
        STORES[kind][0](folder, names, lambda name: _say(into, name))
        code = 0
    finally:
        os._exit(code)


def kill(kind: str, folder: Path, rounds: int) -> Iterator[str]:
    """Kill a writer again and again, each time after it has kept a little."""
    chance = random.Random(rounds)  # noqa: S311  not a secret
    said: set[str] = set()
    for turn in range(rounds):
        child, out = start(kind, folder, (f"{turn}-{n}" for n in range(_MANY)))
        heard = b""
        while heard.count(b"\n") < chance.randrange(1, 25):
            heard += os.read(out, 4096)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(out, 65536):
            heard += more
        os.close(out)
        kept = {line.decode() for line in heard.split(b"\n")[:-1]}
        said |= kept
        yield from STORES[kind][1](folder, kept)
    yield from STORES[kind][1](folder, said)


def together(kind: str, folder: Path, writers: int) -> Iterator[str]:
    """Let writers loose on one file that is not there yet; none of them may fail."""
    children = [start(kind, folder, (f"{w}-{n}" for n in range(_WRITES))) for w in range(writers)]
    said: set[str] = set()
    for child, out in children:
        heard = b""
        while more := os.read(out, 65536):
            heard += more
        said |= set(heard.decode().split())
        _, status = os.waitpid(child, 0)
        if status:
            yield f"a writer failed: {status}"
    yield from STORES[kind][1](folder, said)
    if len(said) < writers * _WRITES:
        yield "not everything was written"


def _say(pipe: int, name: str) -> None:
    os.write(pipe, f"{name}\n".encode())


if __name__ == "__main__":
    act = {"kill": kill, "together": together}[sys.argv[1]]
    for fault in act(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])):
        print(fault)  # noqa: T201  what the test reads

"""``webseam index add`` itself, killed again and again while it takes a folder in.

Between two kills every file is written anew, so that documents are replaced and not only added.
"""

import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.folder_files import file_url
from webseam.ports import WebSearchQuery

_FILES = 100
_LONGEST_WAIT = 1.5


def kill_while_adding(folder: Path, rounds: int) -> Iterator[str]:
    """Yield what is not as the command said it was: lost, torn, damaged, or not to be found."""
    chance = random.Random(rounds)  # noqa: S311  not a secret
    notes = folder / "notes"
    notes.mkdir()
    # What each file's document may be: what it was last said to be, and all that came after.
    possible: dict[Path, list[str]] = {notes / f"{n}.md": [""] for n in range(_FILES)}
    for turn in range(rounds):
        for number, path in enumerate(possible):
            text = _text(number, turn)
            path.write_text(text)
            possible[path].append(text)
        said = _add_and_kill(folder, notes, chance)
        for path in said:
            possible[path] = possible[path][-1:]
        yield from _faults(folder / "index.sqlite", possible, said)


def _add_and_kill(folder: Path, notes: Path, chance: random.Random) -> set[Path]:
    """Run the command, kill it at some moment, and return the files it said were kept."""
    command = [sys.executable, "-m", "webseam.composition.doors.cli", "index", "add", str(notes)]
    with subprocess.Popen(
        [*command, "--index", str(folder / "index.sqlite")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PATH": "", "HOME": str(folder)},
    ) as running:
        assert running.stdout is not None
        heard, out = b"", running.stdout.fileno()
        enough, patience = chance.randrange(_FILES), chance.uniform(0.05, _LONGEST_WAIT)
        # Either it has said enough, or it is silent for too long: that hits its beginning, too.
        while heard.count(b"\n") <= enough and select.select([out], [], [], patience)[0]:
            more = os.read(out, 4096)
            if not more:
                break
            heard += more
        running.send_signal(signal.SIGKILL)
        heard += running.stdout.read()
    lines = [line.partition(" ") for line in heard.decode().splitlines(keepends=True)]
    done = {Path(path.rstrip("\n")) for word, _, path in lines if word in ("added", "updated")}
    # The last line may have been cut by the kill; what it says was kept all the same.
    return {path for path in done if path.suffix == ".md" and path.parent == notes}


def _faults(index_file: Path, possible: dict[Path, list[str]], said: set[Path]) -> Iterator[str]:
    opened = DocumentIndex.open_writer(index_file)
    index = opened.unwrap()
    if index.check().value_or(0) is not None:
        yield "the file is damaged"
    listed = {each.url: each for each in index.documents().unwrap()}
    counted = index.statistics().unwrap()
    passages = sum(each.passages for each in listed.values())
    if (counted.documents, counted.passages) != (len(listed), passages):
        yield "the counts do not add up"
    for path, texts in possible.items():
        url = file_url(path)
        page = index.page(url).unwrap() if url in listed else None
        content = "" if page is None else page["content"]
        if content not in texts:
            yield f"{path.name} is lost or torn"
        elif path in said and not _is_found(index, url, str(content)):
            yield f"{path.name} is not found"
    index.close()


def _is_found(index: DocumentIndex, url: str, text: str) -> bool:
    word = text.split()[1]
    return [row["url"] for row in index.search(WebSearchQuery(query=word)).unwrap()] == [url]


def _text(number: int, turn: int) -> str:
    """Return a text of one to four passages; its title is a word that no other text has."""
    return f"# z{number}z{turn}z\n\n" + f"Words of file {number}, time {turn}. " * (
        30 + 60 * (number % 4)
    )

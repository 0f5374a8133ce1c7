"""Every format beside markitdown, on files that say what they were made to say.

    python -m benchmarks.formats [--peer PYTHON] [--files FOLDER]
    python -m benchmarks.formats --peer PYTHON --real FOLDER [--most N]

With ``--real`` the files of a folder are read instead: ``real.py`` says what is counted.
LibreOffice (``soffice``) writes the office formats. PYTHON is one with ``markitdown[all]``
installed; without it only our figures are shown. Text is the share of the words that came out, the
roles are the share of headings, items, rows and links that came out as such, and the time is
processor time a file, the best of three, in the same process (not in a worker).
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean
from urllib.parse import quote

from returns.result import Success

from benchmarks.reader.fidelity import first_words, markdown_roles, words
from webseam.adapters.features.documents.formats.document import read_document
from webseam.adapters.reader import read_html
from webseam.ports.pages import ReadPage

from . import real
from .files import write_files
from .material import Document, Role, documents

ROUNDS = 3
ROLES: tuple[Role, ...] = ("heading", "item", "row", "link")
SHEETS = frozenset({"csv", "ods", "xls", "xlsx"})
SLIDES = frozenset({"odp", "ppt", "pptx"})


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=__doc__)
    ask.add_argument("--peer", help="a Python that has markitdown")
    ask.add_argument("--files", type=Path, help="keep the files here")
    ask.add_argument("--real", type=Path, help="read the files of this folder instead")
    ask.add_argument("--most", type=int, default=200, help="at most so many of each format")
    options = ask.parse_args()
    if options.real:
        paths = real.found(options.real, options.most)
        if not paths:
            ask.error(f"there is no file to read in {options.real}")
        mine = ours(paths, rounds=1)
        peers = {"markitdown": theirs(options.peer, paths, rounds=1)} if options.peer else {}
        real.report({"webseam": mine, **peers})
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.files or Path(scratch)
        folder.mkdir(exist_ok=True)
        write_files(documents(), folder)
        paths = sorted(folder.iterdir())
        readers = {"webseam": ours(paths)}
        if options.peer:
            readers["markitdown"] = theirs(options.peer, paths)
    report(readers)


def ours(paths: list[Path], rounds: int = ROUNDS) -> dict[str, tuple[float, str]]:
    read = {}
    for path in paths:
        body, spent, text = path.read_bytes(), [], ""
        for _ in range(rounds):
            start = time.process_time()
            outcome = read_document(
                body, "", f"https://example.org/{quote(path.name)}", read_html=read_html
            )
            spent.append(time.process_time() - start)
            text = comparable_text(outcome.unwrap(), path) if isinstance(outcome, Success) else ""
        read[str(path)] = min(spent), text
    return read


def comparable_text(page: ReadPage, path: Path) -> str:
    """Return what is read; of books and mail also the fields that markitdown writes into the text."""
    told = path.suffix.lower() in {".epub", ".msg"}
    about = (page.title, page.author, page.description, page.published_at, page.language)
    return "\n\n".join(filter(None, (*(about if told else ()), page.content)))


def theirs(python: str, paths: list[Path], rounds: int = ROUNDS) -> dict[str, tuple[float, str]]:
    command = [python, str(Path(__file__).parent / "peer.py"), str(rounds)]
    asked_for = json.dumps([str(path.resolve()) for path in paths]).encode()
    ran = subprocess.run(
        command, check=True, input=asked_for, stdout=subprocess.PIPE, stderr=sys.stderr
    )
    read: list[tuple[float, str]] = json.loads(ran.stdout.splitlines()[-1])
    return {str(path): one for path, one in zip(paths, read, strict=True)}


def expected_texts(document: Document, ending: str) -> dict[Role, list[str]]:
    """Return what a file of a document holds, by role."""
    roles: tuple[Role, ...] = (*ROLES, "text")
    if ending in SHEETS:
        roles = ("row",)
    elif ending in SLIDES:
        roles = ("heading", "item")
    return {role: document.said(role) for role in roles if document.said(role)}


def shares_found(text: str, wanted: dict[Role, list[str]]) -> dict[str, float]:
    """Return the share of words that came out, and of each role that came out as such."""
    said = Counter(words(" ".join(one for some in wanted.values() for one in some)).split())
    got = Counter(words(text).split())
    shares = {"text": (said & got).total() / said.total()}
    roles = markdown_roles(text)
    for role in ROLES:
        same = first_words if role == "item" else words
        some = [same(one) for one in wanted.get(role, ())]
        if some:
            shares[role] = sum(_is_among(one, roles[role], role) for one in some) / len(some)
    return shares


def _is_among(text: str, among: set[str], role: Role) -> bool:
    # The heading of a slide has its number before it.
    return text in among or (role == "heading" and any(one.endswith(text) for one in among))


def report(readers: dict[str, dict[str, tuple[float, str]]]) -> None:
    every = {document.name: document for document in documents()}
    print(f"| format | reader | text | {' | '.join(f'{role}s' for role in ROLES)} | ms a file |")
    print(f"| --- | --- | --- | {' | '.join('---' for _ in ROLES)} | --- |")
    endings = sorted({Path(name).suffix[1:] for name in next(iter(readers.values()))})
    for ending in endings:
        for reader, read in readers.items():
            figures: dict[str, list[float]] = defaultdict(list)
            for name, (spent, text) in read.items():
                path = Path(name)
                if path.suffix[1:] == ending:
                    figures["time"].append(spent * 1000)
                    for role, share in shares_found(
                        text, expected_texts(every[path.stem], ending)
                    ).items():
                        figures[role].append(share)
            cells = [
                f"{mean(figures[role]):.0%}" if figures[role] else "" for role in ("text", *ROLES)
            ]
            print(f"| {ending} | {reader} | {' | '.join(cells)} | {mean(figures['time']):.1f} |")


if __name__ == "__main__":
    main()

"""Which words belong to an index file, and where they are: in one folder of those beside it.

``totals`` names the folder, so that words made anew take the place of others in the transaction
that ends their making. They are written first and the SQLite file after them: what it has, they
have. What a killed transaction left in them has numbers that were never given out.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from ....ports.errors.stores import StoreProblem
from ...files import make_folder, restrict_permissions
from ...language.stems import stemmer_language
from ...stores.sqlite import fetch_one, fetch_rows
from ..passage_terms import PassageText, TermEntry, day_number, term_entry
from .engine import (
    Words,
    WordsError,
    WordsWriter,
    make_words,
    make_words_in_memory,
    numbered_above,
    numbered_in,
    open_words,
)
from .folders import words_folder

_BATCH_PASSAGES = 2000
_TEXTS = """
    SELECT passages.id, documents.title, passages.headings, passages.body, documents.url,
           documents.language, documents.published
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id > ? ORDER BY passages.id LIMIT ?
"""


class _TextRow(msgspec.Struct, frozen=True, array_like=True):
    number: int
    title: str
    headings: str
    body: str
    url: str
    language: str
    published: str | None


def refill_words(connection: sqlite3.Connection, words: Words) -> None:
    """Put all passages in, and see them."""
    with words.pen() as pen:
        for batch in _batches(connection):
            pen.put(batch)
        pen.commit()
    words.reload()


def _batches(
    connection: sqlite3.Connection,
) -> Iterator[list[tuple[int, TermEntry, int | None]]]:
    last = 0
    while rows := fetch_rows(connection, _TEXTS, (last, _BATCH_PASSAGES), _TextRow):
        last = rows[-1].number
        yield [(row.number, term_entry(_text(row)), day_number(row.published)) for row in rows]


def _text(row: _TextRow) -> PassageText:
    return PassageText(
        title=row.title,
        headings=row.headings,
        body=row.body,
        url=row.url,
        language=stemmer_language(row.language),
    )


# Which words belong to an index file, and where they are: in one folder of those beside it.

# Part of each folder's name: words that were cut or analysed otherwise are made anew.
EDITION = "14"
_LITTLE_ROOM = 32 << 20


class WordsShelf:
    """The words of one open index file. Every call is made inside a transaction on that file."""

    def __init__(self, path: Path, *, is_reader: bool) -> None:
        """Have no words yet: they are opened when they are needed."""
        self.folder = words_folder(path)
        self._is_reader = is_reader
        self._words: Words | None = None
        self._version = 0
        self._spoilt: Words | None = None
        self._copy: tempfile.TemporaryDirectory[str] | None = None

    def words(self, connection: sqlite3.Connection) -> Words | None:
        """Return the words, as new as the file is; None when they must be made anew."""
        (version,) = fetch_one(connection, "PRAGMA data_version", tuple[int])
        (name,) = fetch_one(connection, "SELECT words FROM totals", tuple[str])
        known = self._words
        if known is None or known.name not in (name, ""):
            self._words = self._opened(connection, name)
        elif version != self._version:
            self._words = _renewed(connection, known)
        self._version = version
        return self._words

    @contextmanager
    def writing(self, connection: sqlite3.Connection) -> Iterator[WordsWriter]:
        """Lend a pen; when the block ends, what it wrote is kept, before the file's own changes."""
        self.sweep(connection)
        words = self.words(connection)
        if words is None or not words.name:
            words = self.make(connection)
        (last,) = fetch_one(connection, "SELECT numbers FROM totals", tuple[int])
        removed = removed_passages(connection)
        with words.pen() as pen:
            pen.remove_above(last)
            pen.remove(removed)
            connection.executemany("DELETE FROM removed WHERE number = ?", zip(removed))
            yield pen
            pen.commit()
        self._mend(words.name)
        words.reload()

    def make(self, connection: sqlite3.Connection) -> Words:
        """Make the words anew out of the file's texts, in a folder that the file then names."""
        name = f"{EDITION}-{os.urandom(8).hex()}"
        try:
            make_folder(self.folder / name)
        except OSError as error:
            raise WordsError(str(error)) from error
        words = make_words(self.folder / name)
        refill_words(connection, words)
        self._mend(name)
        connection.execute("UPDATE totals SET words = ?", (name,))
        connection.execute("DELETE FROM removed")
        self._words = words
        return words

    def make_in_memory(self, connection: sqlite3.Connection) -> Words:
        """Make the words for this process alone, where none can be written."""
        words = make_words_in_memory()
        refill_words(connection, words)
        self._words = words
        return words

    def sweep(self, connection: sqlite3.Connection) -> None:
        """Remove folders that the file does not name; whoever writes has the file's lock."""
        (name,) = fetch_one(connection, "SELECT words FROM totals", tuple[str])
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name != name:
                shutil.rmtree(path, ignore_errors=True)

    def spoil(self) -> None:
        """Never use the words again that are open: something is wrong with them."""
        self._spoilt = self._words
        self.close()

    def problem(self) -> StoreProblem:
        """Return why words can neither be used nor made anew."""
        there = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        with suppress(OSError):
            if shutil.disk_usage(there).free < _LITTLE_ROOM:
                return "full"
        return "unreachable" if os.access(there, os.W_OK) else "read_only"

    def close(self) -> None:
        """Let go of the words."""
        self._words = None
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    def _opened(self, connection: sqlite3.Connection, name: str) -> Words | None:
        is_spoilt = self._spoilt is not None and self._spoilt.name == name
        if is_spoilt or not name.startswith(f"{EDITION}-"):
            return None
        for folder in self._places(self.folder / name):
            with suppress(WordsError):
                words = open_words(folder, name)
                return words if words_match_index(connection, words) else None
        return None

    def _mend(self, name: str) -> None:
        """Take from others what the umask left them of the files; the folder was never theirs."""
        for path in (self.folder / name).iterdir():
            with suppress(OSError):
                restrict_permissions(path)

    def _places(self, folder: Path) -> Iterator[Path]:
        """Yield where the words can be opened: for a reader also in a folder of links to them.

        The engine makes a file to lock, also to read. Where none can be made, nobody writes.
        https://github.com/quickwit-oss/tantivy/issues/557 (2026-11-16)
        """
        yield folder
        if self._is_reader and folder.is_dir():
            with suppress(OSError):
                self._copy = tempfile.TemporaryDirectory(prefix="webseam-words-")
                for path in folder.iterdir():
                    if not path.name.endswith(".lock"):
                        _link(path, Path(self._copy.name) / path.name)
                yield Path(self._copy.name)


def words_match_index(connection: sqlite3.Connection, words: Words) -> bool:
    """Tell whether these are the words of all passages, and of nothing else that was ever one."""
    (passages, last) = fetch_one(
        connection, "SELECT passages, numbers FROM totals", tuple[int, int]
    )
    removed = removed_passages(connection)
    gone = words.count(numbered_in(removed)) if removed else 0
    return words.passages() - words.count(numbered_above(last)) - gone == passages


def removed_passages(connection: sqlite3.Connection) -> list[int]:
    """Return the passages that are gone from the file and may be in the words."""
    rows = fetch_rows(connection, "SELECT number FROM removed", (), tuple[int])
    return [number for (number,) in rows]


def _renewed(connection: sqlite3.Connection, words: Words) -> Words | None:
    with suppress(WordsError):
        words.reload()
        # Those in memory are nobody's who writes.
        return words if words.name or words_match_index(connection, words) else None
    return None


def _link(path: Path, place: Path) -> None:
    try:
        place.symlink_to(path.absolute())
    except OSError:
        shutil.copyfile(path, place)

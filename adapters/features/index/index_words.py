"""The words folder that belongs to an index file.

``totals`` names the folder, so rebuilt words replace the old ones in the transaction that ends the
rebuild. Words are committed before the SQLite file, so they cover all that the file has. A killed
transaction leaves words with numbers that were never assigned.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from webseam.ports.errors.stores import StoreProblem

from ...files import make_private_folder, restrict_permissions
from ...stores.sqlite import fetch_one, fetch_rows
from .passage_terms import SELECT_STORED_PASSAGES, StoredPassage, TermEntry, day_number, term_entry
from .word_engine import (
    Words,
    WordsError,
    WordsWriter,
    make_words,
    make_words_in_memory,
    open_words,
    passages_above_query,
    passages_in_query,
)
from .word_folders import words_folder

if TYPE_CHECKING:
    import tempfile

_BATCH_PASSAGES = 2000
_SELECT_TEXTS = SELECT_STORED_PASSAGES + "WHERE passages.id > ? ORDER BY passages.id LIMIT ?"
# Part of each folder's name: a new edition rebuilds words that were analysed differently.
WORDS_EDITION = "17"
_MIN_FREE_BYTES = 32 << 20
_MAX_RENEWED_PASSAGES, _WORN_PART = 5000, 50


def refill_words(connection: sqlite3.Connection, words: Words) -> None:
    """Add all passages to the words and reload them."""
    with words.open_writer() as writer:
        for batch in _term_entry_batches(connection):
            writer.add_passages(batch)
        writer.commit()
    words.reload()


def _term_entry_batches(
    connection: sqlite3.Connection,
) -> Iterator[list[tuple[int, TermEntry, int | None]]]:
    last = 0
    while rows := fetch_rows(connection, _SELECT_TEXTS, (last, _BATCH_PASSAGES), StoredPassage):
        last = rows[-1].number
        yield [(row.number, term_entry(row.text()), day_number(row.published)) for row in rows]


class IndexWords:
    """The words of one open index file. Every call runs inside a transaction on that file."""

    def __init__(self, path: Path, *, is_reader: bool) -> None:
        """Start without words: they are opened on use."""
        self.folder = words_folder(path)
        self._is_reader = is_reader
        self._words: Words | None = None
        self._version = 0
        self._damaged_words: Words | None = None
        self._copy: tempfile.TemporaryDirectory[str] | None = None

    def current_words(self, connection: sqlite3.Connection) -> Words | None:
        """Return words as new as the file; None if they must be rebuilt."""
        (version,) = fetch_one(connection, "PRAGMA data_version", tuple[int])
        (name,) = fetch_one(connection, "SELECT words FROM totals", tuple[str])
        current = self._words
        if current is None or current.name not in (name, ""):
            self._words = self._open_matching_words(connection, name)
        elif version != self._version:
            self._words = _reload_words(connection, current)
        self._version = version
        return self._words

    @contextmanager
    def open_writer(
        self, connection: sqlite3.Connection, *, is_last: bool = False
    ) -> Iterator[WordsWriter]:
        """Yield a writer; its changes are committed when the block ends, before the file's.

        After the last of several changes no removed passage is left, however many passages there
        are.
        """
        self.delete_unused_folders(connection)
        words = self.current_words(connection)
        if words is None or not words.name:
            words = self.rebuild_words(connection)
        (last,) = fetch_one(connection, "SELECT numbers FROM totals", tuple[int])
        with words.open_writer() as writer:
            writer.remove_passages_above(last)
            yield writer
            writer.remove_passages(_passages_to_remove(connection, words))
            writer.commit()
        self._restrict_word_files(words.name)
        words.reload()
        if are_words_worn(connection, is_last=is_last):
            self._renew_words(connection, words)

    def rebuild_words(self, connection: sqlite3.Connection) -> Words:
        """Rebuild the words from the file's texts, in a new folder that the file then names."""
        words = self._make_folder()
        refill_words(connection, words)
        return self._use_folder(connection, words)

    def _renew_words(self, connection: sqlite3.Connection, worn: Words) -> None:
        """Copy the entries of all passages into a new folder that the file then names."""
        words = self._make_folder()
        with words.open_writer() as writer:
            writer.copy_passages(worn)
            writer.commit()
        words.reload()
        (passages,) = fetch_one(connection, "SELECT passages FROM totals", tuple[int])
        if words.passage_count() != passages:
            raise WordsError
        self._use_folder(connection, words)

    def _make_folder(self) -> Words:
        name = f"{WORDS_EDITION}-{os.urandom(8).hex()}"
        try:
            make_private_folder(self.folder / name)
        except OSError as error:
            raise WordsError(str(error)) from error
        return make_words(self.folder / name)

    def _use_folder(self, connection: sqlite3.Connection, words: Words) -> Words:
        self._restrict_word_files(words.name)
        connection.execute("UPDATE totals SET words = ?", (words.name,))
        connection.execute("DELETE FROM removed")
        self._words = words
        return words

    def rebuild_words_in_memory(self, connection: sqlite3.Connection) -> Words:
        """Rebuild the words for this process only, where no folder can be written."""
        self._words = words = make_words_in_memory()
        refill_words(connection, words)
        return words

    def delete_unused_folders(self, connection: sqlite3.Connection) -> None:
        """Delete folders that the file does not name; the caller has the file's write lock."""
        from shutil import rmtree  # a search deletes nothing

        (name,) = fetch_one(connection, "SELECT words FROM totals", tuple[str])
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name != name:
                rmtree(path, ignore_errors=True)

    def has_unused_folders(self) -> bool:
        """Tell whether there is a folder beside that of the open words."""
        if self._words is None or not self._words.name or not self.folder.is_dir():
            return False
        return any(path.name != self._words.name for path in self.folder.iterdir())

    def mark_damaged(self) -> None:
        """Mark the open words as damaged, so that they are not opened again."""
        self._damaged_words = self._words
        self.close()

    def explain_failure(self) -> StoreProblem:
        """Return why words can be neither used nor rebuilt."""
        existing = next(folder for folder in (self.folder, *self.folder.parents) if folder.exists())
        from shutil import disk_usage  # only for a failure

        with suppress(OSError):
            if disk_usage(existing).free < _MIN_FREE_BYTES:
                return "full"
        return "unreachable" if os.access(existing, os.W_OK) else "read_only"

    def close(self) -> None:
        """Close the words."""
        self._words = None
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    def _open_matching_words(self, connection: sqlite3.Connection, name: str) -> Words | None:
        is_spoilt = self._damaged_words is not None and self._damaged_words.name == name
        if is_spoilt or not name.startswith(f"{WORDS_EDITION}-"):
            return None
        for folder in self._readable_folders(self.folder / name):
            with suppress(WordsError):
                words = open_words(folder, name)
                return words if words_match_index(connection, words) else None
        return None

    def _restrict_word_files(self, name: str) -> None:
        """Remove permissions that the umask left to others; the folder was always private."""
        for path in (self.folder / name).iterdir():
            with suppress(OSError):
                restrict_permissions(path)

    def _readable_folders(self, folder: Path) -> Iterator[Path]:
        """Yield folders to open the words from: for a reader also a folder of links to them.

        The engine creates a lock file even to read. Where it cannot, no process writes.
        https://github.com/quickwit-oss/tantivy/issues/557 (2026-11-16)
        """
        yield folder
        if self._is_reader and folder.is_dir():
            import tempfile  # few readers have no place for a lock

            with suppress(OSError):
                self._copy = tempfile.TemporaryDirectory(prefix="webseam-words-")
                for path in folder.iterdir():
                    if not path.name.endswith(".lock"):
                        _link_word_file(path, Path(self._copy.name) / path.name)
                yield Path(self._copy.name)


def words_match_index(connection: sqlite3.Connection, words: Words) -> bool:
    """Tell whether the words cover exactly the passages of the file."""
    totals = "SELECT passages, numbers FROM totals"
    (passages, last) = fetch_one(connection, totals, tuple[int, int])
    removed = removed_passages(connection)
    removed_count = words.count_matches(passages_in_query(removed)) if removed else 0
    above_count = words.count_matches(passages_above_query(last))
    return words.passage_count() - above_count - removed_count == passages


def are_words_worn(connection: sqlite3.Connection, *, is_last: bool) -> bool:
    """Tell whether the words must be renewed, because passages were removed from them.

    The engine counts a removed passage in the frequencies of words and in the usual length until it
    happens to merge its segment, and then it only estimates the length. So removed passages would
    steer the ranking of the others. The usual length of the engine cannot be set, so its scores
    cannot be corrected either.

    A copy takes 0.06 ms a passage. A small index is copied after each removal, which takes less
    than a third of a second; a large one after the last of several changes, or when a fiftieth was
    removed, so that a removal costs no more than ten passages cost to add.
    """
    (removed,) = fetch_one(connection, "SELECT count(*) FROM removed", tuple[int])
    (passages,) = fetch_one(connection, "SELECT passages FROM totals", tuple[int])
    if is_last or passages <= _MAX_RENEWED_PASSAGES:
        return removed > 0
    return removed * _WORN_PART > passages


def _passages_to_remove(connection: sqlite3.Connection, words: Words) -> list[int]:
    """Return the removed passages that the words still have."""
    removed = removed_passages(connection)
    if not removed:
        return []
    return words.first_passages(passages_in_query(removed), len(removed))


def removed_passages(connection: sqlite3.Connection) -> list[int]:
    """Return the passages that were removed from the file since the words were built."""
    rows = fetch_rows(connection, "SELECT number FROM removed", (), tuple[int])
    return [number for (number,) in rows]


def _reload_words(connection: sqlite3.Connection, words: Words) -> Words | None:
    with suppress(WordsError):
        words.reload()
        # No process updates words in memory.
        return words if words.name or words_match_index(connection, words) else None
    return None


def _link_word_file(path: Path, target: Path) -> None:
    try:
        target.symlink_to(path.absolute())
    except OSError:
        from shutil import copyfile  # only where links are refused

        copyfile(path, target)

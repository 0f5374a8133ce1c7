"""A disk that loses power: what was written and not synced is dropped, kept or torn by chance.

SQLite writes through a VFS of ours (apsw brings its own SQLite, of the same file format), which
notes every write, sync, truncation and removal in order. From those notes the disk is put
together as it may look after a cut at any moment, sector by sector, as SQLite's own tests do it.
"""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import apsw
import msgspec
import pytest

_SECTOR = 512
_NAME = "webseam-power"


class Note(msgspec.Struct, frozen=True):
    """Something that was done to a file; ``"kept"`` is what a store said to its caller."""

    kind: str
    file: str = ""
    data: bytes = b""
    at: int = 0


NOTES: list[Note] = []


class _File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int]) -> None:  # noqa: ANN401  apsw's own name
        super().__init__("", name, flags)
        self._name = Path(name if isinstance(name, str) else name.filename()).name

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  SQLite's name
        NOTES.append(Note("write", self._name, bytes(data), offset))
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802  SQLite's name
        NOTES.append(Note("truncate", self._name, at=size))
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802  SQLite's name
        super().xSync(flags)
        NOTES.append(Note("sync", self._name))


class _Disk(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(_NAME, "")

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: ANN401, N802  SQLite's name
        return _File(name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: FBT001, N802  SQLite's name
        super().xDelete(filename, syncdir)
        NOTES.append(Note("remove", Path(filename).name))


class _Connection:
    """As much of ``sqlite3.Connection`` as our stores use, over apsw."""

    def __init__(self, address: str) -> None:
        self._own = apsw.Connection(unquote(urlsplit(address).path), vfs=_NAME)

    @property
    def in_transaction(self) -> bool:
        return bool(self._own.in_transaction)

    def execute(self, statement: str, parameters: tuple[Any, ...] = ()) -> Any:  # noqa: ANN401  a cursor
        return self._own.execute(statement, parameters)

    def executemany(self, statement: str, parameters: list[tuple[Any, ...]]) -> None:
        self._own.executemany(statement, parameters)

    def close(self) -> None:
        self._own.close()


@contextmanager
def noted() -> Iterator[list[Note]]:
    """Note what SQLite does to its files until the end of the ``with``."""
    disk = _Disk()
    NOTES.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda address, **_: _Connection(address))
        yield NOTES
    disk.unregister()


def kept(name: str) -> None:
    """Note that a store said of something that it is kept."""
    NOTES.append(Note("kept", name))


class _Platter:
    """The files as they are for sure, what waits to be written, and removals that may be undone."""

    def __init__(self) -> None:
        self.files: dict[str, bytearray] = {}
        self._waiting: dict[str, list[Note]] = {}
        self._removed: dict[str, tuple[bytearray | None, list[Note]]] = {}
        self._named: set[str] = set()

    def take(self, note: Note) -> None:
        if note.kind == "sync":
            self._sync(note.file)
        elif note.kind == "remove":
            old = self.files.pop(note.file, None), self._waiting.pop(note.file, [])
            self._removed.setdefault(note.file, old)
            self._named.discard(note.file)
        elif note.kind != "kept":
            self._waiting.setdefault(note.file, []).append(note)

    def _sync(self, file: str) -> None:
        for each in self._waiting.pop(file, []):
            _apply(self.files, each)
        if file.endswith(("-wal", "-journal")) and file not in self._named:
            # With the first sync of a journal or log, SQLite syncs the folder (os_unix.c, unixSync).
            self._named.add(file)
            self._removed.clear()

    def cut(self, chance: random.Random) -> None:
        for name, (content, waiting) in self._removed.items():
            if chance.random() < 0.5 and content is not None:
                # The removal never reached the disk, nor did the file of that name after it.
                self.files[name], self._waiting[name] = content, waiting
        for file in self._waiting.values():
            for each in file:
                _apply_by_chance(self.files, each, chance)


def after_cut(notes: list[Note], chance: random.Random) -> dict[str, bytes]:
    """Return the files as a disk may hold them that lost power after the last of ``notes``."""
    platter = _Platter()
    for note in notes:
        platter.take(note)
    platter.cut(chance)
    return {name: bytes(content) for name, content in platter.files.items()}


def _apply(files: dict[str, bytearray], note: Note) -> None:
    content = files.setdefault(note.file, bytearray())
    if note.kind == "truncate":
        del content[note.at :]
        return
    content.extend(bytes(max(0, note.at + len(note.data) - len(content))))
    content[note.at : note.at + len(note.data)] = note.data


def _apply_by_chance(files: dict[str, bytearray], note: Note, chance: random.Random) -> None:
    fate = chance.random()
    if fate < 1 / 3:
        return
    if fate < 2 / 3 or note.kind != "write":
        _apply(files, note)
        return
    for start in range(0, len(note.data), _SECTOR):
        if chance.random() < 0.5:
            part = note.data[start : start + _SECTOR]
            _apply(files, msgspec.structs.replace(note, data=part, at=note.at + start))

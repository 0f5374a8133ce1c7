"""Every call that takes something from the system, counted, and the n-th of them made to fail.

As curl's torture tests do it: count the calls of a scenario once, then run it again for each call
with that one failing. A call counts when it is made by webseam, not by the test's own machinery.
"""

import builtins
import errno
import io
import os
import socket
import sqlite3
import subprocess
import sys
from asyncio import selector_events
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import webseam

_PACKAGE = str(Path(webseam.__file__).parent)
_ROOMS = tuple(str((Path(_PACKAGE) / room).resolve()) for room in ("adapters", "composition"))

# Imports, and the pipes that the library has by then: it wraps them, which takes nothing.
_NOT_OURS = ("importlib._bootstrap>", "importlib._bootstrap_external>", "subprocess.py")


class Injection:
    """What was called so far, and which call fails; 0 for none."""

    def __init__(self, fails: int) -> None:
        self.calls: list[str] = []
        self._fails = fails

    def step(self, kind: str, failure: Callable[[], Exception]) -> None:
        """Count a call, and raise when it is the one."""
        if not _is_ours():
            return
        self.calls.append(kind)
        if len(self.calls) == self._fails:
            raise failure()


def _is_ours() -> bool:
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001  the caller of the call
    depth = 0
    while frame is not None and depth < 12:
        name = frame.f_code.co_filename
        if name.endswith(_NOT_OURS):
            return False
        if name.startswith((_PACKAGE, *_ROOMS)):
            return True
        frame, depth = frame.f_back, depth + 1
    return False


@contextmanager
def injected(fails: int = 0) -> Iterator[Injection]:
    """Count calls until the end of the ``with``, and make one of them fail."""
    injection = Injection(fails)
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, code in (
            (os, "open", errno.EMFILE),
            (os, "pipe", errno.EMFILE),
            (socket, "socketpair", errno.EMFILE),
            (os, "mkdir", errno.ENOSPC),
            (os, "fsync", errno.EIO),
            (os, "replace", errno.EIO),
            (os, "scandir", errno.EMFILE),
            (io, "open", errno.EMFILE),
            (builtins, "open", errno.EMFILE),
            (subprocess.Popen, "__init__", errno.EAGAIN),
            (socket.socket, "__init__", errno.EMFILE),
            (selector_events.BaseSelectorEventLoop, "sock_connect", errno.ENETUNREACH),
        ):
            patch.setattr(owner, name, _failing(injection, name, getattr(owner, name), code))
        patch.setattr(sqlite3, "connect", _connecting(injection, sqlite3.connect))
        yield injection


def _failing(
    injection: Injection, kind: str, real: Callable[..., Any], code: int
) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  whatever the call takes
        # A file or socket over a descriptor that is open already takes nothing.
        is_open_file = kind == "open" and isinstance(arguments[0], int)
        is_open_socket = len(arguments) > 4 or named.get("fileno") is not None
        if not is_open_file and not (kind == "__init__" and is_open_socket):
            injection.step(kind, lambda: OSError(code, os.strerror(code)))
        return real(*arguments, **named)

    return call


def _connecting(injection: Injection, real: Callable[..., Any]) -> Callable[..., Any]:
    class Connection(sqlite3.Connection):
        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401  as SQLite's
            injection.step(f"execute {sql.split(maxsplit=1)[0]}", _disk_error)
            return super().execute(sql, parameters)

        def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:  # noqa: ANN401  as SQLite's
            injection.step("executemany", _disk_error)
            return super().executemany(sql, parameters)

    def connect(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  as SQLite's
        injection.step("connect", _disk_error)
        return real(*arguments, **{**named, "factory": Connection})

    return connect


def _disk_error() -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    error.sqlite_errorname = "SQLITE_IOERR"
    return error


def descriptors() -> dict[str, str]:
    """Return what this process has open: each descriptor, and what it leads to if that is known."""
    return {each: _target(f"/dev/fd/{each}") for each in os.listdir("/dev/fd")}  # noqa: PTH208  numbers


def _target(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115  "pipe:[7]" is no path
    except OSError:
        return ""

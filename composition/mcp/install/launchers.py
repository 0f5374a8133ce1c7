"""How a client starts the server: from this environment, or with uvx or pipx."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured, WebError

Way: TypeAlias = Literal["auto", "venv", "uvx", "pipx"]
Which: TypeAlias = Callable[[str], str | None]
WAYS: tuple[Way, ...] = ("auto", "venv", "uvx", "pipx")


class Launcher(msgspec.Struct, frozen=True, kw_only=True):
    """A command and its arguments."""

    command: str
    args: tuple[str, ...]


def make_launcher(
    method: Way,
    *,
    program: str = sys.argv[0],
    python: str = sys.executable,
    which: Which = shutil.which,
) -> Result[Launcher, WebError]:
    """Return how the server is started. Programs are named by their whole path.

    Clients that are started from a desktop know few folders. ``auto`` is uvx for who runs this with
    uvx, whose environment may be gone tomorrow, and otherwise this very environment.
    """
    if method == "auto":
        method = "uvx" if is_temporary_python(python) else "venv"
    if method == "venv":
        return Success(_own(program, python))
    path = which(method)
    if path is None:
        reason = f"{method} is not on the path"
        return Failure(NotConfigured(reason=reason, remedy="Install it, or use --with venv."))
    args = ("webseam", "mcp") if method == "uvx" else ("run", "webseam", "mcp")
    return Success(Launcher(command=path, args=args))


def is_temporary_python(python: str) -> bool:
    """Tell whether an interpreter is in one of uv's environments for a single run.

    >>> (is_temporary_python("/home/a/.cache/uv/archive-v0/xyz/bin/python"),
    ...  is_temporary_python("/usr/bin/python"))
    (True, False)
    """
    parts = Path(python).parts
    return "uv" in parts and any(
        part.startswith(("archive-v", "environments-v", "builds-v")) for part in parts
    )


def _own(program: str, python: str) -> Launcher:
    """Return the script ``webseam`` beside the interpreter, or the module where there is none."""
    folder = Path(python).parent
    for name in ("webseam", "webseam.exe"):
        if (folder / name).is_file():
            return Launcher(command=str(folder / name), args=("mcp",))
    started = Path(program).absolute()
    if started.stem == "webseam" and started.is_file():
        return Launcher(command=str(started), args=("mcp",))
    return Launcher(command=python, args=("-m", "webseam.composition.cli", "mcp"))

"""What stops a run: a disk, a source, a node. All that is written by then is whole."""

from __future__ import annotations

import errno
from pathlib import Path

from ...ports.errors import InvalidQuery, SourceUnreadable, StoreFailed, WebError
from ...ports.errors.stores import StoreProblem
from .inputs.source_watch import SourceChangedError


def store_error(error: OSError) -> WebError:
    """Return what stopped a run: all that is written so far is whole."""
    if isinstance(error, SourceChangedError):
        words = "; put it back as it was for the same command to go on, or take another folder"
        return SourceUnreadable(reason=f"{error.strerror}{words}")
    reason = (error.strerror or str(error) or "it cannot be written").rstrip(".")
    reason += f": {error.filename}" if error.filename else ""
    problem: StoreProblem = "full" if error.errno == errno.ENOSPC else "unreachable"
    words = f"{reason}; what is written so far is whole, and the same command goes on"
    return StoreFailed(store="the run", reason=words, problem=problem)


def folder_owned_error(folder: Path) -> InvalidQuery:
    """Return why a second run does not write to a folder."""
    reason = f"another process is at work on {folder}; how far it is: webseam bulk status {folder}"
    return InvalidQuery(field="-o", reason=reason)


def folder_kind_error(folder: Path, run_kind: str) -> InvalidQuery:
    """Return why a run does not write to the folder of one of another kind."""
    reason = f"{folder} holds {run_kind}; take another folder, or the command that began it"
    return InvalidQuery(field="-o", reason=reason)

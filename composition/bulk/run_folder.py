"""The folder of a run: made for it, and taken away again where no run began."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ...adapters.bulk.crawling.duplicate_urls import REPEATED_FILE_NAME
from ...adapters.bulk.datasets.folder_lock import lock_folder
from ...ports.errors import InvalidQuery, SourceUnreadable, StoreFailed, WebError
from ...ports.errors.stores import StoreProblem
from .inputs.items import CRAWL, FORMER, warc_folder
from .inputs.plan import SHARDS, STDIN
from .inputs.plan_draft import ENTRIES
from .inputs.source_watch import SourceChangedError
from .inputs.sources import PLAN


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


# The folder of a run: made for it, and taken away again where no run began.

# What is written before there is a plan.
_DRAFTS: Final = (SHARDS, ENTRIES, STDIN, REPEATED_FILE_NAME, FORMER)


@contextmanager
def own_run_folder(folder: Path) -> Iterator[InvalidQuery | None]:
    """Own the folder of a run, or tell why not; nothing is left in it where no run began."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    refusal = make_run_folder(folder)
    if refusal is not None:
        yield refusal
        return
    with lock_folder(folder) as is_ours:
        if not is_ours:
            yield folder_owned_error(folder)
            return
        strange = [name for name in _DRAFTS if (folder / name).exists()]
        try:
            yield None
        finally:
            with suppress(OSError):
                _leave(folder, missing, strange)


def _leave(folder: Path, missing: list[Path], strange: list[str]) -> None:
    if any((folder / name).exists() for name in (PLAN, CRAWL)):
        return
    for name in _DRAFTS:
        if name not in strange:
            (folder / name).unlink(missing_ok=True)
    for place in (warc_folder(folder), *missing):
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def make_run_folder(folder: Path) -> InvalidQuery | None:
    """Make the folder of a run; return why there can be none."""
    if folder.exists() and not folder.is_dir():
        return InvalidQuery(field="-o", reason=f"{folder} is a file; a run needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        return InvalidQuery(field="-o", reason=f"{folder} cannot be made: {reason}")
    return None

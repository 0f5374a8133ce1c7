"""The folder of a run: made for the run, and removed again when no run began."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from webseam.adapters.features.bulk.crawling.duplicate_urls import REPEATED_FILE_NAME
from webseam.adapters.features.bulk.datasets.folder_lock import lock_folder
from webseam.ports.errors import InvalidQuery, SourceUnreadable, StoreFailed, WebError
from webseam.ports.errors.stores import StoreProblem

from .items import CRAWL, EARLIER_PAGES, warc_folder
from .plan import SHARDS, STDIN
from .plan_draft import ENTRIES
from .source_watch import SourceChangedError
from .sources import PLAN

# Files that are written before the plan.
_DRAFT_FILES: Final = (SHARDS, ENTRIES, STDIN, REPEATED_FILE_NAME, EARLIER_PAGES)


def run_folder_error(error: OSError) -> WebError:
    """Return the error that stops a run; the files written so far stay complete."""
    if isinstance(error, SourceChangedError):
        text = "; restore it and run the same command again, or take another folder"
        return SourceUnreadable(reason=f"{error.strerror}{text}")
    reason = (error.strerror or str(error) or "it cannot be written").rstrip(".")
    reason += f": {error.filename}" if error.filename else ""
    problem: StoreProblem = "full" if error.errno == errno.ENOSPC else "unreachable"
    text = f"{reason}; the files written so far are complete; run the same command to continue"
    return StoreFailed(store="the run", reason=text, problem=problem)


def folder_owned_error(folder: Path) -> InvalidQuery:
    """Return the error for a folder that another process writes to."""
    progress = f"to see its progress, run: webseam bulk status {folder}"
    return InvalidQuery(field="-o", reason=f"another process writes to {folder}; {progress}")


def folder_kind_error(folder: Path, run_kind: str) -> InvalidQuery:
    """Return the error for a folder that holds another kind of run."""
    reason = f"{folder} holds {run_kind}; take another folder, or the command that began it"
    return InvalidQuery(field="-o", reason=reason)


@contextmanager
def own_run_folder(folder: Path) -> Iterator[InvalidQuery | None]:
    """Own the folder of a run, or yield why not; leave no draft when no run began."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    if (refusal := make_run_folder(folder)) is not None:
        yield refusal
        return
    with lock_folder(folder) as is_ours:
        if not is_ours:
            yield folder_owned_error(folder)
            return
        foreign_names = [name for name in _DRAFT_FILES if (folder / name).exists()]
        try:
            yield None
        finally:
            with suppress(OSError):
                _remove_drafts(folder, missing, foreign_names)


def _remove_drafts(folder: Path, missing: list[Path], foreign_names: list[str]) -> None:
    if any((folder / name).exists() for name in (PLAN, CRAWL)):
        return
    for name in _DRAFT_FILES:
        if name not in foreign_names:
            (folder / name).unlink(missing_ok=True)
    for path in (warc_folder(folder), *missing):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def make_run_folder(folder: Path) -> InvalidQuery | None:
    """Make the folder of a run; return an error when that fails."""
    if folder.exists() and not folder.is_dir():
        return InvalidQuery(field="-o", reason=f"{folder} is a file; a run needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        return InvalidQuery(field="-o", reason=f"{folder} cannot be made: {reason}")
    return None

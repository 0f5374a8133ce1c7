"""The folder of a run: made for it, and taken away again where no run began."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ...adapters.crawling.duplicate_urls import REPEATED
from ...adapters.datasets.folder_lock import sole_owner
from ...ports.errors import InvalidQuery
from .inputs.draft import ENTRIES
from .inputs.folders import PLAN
from .inputs.items import CRAWL, FORMER, warc_folder
from .inputs.plan import SHARDS, STDIN
from .stop_errors import folder_owned_error

# What is written before there is a plan.
_DRAFTS: Final = (SHARDS, ENTRIES, STDIN, REPEATED, FORMER)


@contextmanager
def own_run_folder(folder: Path) -> Iterator[InvalidQuery | None]:
    """Own the folder of a run, or tell why not; nothing is left in it where no run began."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    refusal = make_run_folder(folder)
    if refusal is not None:
        yield refusal
        return
    with sole_owner(folder) as is_ours:
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

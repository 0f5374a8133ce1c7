"""The folder of a run: made for it, and taken away again where no run began."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ...adapters.crawling.listed import REPEATED
from ...adapters.datasets.ownership import sole_owner
from ...ports.errors import InvalidQuery
from .inputs.draft import ENTRIES
from .inputs.folders import PLAN
from .inputs.items import CRAWL, FORMER, warcs_in
from .inputs.plan import SHARDS, STDIN
from .stops import owned_by_another

# What is written before there is a plan.
_DRAFTS: Final = (SHARDS, ENTRIES, STDIN, REPEATED, FORMER)


@contextmanager
def home(folder: Path) -> Iterator[InvalidQuery | None]:
    """Own the folder of a run, or tell why not; nothing is left in it where no run began."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    refusal = made_folder(folder)
    if refusal is not None:
        yield refusal
        return
    with sole_owner(folder) as is_ours:
        if not is_ours:
            yield owned_by_another(folder)
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
    for place in (warcs_in(folder), *missing):
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def made_folder(folder: Path) -> InvalidQuery | None:
    """Make the folder of a run; return why there can be none."""
    if folder.exists() and not folder.is_dir():
        return InvalidQuery(field="-o", reason=f"{folder} is a file; a run needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        return InvalidQuery(field="-o", reason=f"{folder} cannot be made: {reason}")
    return None

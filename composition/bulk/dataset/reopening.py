"""A crawl that ran out of bytes, gone on with: later rounds were made without what was left out."""

from __future__ import annotations

from pathlib import Path

from ....adapters.datasets import warc
from ....kernel.bulk.bulk_rows import is_left_out
from ..inputs.folders import PLAN
from ..inputs.items import SPOOLS, warc_folder
from .manifest import MANIFEST, delete_summary


def reopen_rounds(folder: Path) -> None:
    """Drop what follows the first round in which something was left out; raises ``OSError``.

    Nothing was fetched after it. Rows are made anew, from what is kept.
    """
    rounds = sorted(warc_folder(folder).glob("round-*.warc.gz"))
    first = next((number for number, path in enumerate(rounds) if _is_cut(path)), None)
    if first is None:
        return
    delete_summary(folder)
    # A manifest without its plan is of nobody, so that it goes first.
    for name in (MANIFEST, PLAN):
        (folder / name).unlink(missing_ok=True)
    for path in folder.glob("part-*"):
        path.unlink()
    for path in reversed(rounds[first + 1 :]):
        path.unlink()
        (folder / SPOOLS / path.name).unlink(missing_ok=True)


def _is_cut(path: Path) -> bool:
    return any(is_left_out(item.error) for item in warc.read_inputs(path, 0, path.name))

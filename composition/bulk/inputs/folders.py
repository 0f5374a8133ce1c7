"""The pages of a folder, without what runs leave there: folders of their own, and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from ....adapters.index.files import Admission, OnClosed, OnSkip, SkipReason, find_documents

PLAN: Final = "_plan.json"
# How every report begins, so that it is known among pages.
REPORT_HEAD: Final = "<!doctype html><html lang=en><meta charset=utf-8><title>webseam bulk</title>"
_REPORT: Final = REPORT_HEAD.encode()
_ENDINGS: Final = (".html", ".htm", ".xhtml")


def input_files(
    folder: Path,
    run_folder: Path,
    on_skip: OnSkip = lambda _path, _reason: None,
    on_closed: Callable[[], None] = lambda: None,
) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order.

    ``run_folder`` is where the run writes that asks; ``on_closed`` is called for each folder below
    that cannot be looked into. Raises ``OSError`` where that is the folder itself.
    """
    is_of_run = _left_by_runs(folder, run_folder.resolve())

    def tell(path: Path, reason: SkipReason) -> None:
        if not is_of_run(path.parent):
            on_skip(path, reason)

    for path in find_documents(folder, Admission(), tell, _below(folder, on_closed)):
        if not is_of_run(path.parent) and not _is_report(path):
            yield path


def _below(top: Path, on_closed: Callable[[], None]) -> OnClosed:
    def pass_over(path: Path, error: OSError) -> None:
        if path == top:
            raise error
        on_closed()

    return pass_over


def _left_by_runs(top: Path, own: Path) -> Callable[[Path], bool]:
    @lru_cache(maxsize=1000)
    def is_of_run(place: Path) -> bool:
        if place == top:
            return False
        is_run = (place / PLAN).is_file() or place.resolve() == own
        return is_run or is_of_run(place.parent)

    return is_of_run


def _is_report(path: Path) -> bool:
    if not path.name.lower().endswith(_ENDINGS):
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_REPORT)) == _REPORT
    except OSError:
        return False

"""``webseam index add``, ``refresh`` and ``remove``."""

import argparse
import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeAlias

from returns.result import Failure, Result, Success

from ...adapters.index.files import is_web_address
from ...adapters.index.intake import Item, take_in
from ...adapters.index.store import DocumentIndex
from ...adapters.stores.sqlite.blueprint import StoreError
from ...ports.errors import WebError
from ..choosing import index_path
from ..indexing import Means, all_items, location_of, read_item
from ..places import is_there
from ..reading import ReadingRoom
from ..root import make_root
from .exits import DONE
from .index_report import Report
from .output import fail, say_json

Work: TypeAlias = Callable[[argparse.Namespace, DocumentIndex], Result[int, WebError]]


def add(options: argparse.Namespace) -> int:
    """Add files, folders and pages."""
    return _with_index(options, _add)


def refresh(options: argparse.Namespace) -> int:
    """Read every source again; take out what is in a folder no more."""
    return _with_index(options, _refresh)


def remove(options: argparse.Namespace) -> int:
    """Forget documents: by their own place, or by a folder they are in."""
    return _with_index(options, _remove)


def _with_index(
    options: argparse.Namespace,
    work: Callable[[argparse.Namespace, DocumentIndex], Result[int, WebError]],
) -> int:
    """Open the index for ``work``, close it, and say what failed."""
    opened = DocumentIndex.writing(index_path(options.index))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as index:
        done = work(options, index)
    return (
        fail(done.failure(), as_json=options.json) if isinstance(done, Failure) else done.unwrap()
    )


def _add(options: argparse.Namespace, index: DocumentIndex) -> Result[int, WebError]:
    there, absent = _parted([location_of(source) for source in options.sources])
    remembered = index.remember_sources(there)
    if isinstance(remembered, Failure):
        return Failure(remembered.failure())
    return _take(options, index, all_items(there), Report(options, absent))


def _refresh(options: argparse.Namespace, index: DocumentIndex) -> Result[int, WebError]:
    known = index.sources()
    if isinstance(known, Failure):
        return Failure(known.failure())
    named = {location_of(source) for source in options.sources}
    there, absent = _parted([each for each in known.unwrap() if not named or each in named])
    items = all_items(there)
    gone = _remove_gone(index, there, {item.url for item in items})
    if isinstance(gone, Failure):
        return Failure(gone.failure())
    report = Report(options, absent)
    report.counts["removed"] = gone.unwrap()
    return _take(options, index, items, report)


def _remove(options: argparse.Namespace, index: DocumentIndex) -> Result[int, WebError]:
    named = [location_of(source) for source in options.sources]
    known = index.documents()
    if isinstance(known, Failure):
        return Failure(known.failure())
    urls = [each.url for each in known.unwrap() if any(_is_in(each.location, at) for at in named)]
    removed = index.remove(urls).bind(
        lambda count: index.forget_sources(named).map(lambda _: count)
    )
    if isinstance(removed, Failure):
        return Failure(removed.failure())
    if options.json:
        say_json({"success": True, "data": {"removed": removed.unwrap()}})
    else:
        print(f"{removed.unwrap()} removed.")
    return Success(DONE)


def _take(
    options: argparse.Namespace, index: DocumentIndex, items: list[Item], report: Report
) -> Result[int, WebError]:
    root = make_root()
    if isinstance(root, Failure):
        return Failure(root.failure())
    report.begin(len(items))
    with ReadingRoom(root.unwrap()) as room:
        means = Means(read_page=room.read_page, convert=room.convert)
        taken = take_in(index, items, partial(read_item, means=means), report)
    if isinstance(taken, Failure):
        return Failure(taken.failure())
    return Success(report.end(options))


def _parted(locations: list[str]) -> tuple[list[str], list[str]]:
    """Part what is there, as far as can be told without reading it, from what is not."""
    there = [each for each in locations if is_web_address(each) or is_there(Path(each))]
    return there, [each for each in locations if each not in there]


def _remove_gone(index: DocumentIndex, there: list[str], urls: set[str]) -> Result[int, StoreError]:
    """Remove documents of folders that can be read, where the document itself is no more."""
    folders = set(there)
    return index.documents().bind(
        lambda known: index.remove(
            [each.url for each in known if each.source in folders and each.url not in urls]
        )
    )


def _is_in(location: str, place: str) -> bool:
    return location == place or location.startswith(place.rstrip("/\\") + os.sep)

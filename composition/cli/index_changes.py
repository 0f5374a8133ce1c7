"""``webseam index add``, ``refresh`` and ``remove``."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from returns.result import Failure, Result, Success

from ...adapters.local.index import LocalIndex
from ...adapters.local.intake import Item, Taken, take_in
from ...adapters.local.places import is_web_address
from ...kernel.envelope import failure_envelope
from ...kernel.text import one_line
from ...ports.errors import SourceUnreadable, WebError
from ..choosing import index_path
from ..config import read_policy
from ..indexing import Means, all_items, location_of, read_item
from ..reading import ReadingRoom
from ..settings import read_settings
from .exits import DONE, exit_code
from .output import fail, say_json
from .progress import Progress


class _Report:
    """Counts what became of each document, and says it when it is kept."""

    def __init__(self, options: argparse.Namespace, total: int) -> None:
        self.counts = dict.fromkeys(("added", "updated", "unchanged", "removed", "failed"), 0)
        self.passages = 0
        self.failures: list[tuple[str, WebError]] = []
        self._progress = Progress(total)
        # Whoever reads our output as it comes learns of each document when it is safe.
        self._named = not options.json and (options.verbose or not sys.stdout.isatty())

    def __call__(self, taken: Taken) -> None:
        self.counts[taken.outcome] += 1
        self.passages += taken.passages
        if taken.error is not None:
            self.fail(taken.item.location, taken.error)
        self._progress.step(taken.item.location)
        if self._named and taken.outcome != "unchanged":
            print(f"{taken.outcome} {one_line(taken.item.location, 4096)}", flush=True)

    def fail(self, location: str, error: WebError) -> None:
        self.failures.append((location, error))

    def end(self, options: argparse.Namespace) -> int:
        """Say how it went, and return the exit code: that of the first failure, if any."""
        self._progress.end()
        self.counts["failed"] = len(self.failures)
        if options.json:
            say_json(self._envelope())
        else:
            for location, error in self.failures:
                print(f"webseam: {one_line(location, 4096)}: {error.message}", file=sys.stderr)
            print(", ".join(f"{count} {what}" for what, count in self.counts.items()) + ".")
        return exit_code(self.failures[0][1]) if self.failures else DONE

    def _envelope(self) -> dict[str, object]:
        failures = [
            {"location": location, **failure_envelope(error)} for location, error in self.failures
        ]
        data = {**self.counts, "passages": self.passages, "failures": failures}
        return {"success": not self.failures, "data": data}


def add(options: argparse.Namespace) -> int:
    """Add files, folders and pages."""
    opened = LocalIndex.writing(index_path(options.index))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    index = opened.unwrap()
    there, absent = _parted([location_of(source) for source in options.sources])
    remembered = index.remember_sources(there)
    if isinstance(remembered, Failure):
        return fail(remembered.failure(), as_json=options.json)
    return _take(options, index, all_items(there), absent)


def refresh(options: argparse.Namespace) -> int:
    """Read every source again; take out what is in a folder no more."""
    opened = LocalIndex.writing(index_path(options.index))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    index = opened.unwrap()
    known = index.sources()
    if isinstance(known, Failure):
        return fail(known.failure(), as_json=options.json)
    named = {location_of(source) for source in options.sources}
    there, absent = _parted([each for each in known.unwrap() if not named or each in named])
    items = all_items(there)
    gone = _gone(index, there, {item.url for item in items})
    if isinstance(gone, Failure):
        return fail(gone.failure(), as_json=options.json)
    return _take(options, index, items, absent, removed=gone.unwrap())


def remove(options: argparse.Namespace) -> int:
    """Forget documents: by their own place, or by a folder they are in."""
    opened = LocalIndex.writing(index_path(options.index))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    index = opened.unwrap()
    named = [location_of(source) for source in options.sources]
    removed = index.documents().bind(
        lambda known: index.remove(
            [each.url for each in known if any(_is_in(each.location, place) for place in named)]
        )
    )
    forgotten = removed.bind(lambda count: index.forget_sources(named).map(lambda _: count))
    if isinstance(forgotten, Failure):
        return fail(forgotten.failure(), as_json=options.json)
    if options.json:
        say_json({"success": True, "data": {"removed": forgotten.unwrap()}})
    else:
        print(f"{forgotten.unwrap()} removed.")
    return DONE


def _take(
    options: argparse.Namespace,
    index: LocalIndex,
    items: list[Item],
    absent: list[str],
    removed: int = 0,
) -> int:
    report = _Report(options, len(items))
    report.counts["removed"] = removed
    for location in absent:
        report.fail(location, SourceUnreadable(reason="there is no such file or folder"))
    policy = read_policy(os.environ)
    if isinstance(policy, Failure):
        return fail(policy.failure(), as_json=options.json)
    with ReadingRoom(read_settings(os.environ), policy.unwrap()) as room:
        means = Means(read_page=room.read_page, convert=room.convert)
        taken = take_in(index, items, partial(read_item, means=means), report)
    index.close()
    if isinstance(taken, Failure):
        return fail(taken.failure(), as_json=options.json)
    return report.end(options)


def _parted(locations: list[str]) -> tuple[list[str], list[str]]:
    """Part what is there, as far as can be told without reading it, from what is not."""
    there = [each for each in locations if is_web_address(each) or Path(each).exists()]
    return there, [each for each in locations if each not in there]


def _gone(index: LocalIndex, there: list[str], urls: set[str]) -> Result[int, WebError]:
    """Remove documents of folders that can be read, where the document itself is no more."""
    folders = set(there)
    gone = index.documents().bind(
        lambda known: index.remove(
            [each.url for each in known if each.source in folders and each.url not in urls]
        )
    )
    return Failure(gone.failure()) if isinstance(gone, Failure) else Success(gone.unwrap())


def _is_in(location: str, place: str) -> bool:
    return location == place or location.startswith(place.rstrip("/\\") + os.sep)

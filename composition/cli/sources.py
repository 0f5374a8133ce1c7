"""What a user asked to add: what of it is there, and what of it ever gave something."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from returns.result import Failure, Result, Success

from ...adapters.index.files import OnSkip, SkipReason, is_web_address, path_from_text, path_text
from ...adapters.index.store import DocumentIndex
from ...ports.errors import WebError
from ..file_locations import exists


def is_below(location: str, folder: str) -> bool:
    """Tell whether something is at a place, or below it."""
    return location == folder or location.startswith(folder.rstrip("/\\") + os.sep)


def matches_any_named(location: str, locations: Collection[str]) -> bool:
    """Tell whether a user means something; where nothing is named, all of it."""
    return not locations or any(is_below(location, each) for each in locations)


def overlaps_any_named(location: str, locations: Collection[str]) -> bool:
    """Tell whether a user means something, or what is below it."""
    return matches_any_named(location, locations) or any(
        is_below(name, location) for name in locations
    )


def only_meant(named: Collection[str], on_skip: OnSkip) -> OnSkip:
    """Return what is told of skipped files: of those alone that have to do with what is named."""

    def skip(path: Path, reason: SkipReason) -> None:
        if overlaps_any_named(path_text(path), named):
            on_skip(path, reason)

    return skip


def split_absent(locations: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part what is there, as far as can be told without reading it, from what is not."""
    there = [each for each in locations if is_web_address(each) or exists(path_from_text(each))]
    return there, [each for each in locations if each not in there]


def never_productive(
    index: DocumentIndex, refused: Sequence[str], *, keeps: bool
) -> Result[list[str], WebError]:
    """Return which of the sources that gave nothing this time never did.

    They are forgotten unless ``keeps``: each later refresh would fail by them.
    """
    listed = index.documents() if refused else Success(())
    if isinstance(listed, Failure):
        return listed
    known = {place for each in listed.unwrap() for place in (each.source, each.location)}
    barren = [each for each in refused if each not in known]
    forgotten = index.forget_sources(barren) if barren and not keeps else Success(0)
    return forgotten.map(lambda _: barren)

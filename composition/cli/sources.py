"""What a user asked to add: what of it is there, and what of it ever gave something."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from returns.result import Failure, Result, Success

from ...adapters.index.files import OnSkip, SkipReason, is_web_address, path_named, path_text
from ...adapters.index.store import DocumentIndex
from ...ports.errors import WebError
from ..places import is_there


def is_in(location: str, place: str) -> bool:
    """Tell whether something is at a place, or below it."""
    return location == place or location.startswith(place.rstrip("/\\") + os.sep)


def is_meant(location: str, named: Collection[str]) -> bool:
    """Tell whether a user means something; where nothing is named, all of it."""
    return not named or any(is_in(location, each) for each in named)


def touches(location: str, named: Collection[str]) -> bool:
    """Tell whether a user means something, or what is below it."""
    return is_meant(location, named) or any(is_in(name, location) for name in named)


def only_meant(named: Collection[str], on_skip: OnSkip) -> OnSkip:
    """Return what is told of skipped files: of those alone that have to do with what is named."""

    def skip(path: Path, reason: SkipReason) -> None:
        if touches(path_text(path), named):
            on_skip(path, reason)

    return skip


def part_absent(locations: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part what is there, as far as can be told without reading it, from what is not."""
    there = [each for each in locations if is_web_address(each) or is_there(path_named(each))]
    return there, [each for each in locations if each not in there]


def part_barren(
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

"""The health of the index: its documents, its age and its vectors."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec.structs import replace
from returns.result import Failure

from ...health.health_parts import HealthPart, ProviderTrial
from ...settings.file_locations import path_exists
from ...wiring.backend_rows import Root

if TYPE_CHECKING:
    from webseam.adapters.features.index.contents import Statistics

_DAY_SECONDS = 86_400
_NO_INDEX = HealthPart(
    name="Index", state="off", word="empty", detail="webseam index add PATH_OR_URL"
)


def index_part(root: Root) -> HealthPart:
    """Count the documents, and say how old the index is."""
    if not path_exists(root.index):
        return _NO_INDEX
    from webseam.adapters.features.index.store import (
        DocumentIndex,
    )  # SQLite, for those who have one

    opened = DocumentIndex.open_reader(root.index)
    if isinstance(opened, Failure):
        return _unreadable_index_part(opened.failure().message)
    with closing(opened.unwrap()) as index:
        counted = index.statistics()
    if isinstance(counted, Failure):
        return _unreadable_index_part(counted.failure().message)
    count = counted.unwrap().documents
    if not count:
        return _NO_INDEX
    documents = "1 document" if count == 1 else f"{count:,} documents"
    return _vector_part(root, counted.unwrap(), f"{documents}, {_age_text(root)}")


def _vector_part(root: Root, counted: "Statistics", detail: str) -> HealthPart:
    """Return the health of the vectors, judged by the settings alone."""
    works = HealthPart(name="Index", state="good", word="works", detail=detail)
    if not counted.model:
        return works
    from .index_vectors import explain_unsearchable_vectors  # models, where the file has vectors

    unready = explain_unsearchable_vectors(root, counted.model)
    lacking = counted.passages - counted.vectors
    if unready is None and not lacking:
        return replace(works, detail=f"{detail}, vectors of {counted.model}")
    without = "1 passage has" if lacking == 1 else f"{lacking:,} passages have"
    problem = unready or f"{without} no vector"
    fix = "webseam index embed" if unready is None else "webseam setup"
    return replace(works, state="care", detail=f"{detail}; {problem}", fix=fix)


def _unreadable_index_part(message: str) -> HealthPart:
    return HealthPart(
        name="Index",
        state="bad",
        word="unreadable",
        detail=message,
        fix="webseam index stats --check",
        clause="the index cannot be read",
        subject="the index",
    )


def _age_text(root: Root) -> str:
    days = int((time.time() - root.index.stat().st_mtime) // _DAY_SECONDS)
    if days < 1:
        return "changed today"
    return "1 day old" if days == 1 else f"{days} days old"


def health_parts(root: Root, _tried: Mapping[str, ProviderTrial]) -> Iterator[HealthPart]:
    """Yield the part of the index."""
    yield index_part(root)

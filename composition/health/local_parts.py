"""What is the user's own: the index, plugins, and packages that bring something."""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec.structs import replace
from returns.result import Failure

from ...adapters.models.catalogue.registry import discover_providers
from ..file_locations import exists
from ..plugins.host import load_plugins
from ..settings.schema import Settings
from ..wiring.backends.backend_rows import Root
from ..wiring.backends.unknown_backends import broken_backends
from .health_parts import HealthPart

if TYPE_CHECKING:
    from ...adapters.index.index_contents import Statistics

_DAY_SECONDS = 86_400
_EMPTY = HealthPart(name="Index", state="off", word="empty", detail="webseam index add PATH_OR_URL")


def index_part(root: Root) -> HealthPart:
    """Count the documents, and say how old the index is."""
    if not exists(root.index):
        return _EMPTY
    from ...adapters.index.store import DocumentIndex  # noqa: PLC0415  SQLite, for those who have one

    opened = DocumentIndex.reading(root.index)
    if isinstance(opened, Failure):
        return _unreadable(opened.failure().message)
    with closing(opened.unwrap()) as index:
        counted = index.statistics()
    if isinstance(counted, Failure):
        return _unreadable(counted.failure().message)
    count = counted.unwrap().documents
    if not count:
        return _EMPTY
    documents = "1 document" if count == 1 else f"{count:,} documents"
    return _with_meaning(root, counted.unwrap(), f"{documents}, {_age(root)}")


def _with_meaning(root: Root, counted: "Statistics", detail: str) -> HealthPart:
    """Say whether a file with vectors can be searched by them, as far as settings tell."""
    works = HealthPart(name="Index", state="good", word="works", detail=detail)
    if not counted.model:
        return works
    from ..wiring.index_vectors import explain_words_only  # noqa: PLC0415  models, where the file has vectors

    unready = explain_words_only(root.settings, counted.model)
    lacking = counted.passages - counted.vectors
    if unready is None and not lacking:
        return replace(works, detail=f"{detail}, vectors of {counted.model}")
    without = "1 passage has" if lacking == 1 else f"{lacking:,} passages have"
    trouble = unready or f"{without} no vector"
    fix = "webseam index embed" if unready is None else "webseam setup"
    return replace(works, state="care", detail=f"{detail}; {trouble}", fix=fix)


def _unreadable(message: str) -> HealthPart:
    return HealthPart(
        name="Index",
        state="bad",
        word="unreadable",
        detail=message,
        fix="webseam index stats --check",
        clause="the index cannot be read",
        subject="the index",
    )


def _age(root: Root) -> str:
    days = int((time.time() - root.index.stat().st_mtime) // _DAY_SECONDS)
    if days < 1:
        return "changed today"
    return "1 day old" if days == 1 else f"{days} days old"


def plugin_parts(settings: Settings) -> Iterator[HealthPart]:
    """Say which plugins that should run do not; nothing where none is enabled."""
    loaded = load_plugins(None, settings)
    if isinstance(loaded, Failure):
        yield HealthPart(
            name="Plugins",
            state="bad",
            word="required",
            detail=loaded.failure().message,
            fix="webseam plugins list",
            clause="a required plugin cannot be loaded",
            subject="plugins",
        )
        return
    reports = loaded.unwrap().reports
    broken = loaded.unwrap().broken
    if broken:
        yield HealthPart(
            name="Plugins",
            state="bad",
            word=f"{len(broken)} of {len(reports)} off",
            detail="; ".join(f"{report.key}: {report.problem}" for report in broken),
            fix=f"webseam plugins info {broken[0].key}",
            clause=f"the plugin {broken[0].key} cannot be loaded",
            subject="plugins",
        )
    elif reports:
        names = ", ".join(report.key for report in reports)
        yield HealthPart(name="Plugins", state="good", word="run", detail=names)


def package_parts() -> Iterator[HealthPart]:
    """Name what installed packages announce and cannot bring, with what is missing."""
    broken = broken_backends()
    reasons = [f"{name}: {why}" for name, why in broken.items()]
    reasons += [each.reason for each in discover_providers().failures]
    if reasons:
        first = next(iter(broken), "a provider of models")
        yield HealthPart(
            name="Packages",
            state="bad",
            word=f"{len(reasons)} broken",
            detail="; ".join(reasons),
            clause=f"{first} cannot be loaded",
            subject=first,
        )

"""Where plugins are found: shipped with us, in installed packages, in the user's folder.

Nothing of a plugin's own code runs here. Of two by the same key, the later place wins, in this
order.
"""

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import msgspec
from returns.result import Failure, Result

from ..places import is_file
from .importing import import_path, import_shipped
from .manifest import MANIFESTS, Manifest, Source, read_manifest
from .shipped import SHIPPED

GROUP = "webseam.plugins"
HERMES_GROUP = "hermes_agent.plugins"
_OURSELVES = "webseam."


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin and how to import it; ``problem`` says why that cannot work."""

    manifest: Manifest
    load: Callable[[], object]
    problem: str = ""


def discover(folder: Path) -> dict[str, Found]:
    """Return every plugin there is, by key."""
    places = (*_shipped(), *_installed(), *_in_folder(folder))
    return {found.manifest.key: found for found in places}


def _shipped() -> Iterator[Found]:
    for key, description in SHIPPED.items():
        manifest = Manifest(name=key, key=key, source="shipped", path="", description=description)
        yield Found(manifest=manifest, load=import_shipped(key))


def _installed() -> Iterator[Found]:
    groups: tuple[tuple[str, Source], ...] = (
        (HERMES_GROUP, "hermes entry point"),
        (GROUP, "entry point"),
    )
    for group, source in groups:
        for point in entry_points(group=group):
            # What we offer to Hermes is no plugin for ourselves.
            if not point.value.startswith(_OURSELVES):
                yield _of_package(point, source)


def _of_package(point: EntryPoint, source: Source) -> Found:
    said = {} if point.dist is None else point.dist.metadata.json
    manifest = Manifest(
        name=point.name,
        key=point.name,
        source=source,
        path=point.value,
        version=str(said.get("version", "")),
        description=str(said.get("summary", "")),
        author=str(said.get("author", "")),
    )
    return Found(manifest=manifest, load=point.load)


def _in_folder(folder: Path) -> Iterator[Found]:
    for path in _listed(folder):
        if path.suffix == ".py" and is_file(path):
            yield _bare(path, path.stem)
        elif _is_plugin(path):
            yield _in_directory(path, None)
        else:
            # A folder of plugins of one category, as Hermes has them: category/name.
            inside = (each for each in _listed(path) if _is_plugin(each))
            yield from (_in_directory(each, f"{path.name}/{each.name}") for each in inside)


def _in_directory(path: Path, key: str | None) -> Found:
    file = next((path / name for name in MANIFESTS if is_file(path / name)), None)
    if file is None:
        return _bare(path, key or path.name)
    read: Result[Manifest, str] = read_manifest(file, key)
    if isinstance(read, Failure):
        return _bare(path, key or path.name, read.failure())
    return Found(manifest=read.unwrap(), load=import_path(read.unwrap().key, path))


def _bare(path: Path, key: str, problem: str = "") -> Found:
    manifest = Manifest(name=path.stem, key=key, source="folder", path=str(path))
    return Found(manifest=manifest, load=import_path(key, path), problem=problem)


def _is_plugin(path: Path) -> bool:
    if _has(path, *MANIFESTS):
        return True
    # A package of packages that are plugins is a category, as Hermes has them.
    return _has(path, "__init__.py") and not any(_has(one, *MANIFESTS) for one in _listed(path))


def _has(folder: Path, *names: str) -> bool:
    return any(is_file(folder / name) for name in names)


def _listed(folder: Path) -> Iterable[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name[0] not in "._")
    except OSError:
        return ()

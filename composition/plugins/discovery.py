"""Where plugins are found: shipped with us, in installed packages, in the user's folder.

To find one runs nothing of its own code, which is imported when it is loaded. Of two by the same
key, the later place wins, in this order.
"""

import importlib.util
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import msgspec
from returns.result import Failure, Result

from ..file_locations import is_file
from .context import MANIFESTS, Manifest, Source, read_manifest
from .shipped import SHIPPED

PARENT = "webseam_plugins"


def import_path(key: str, path: Path) -> Callable[[], object]:
    """Return how to import the file or package at ``path``; relative imports in it work."""
    return lambda: _import(key, path / "__init__.py" if path.is_dir() else path)


def import_shipped(key: str) -> Callable[[], object]:
    """Return how to import a plugin that comes with us."""
    name = key.replace("-", "_")
    return lambda: importlib.import_module(f".shipped.{name}", __package__)


def _import(key: str, file: Path) -> object:
    name = f"{PARENT}.{_module_name(key)}"
    if PARENT not in sys.modules:
        parent = types.ModuleType(PARENT)
        parent.__path__ = []
        sys.modules[PARENT] = parent
    # An older one under this name, and its parts, may come from another folder.
    for old in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[old]
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        message = f"{file.name} is no Python file"
        raise ImportError(message)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_name(key: str) -> str:
    """Return a key as the name of a module; keys that differ in a sign do not share one.

    >>> _module_name("tracing/mine"), _module_name("tracing_mine"), _module_name("tracing-mine")
    ('tracing_2f_mine', 'tracing_mine', 'tracing_2d_mine')
    """
    return re.sub(r"[^A-Za-z0-9_]", lambda odd: f"_{ord(odd[0]):x}_", key)


GROUP = "webseam.plugins"
HERMES_GROUP = "hermes_agent.plugins"
_OURSELVES = "webseam."


class FoundPlugin(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin and how to import it; ``problem`` says why that cannot work."""

    manifest: Manifest
    load: Callable[[], object]
    problem: str = ""


def discover_plugins(folder: Path) -> dict[str, FoundPlugin]:
    """Return every plugin there is, by key."""
    places = (*_shipped(), *_installed(), *_in_folder(folder))
    return {plugins.manifest.key: plugins for plugins in places}


def _shipped() -> Iterator[FoundPlugin]:
    for key, description in SHIPPED.items():
        manifest = Manifest(name=key, key=key, source="shipped", path="", description=description)
        yield FoundPlugin(manifest=manifest, load=import_shipped(key))


def _installed() -> Iterator[FoundPlugin]:
    groups: tuple[tuple[str, Source], ...] = (
        (HERMES_GROUP, "hermes entry point"),
        (GROUP, "entry point"),
    )
    for group, source in groups:
        for point in entry_points(group=group):
            # What we offer to Hermes is no plugin for ourselves.
            if not point.value.startswith(_OURSELVES):
                yield _of_package(point, source)


def _of_package(point: EntryPoint, source: Source) -> FoundPlugin:
    metadata = {} if point.dist is None else point.dist.metadata.json
    manifest = Manifest(
        name=point.name,
        key=point.name,
        source=source,
        path=point.value,
        version=str(metadata.get("version", "")),
        description=str(metadata.get("summary", "")),
        author=str(metadata.get("author", "")),
    )
    return FoundPlugin(manifest=manifest, load=point.load)


def _in_folder(folder: Path) -> Iterator[FoundPlugin]:
    for path in _listed(folder):
        if path.suffix == ".py" and is_file(path):
            yield _bare(path, path.stem)
        elif _is_plugin(path):
            yield _in_directory(path, None)
        else:
            # A folder of plugins of one category, as Hermes has them: category/name.
            inside = (each for each in _listed(path) if _is_plugin(each))
            yield from (_in_directory(each, f"{path.name}/{each.name}") for each in inside)


def _in_directory(path: Path, key: str | None) -> FoundPlugin:
    file = next((path / name for name in MANIFESTS if is_file(path / name)), None)
    if file is None:
        return _bare(path, key or path.name)
    manifest: Result[Manifest, str] = read_manifest(file, key)
    if isinstance(manifest, Failure):
        return _bare(path, key or path.name, manifest.failure())
    return FoundPlugin(manifest=manifest.unwrap(), load=import_path(manifest.unwrap().key, path))


def _bare(path: Path, key: str, problem: str = "") -> FoundPlugin:
    manifest = Manifest(name=path.stem, key=key, source="folder", path=str(path))
    return FoundPlugin(manifest=manifest, load=import_path(key, path), problem=problem)


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

"""Find plugins: shipped ones, those in installed packages, and those in the user's folder.

Finding a plugin does not run its code; loading imports it. For equal keys the later source wins, in
this order.
"""

import importlib.util
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import msgspec
from returns.result import Failure

from ..settings.file_locations import is_regular_file
from .context import MANIFEST_NAMES, Manifest, Source, read_plugin_manifest
from .shipped import SHIPPED

PARENT_PACKAGE = "webseam_plugins"
GROUP = "webseam.plugins"
HERMES_GROUP = "hermes_agent.plugins"


def import_plugin_path(key: str, path: Path) -> Callable[[], object]:
    """Return a function that imports the file or package at ``path``, with relative imports."""
    return lambda: _import_file(key, path / "__init__.py" if path.is_dir() else path)


def _import_file(key: str, file: Path) -> object:
    name = f"{PARENT_PACKAGE}.{_module_name(key)}"
    if PARENT_PACKAGE not in sys.modules:
        parent = types.ModuleType(PARENT_PACKAGE)
        parent.__path__ = []
        sys.modules[PARENT_PACKAGE] = parent
    # A module of this name, and its submodules, may come from another folder.
    for stale in [old for old in sys.modules if old == name or old.startswith(f"{name}.")]:
        del sys.modules[stale]
    paths = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=paths)
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
    """Return a key as a module name; keys that differ in a sign get different names.

    >>> [_module_name(key) for key in ("tracing/mine", "tracing_mine", "tracing-mine")]
    ['tracing_2f_mine', 'tracing_mine', 'tracing_2d_mine']
    """
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"_{ord(match[0]):x}_", key)


class FoundPlugin(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin and its import function; ``problem`` says why it cannot be imported."""

    manifest: Manifest
    load: Callable[[], object]
    problem: str = ""


def discover_plugins(folder: Path) -> dict[str, FoundPlugin]:
    """Return every plugin by key."""
    plugins = (*_shipped_plugins(), *_installed_plugins(), *_folder_plugins(folder))
    return {plugin.manifest.key: plugin for plugin in plugins}


def _shipped_plugins() -> Iterator[FoundPlugin]:
    for key, description in SHIPPED.items():
        manifest = Manifest(name=key, key=key, source="shipped", path="", description=description)
        module = f".shipped.{key.replace('-', '_')}"
        yield FoundPlugin(manifest=manifest, load=partial(import_module, module, __package__))


def _installed_plugins() -> Iterator[FoundPlugin]:
    groups: dict[str, Source] = {HERMES_GROUP: "hermes entry point", GROUP: "entry point"}
    for group, source in groups.items():
        for point in entry_points(group=group):
            # webseam's own entry point for Hermes is not a plugin for webseam.
            if not point.value.startswith("webseam."):
                yield _package_plugin(point, source)


def _package_plugin(point: EntryPoint, source: Source) -> FoundPlugin:
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


def _folder_plugins(folder: Path) -> Iterator[FoundPlugin]:
    for path in _visible_paths(folder):
        if path.suffix == ".py" and is_regular_file(path):
            yield _plugin_without_manifest(path, path.stem)
        elif _is_plugin_folder(path):
            yield _directory_plugin(path, None)
        else:
            # A category folder as Hermes has them: category/name.
            for child in filter(_is_plugin_folder, _visible_paths(path)):
                yield _directory_plugin(child, f"{path.name}/{child.name}")


def _directory_plugin(path: Path, key: str | None) -> FoundPlugin:
    file = next((path / name for name in MANIFEST_NAMES if is_regular_file(path / name)), None)
    if file is None:
        return _plugin_without_manifest(path, key or path.name)
    if isinstance(manifest := read_plugin_manifest(file, key), Failure):
        return _plugin_without_manifest(path, key or path.name, manifest.failure())
    fields = manifest.unwrap()
    return FoundPlugin(manifest=fields, load=import_plugin_path(fields.key, path))


def _plugin_without_manifest(path: Path, key: str, problem: str = "") -> FoundPlugin:
    manifest = Manifest(name=path.stem, key=key, source="folder", path=str(path))
    return FoundPlugin(manifest=manifest, load=import_plugin_path(key, path), problem=problem)


def _is_plugin_folder(path: Path) -> bool:
    if _has_file(path, *MANIFEST_NAMES):
        return True
    # A package of plugin packages is a category, as Hermes has them.
    return _has_file(path, "__init__.py") and not any(
        _has_file(child, *MANIFEST_NAMES) for child in _visible_paths(path)
    )


def _has_file(folder: Path, *names: str) -> bool:
    return any(is_regular_file(folder / name) for name in names)


def _visible_paths(folder: Path) -> Iterable[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name[0] not in "._")
    except OSError:
        return ()

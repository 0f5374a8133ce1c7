"""Importing a plugin's code, under a name that collides with nobody's."""

import importlib
import importlib.util
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path

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

"""Models that search, as backends of the core. A search model is loaded when it is used."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import pkgutil
from pathlib import Path
from types import ModuleType

from webseam import adapters

from ...wiring.backend_rows import BackendRow, BackendSource, Root


def _search_model_names() -> frozenset[str]:
    # The folder is listed where it lies: to import it would import the three packages above it,
    # and every start asks for the names.
    folder = Path(adapters.__file__).parent / "features" / "models" / "search" / "vendors"
    return frozenset(file.name for file in pkgutil.iter_modules([str(folder)]))


def _search_model_module() -> ModuleType:
    # Imported late: the search for a backend must not load the providers of models.
    from . import search_model_rows

    return search_model_rows


def _find_search_model_row(name: str, root: Root) -> BackendRow | None:
    from .search_model_rows import find_search_model, search_model_row

    model = find_search_model(name)
    return None if model is None else search_model_row(model, root)


BACKENDS = BackendSource(
    names=_search_model_names,
    rows=lambda root: _search_model_module().search_model_rows(root),
    find=_find_search_model_row,
    installed=lambda: _search_model_module().installed_search_models(),
    broken=lambda: _search_model_module().broken_search_models(),
)

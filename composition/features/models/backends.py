"""Models that search, as backends of the core. A search model is loaded when it is used."""

import pkgutil
from types import ModuleType

from webseam.adapters.features.models.search import vendors

from ...wiring.backend_rows import BackendRow, BackendSource, Root


def _search_model_module() -> ModuleType:
    # Imported late: the search for a backend must not load the providers of models.
    from . import search_model_rows  # noqa: PLC0415

    return search_model_rows


def _find_search_model_row(name: str, root: Root) -> BackendRow | None:
    from .search_model_rows import find_search_model, search_model_row  # noqa: PLC0415

    model = find_search_model(name)
    return None if model is None else search_model_row(model, root)


BACKENDS = BackendSource(
    names=lambda: frozenset(file.name for file in pkgutil.iter_modules(vendors.__path__)),
    rows=lambda root: _search_model_module().search_model_rows(root),
    find=_find_search_model_row,
    installed=lambda: _search_model_module().installed_search_models(),
    broken=lambda: _search_model_module().broken_search_models(),
)

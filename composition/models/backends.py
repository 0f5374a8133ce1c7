"""Models that search, as backends of the core. A search model is loaded when it is used."""

import pkgutil
from collections.abc import Iterable, Mapping

from ...adapters.models.search import vendors
from ..wiring.backend_rows import BackendRow, BackendSource, Root

# Every function here imports late: to look for a backend must not load the providers of models.


def _search_model_names() -> frozenset[str]:
    return frozenset(file.name for file in pkgutil.iter_modules(vendors.__path__))


def _search_model_rows(root: Root) -> Iterable[BackendRow]:
    from .search_model_rows import search_model_rows  # noqa: PLC0415

    return search_model_rows(root)


def _find_search_model_row(name: str, root: Root) -> BackendRow | None:
    from .search_model_rows import find_search_model, search_model_row  # noqa: PLC0415

    model = find_search_model(name)
    return None if model is None else search_model_row(model, root)


def _installed_search_models() -> Mapping[str, object]:
    from .search_model_rows import installed_search_models  # noqa: PLC0415

    return installed_search_models()


def _broken_search_models() -> Mapping[str, str]:
    from .search_model_rows import broken_search_models  # noqa: PLC0415

    return broken_search_models()


BACKENDS = BackendSource(
    names=_search_model_names,
    rows=_search_model_rows,
    find=_find_search_model_row,
    installed=_installed_search_models,
    broken=_broken_search_models,
)

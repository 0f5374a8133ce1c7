"""The search models that are installed: our own, one file each, and those that packages bring."""

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points

from ..adapters.search_models import vendors as search_models
from ..adapters.search_models.declaration import SearchModel

GROUP = "webseam.search_models"


def installed_search_models() -> dict[str, SearchModel]:
    """Return every search model by its name; a package's of the same name wins."""
    own = (_own(module.name) for module in pkgutil.iter_modules(search_models.__path__))
    brought = (_load(point) for point in entry_points(group=GROUP))
    return {one.name: one for one in (*own, *brought) if isinstance(one, SearchModel)}


def broken_search_models() -> dict[str, str]:
    """Return what packages announce as a search model and is none, with the reason."""
    loaded = {point.name: _load(point) for point in entry_points(group=GROUP)}
    return {name: said for name, said in loaded.items() if isinstance(said, str)}


def find_search_model(name: str) -> SearchModel | None:
    """Return the search model of that name; None when there is none."""
    loaded = (_load(point) for point in entry_points(group=GROUP, name=name))
    return next((one for one in loaded if isinstance(one, SearchModel)), None) or _own(name)


def _own(name: str) -> SearchModel | None:
    if not name.isidentifier():
        return None
    try:
        module = importlib.import_module(f"{search_models.__name__}.{name}")
    except ModuleNotFoundError:
        return None
    found = getattr(module, "SEARCH_MODEL", None)
    return found if isinstance(found, SearchModel) else None


def _load(point: EntryPoint) -> SearchModel | str:
    """Load what a package brings; whatever goes wrong in it is told, and harms nobody else."""
    try:
        loaded = point.load()
    except Exception as error:  # noqa: BLE001  somebody else's code
        return f"{type(error).__name__} while it was loaded"
    return loaded if isinstance(loaded, SearchModel) else "it is not a SearchModel"

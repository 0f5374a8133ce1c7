"""Names that lead to no backend: which one was meant, or which package failed to bring it."""

from collections.abc import Iterable
from difflib import get_close_matches

from ....ports.errors import NotConfigured, UnknownBackend, WebError
from .backend_rows import feature_backends


def broken_backends() -> dict[str, str]:
    """Return what packages announce as a backend and cannot be loaded, with the reason."""
    from .services import broken_services  # noqa: PLC0415  thirty files, and HTTP

    broken = dict(broken_services())
    for source in feature_backends():
        broken |= source.broken()
    return broken


def unknown_backend_error(name: str, known_names: Iterable[str]) -> WebError:
    """Return the failure to find ``name`` among those ``known_names``."""
    why = broken_backends().get(name)
    return (
        _unloadable(name, why) if why else _unknown(UnknownBackend(name=name), tuple(known_names))
    )


def explain_unknown(error: WebError) -> WebError:
    """Return an error; one of a name that leads nowhere says what is behind it."""
    if not isinstance(error, UnknownBackend):
        return error
    why = broken_backends().get(error.name)
    return _unloadable(error.name, why, error.place) if why else _unknown(error, error.capable)


def _unloadable(name: str, why: str, place: str = "") -> NotConfigured:
    where = f"{place}: " if place else ""
    reason = f"{where}The backend {name!r} of an installed package cannot be used: {why}"
    return NotConfigured(reason=reason, backend=name)


def _unknown(error: UnknownBackend, known: tuple[str, ...]) -> UnknownBackend:
    near = get_close_matches(error.name, known, 1)
    return UnknownBackend(
        name=error.name,
        capable=tuple(sorted(known)),
        near=near[0] if near else "",
        place=error.place,
    )

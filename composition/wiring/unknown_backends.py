"""Errors for unknown backend names: a similar name, or the package that failed to load."""

from collections.abc import Iterable

from webseam.ports.errors import NotConfigured, UnknownBackend, WebError
from webseam.ports.text import nearest_name

from .backend_rows import feature_backends


def broken_backends() -> dict[str, str]:
    """Return the names of installed backends that cannot be loaded, with the reasons."""
    from .service_backends import broken_services  # noqa: PLC0415  slow import

    broken = dict(broken_services())
    for source in feature_backends():
        broken |= source.broken()
    return broken


def unknown_backend_error(name: str, known_names: Iterable[str]) -> WebError:
    """Return an error for a name that is not among ``known_names``."""
    if reason := broken_backends().get(name):
        return _backend_load_error(name, reason)
    return _suggest_backend(UnknownBackend(name=name), tuple(known_names))


def explain_unknown_backend(error: WebError) -> WebError:
    """Add a cause or a suggestion to an unknown-backend error; return others unchanged."""
    if not isinstance(error, UnknownBackend):
        return error
    if reason := broken_backends().get(error.name):
        return _backend_load_error(error.name, reason, error.place)
    return _suggest_backend(error, error.capable)


def _backend_load_error(name: str, cause: str, origin: str = "") -> NotConfigured:
    prefix = f"{origin}: " if origin else ""
    reason = f"{prefix}The backend {name!r} of an installed package cannot be used: {cause}"
    return NotConfigured(reason=reason, backend=name)


def _suggest_backend(error: UnknownBackend, registered: tuple[str, ...]) -> UnknownBackend:
    return UnknownBackend(
        name=error.name,
        capable=tuple(sorted(registered)),
        near=nearest_name(error.name, registered),
        place=error.place,
    )

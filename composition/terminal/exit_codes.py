"""The exit code of each kind of error."""

from collections.abc import Mapping

from webseam.ports.errors import WebError
from webseam.ports.errors.error_fields import ExitName

from .exit_numbers import (
    BACKEND_FAILED,
    BAD_INPUT,
    BUG,
    DONE,
    INTERRUPTED,
    NOT_CONFIGURED,
    REFUSED,
    UNHEALTHY,
)

__all__ = [
    "BACKEND_FAILED",
    "BAD_INPUT",
    "BUG",
    "DONE",
    "INTERRUPTED",
    "NOT_CONFIGURED",
    "REFUSED",
    "UNHEALTHY",
    "failure_exit_code",
]
_EXIT_CODES: Mapping[ExitName, int] = {
    "bad_input": BAD_INPUT, "not_configured": NOT_CONFIGURED, "backend_failed": BACKEND_FAILED,
    "refused": REFUSED, "bug": BUG,
}  # fmt: skip


def failure_exit_code(error: WebError) -> int:
    """Return the exit code for a failure."""
    return _EXIT_CODES[error.facts.exit]

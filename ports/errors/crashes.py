"""Errors of backends and compressors that break their contract."""

from typing import ClassVar, TypeAlias

from .error_fields import (
    PAID_STOP,
    THEIR_BUG,
    WRONG,
    ErrorFields,
    Facts,
    Foreign,
    end_sentence,
    error_detail_text,
)


class BackendCrashed(ErrorFields, frozen=True, kw_only=True, tag="backend_crashed"):
    """A backend raised, or returned a value that its port does not allow.

    ``error`` is the exception's type and ``where`` its line. The exception's text is left out: it
    may quote a key.
    """

    error: str
    where: str = ""

    usual: ClassVar[Facts] = Facts(exit="bug", refusal="backend", verdict=WRONG, remedy=THEIR_BUG)

    @property
    def _sentence(self) -> str:
        """Name the exception and its location."""
        location = f" at {self.where}" if self.where else ""
        return f"{self.who} crashed: {self.error}{location}."


class CompressorFailed(ErrorFields, frozen=True, kw_only=True, tag="compressor_failed"):
    """The page was read but not compressed, so the call fails."""

    reason: str
    detail: Foreign = ""

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=PAID_STOP)

    @property
    def _sentence(self) -> str:
        """Say why there is no compressed page."""
        problem = f"The page could not be compressed: {self.reason}"
        return end_sentence(problem + error_detail_text(self.detail))


Kinds: TypeAlias = BackendCrashed | CompressorFailed

__all__ = ["BackendCrashed", "CompressorFailed"]

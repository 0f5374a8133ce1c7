"""Errors of backends and compressors that break their contract."""

from typing import TypeAlias

from .error_fields import PAID_STOP, THEIR_BUG, WRONG, ErrorFields, Facts, Foreign, end_sentence


class BackendCrashed(ErrorFields, frozen=True, kw_only=True, tag="backend_crashed"):
    """A backend raised, or returned a value that its port does not allow.

    ``error`` is the exception's type and ``where`` its line. The exception's text is left out: it
    may quote a key.
    """

    error: str
    where: str = ""

    usual = Facts(exit="bug", verdict=WRONG, remedy=THEIR_BUG)

    def _sentence(self) -> str:
        location = f" at {self.where}" if self.where else ""
        return f"{self.who} crashed: {self.error}{location}."


class CompressorFailed(ErrorFields, frozen=True, kw_only=True, tag="compressor_failed"):
    """The page was read but not compressed, so the call fails."""

    reason: str
    detail: Foreign = ""

    usual = Facts(verdict=PAID_STOP)

    def _sentence(self) -> str:
        return end_sentence(f"The page could not be compressed: {self.reason}", self.detail)


Kinds: TypeAlias = BackendCrashed | CompressorFailed

__all__ = ["BackendCrashed", "CompressorFailed"]

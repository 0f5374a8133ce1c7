"""Errors of answers that cannot be used."""

from typing import Literal, TypeAlias

from .error_fields import PAGE, WRONG, ErrorFields, Facts, Foreign, end_sentence, make_remedy

_PROBLEM_TEXTS = {
    "content_type": "did not send JSON",
    "not_json": "sent JSON that cannot be read",
    "shape": "sent JSON of an unexpected shape",
    "error_object": "reported an error with a success status",
}


class ResponseTooLarge(ErrorFields, frozen=True, kw_only=True, tag="response_too_large"):
    """The response has more bytes than the limit; ``what`` names the part."""

    what: Literal["headers", "body", "decoded"]
    limit: int

    usual = Facts(verdict=WRONG)

    def _sentence(self) -> str:
        return f"The answer of {self.who} is larger than {self.limit} bytes ({self.what})."


class BadEncoding(ErrorFields, frozen=True, kw_only=True, tag="bad_encoding"):
    """The content coding is unknown, corrupt, truncated, or nested too deep."""

    reason: Foreign

    usual = Facts(verdict=WRONG)

    def _sentence(self) -> str:
        return f"The answer of {self.who} could not be decompressed: {self.reason}."


class BadPayload(ErrorFields, frozen=True, kw_only=True, tag="bad_payload"):
    """A success status with a body that is not the expected answer.

    ``problem`` is another content type, invalid JSON, JSON of another shape, or an error object
    with a success status. ``path`` is where, e.g. ``$.results``.
    """

    problem: Literal["content_type", "not_json", "shape", "error_object"]
    path: str = "$"
    status: int | None = None
    detail: Foreign = ""

    usual = Facts(verdict=WRONG)

    def _sentence(self) -> str:
        text = _PROBLEM_TEXTS[self.problem]
        return end_sentence(f"{self.who} {text} ({self.path})", self.detail)


class InvalidRow(ErrorFields, frozen=True, kw_only=True, tag="invalid_row"):
    """One result row breaks the row law, so the whole call fails."""

    index: int
    field: Foreign
    reason: Foreign

    usual = Facts(
        verdict=WRONG,
        remedy=make_remedy(
            "--quarantine keeps the other rows.",
            python='webseam.open(rows="quarantine") keeps the other rows.',
            http="Try again later; another answer may be usable.",
            mcp="Search in other words; another answer may be usable.",
        ),
    )

    def _sentence(self) -> str:
        return f"Row {self.index} of {self.who} is not usable: {self.field}: {self.reason}."


class InvalidDocument(ErrorFields, frozen=True, kw_only=True, tag="invalid_document"):
    """An extracted page breaks the document law, e.g. it is another page."""

    field: Foreign
    reason: Foreign

    usual = Facts(verdict=WRONG)

    def _sentence(self) -> str:
        return f"The page from {self.who} is not usable: {self.field}: {self.reason}."


class Missing(ErrorFields, frozen=True, kw_only=True, tag="missing"):
    """The answer for several pages does not contain this one."""

    usual = Facts(verdict=PAGE)

    def _sentence(self) -> str:
        return f"The answer of {self.who} does not contain this page."


class StructuredOutputInvalid(
    ErrorFields, frozen=True, kw_only=True, tag="structured_output_invalid"
):
    """The answer does not have the requested type."""

    reason: Foreign

    usual = Facts(verdict=WRONG)

    def _sentence(self) -> str:
        return f"The answer of {self.who} is not of the type asked for: {self.reason}."


Kinds: TypeAlias = (
    ResponseTooLarge
    | BadEncoding
    | BadPayload
    | InvalidRow
    | InvalidDocument
    | Missing
    | StructuredOutputInvalid
)

__all__ = [
    "BadEncoding",
    "BadPayload",
    "InvalidDocument",
    "InvalidRow",
    "Missing",
    "ResponseTooLarge",
    "StructuredOutputInvalid",
]

"""The answer came, and it is not one that can be used."""

from typing import ClassVar, Literal, TypeAlias

from .error_fields import PAGE, WRONG, ErrorFields, Facts, detail_text, end_sentence


class ResponseTooLarge(ErrorFields, frozen=True, kw_only=True, tag="response_too_large"):
    """More bytes than the limit; ``what`` says which of them."""

    what: Literal["headers", "body", "decoded"]
    limit: int

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=WRONG)

    @property
    def message(self) -> str:
        """Give the limit that was passed."""
        return f"The answer of {self.who} is larger than {self.limit} bytes ({self.what})."


class BadEncoding(ErrorFields, frozen=True, kw_only=True, tag="bad_encoding"):
    """The content coding is unknown, corrupt, cut short, or stacked too deep."""

    reason: str

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=WRONG)

    @property
    def message(self) -> str:
        """Say that it could not be decompressed, and why."""
        return f"The answer of {self.who} could not be decompressed: {self.reason}."


class BadPayload(ErrorFields, frozen=True, kw_only=True, tag="bad_payload"):
    """A success status over a body that is not the answer we asked for.

    ``problem`` tells them apart: another content type, no JSON, JSON of another shape, or an
    error object dressed as a success. ``path`` is where, e.g. ``$.results``.
    """

    problem: Literal["content_type", "not_json", "shape", "error_object"]
    path: str = "$"
    status: int | None = None
    detail: str = ""

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=WRONG)

    @property
    def message(self) -> str:
        """Say what was not understood, and where."""
        words = _PROBLEMS[self.problem]
        return end_sentence(f"{self.who} {words} ({self.path}){detail_text(self.detail)}")


_PROBLEMS = {
    "content_type": "did not send JSON",
    "not_json": "sent JSON that cannot be read",
    "shape": "sent JSON of another shape than agreed",
    "error_object": "reported an error inside a success",
}


class InvalidRow(ErrorFields, frozen=True, kw_only=True, tag="invalid_row"):
    """One result row broke the row law, so the whole call fails closed."""

    index: int
    field: str
    reason: str

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed",
        refusal="backend",
        verdict=WRONG,
        remedy='WebDeps(rows="quarantine") or webseam.open(rows="quarantine") keeps the others.',
    )

    @property
    def message(self) -> str:
        """Name the row, the field and the rule."""
        return f"Row {self.index} of {self.who} is not usable: {self.field}: {self.reason}."


class InvalidDocument(ErrorFields, frozen=True, kw_only=True, tag="invalid_document"):
    """An extracted page broke the document law, e.g. it is not the page asked for."""

    field: str
    reason: str

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=WRONG)

    @property
    def message(self) -> str:
        """Name the field and the rule."""
        return f"The page from {self.who} is not usable: {self.field}: {self.reason}."


class Missing(ErrorFields, frozen=True, kw_only=True, tag="missing"):
    """The answer of a call for several pages says nothing at all about this one."""

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=PAGE)

    @property
    def message(self) -> str:
        """Say that the page was forgotten, not that it failed."""
        return f"{self.who} answered, but said nothing about this page."


class StructuredOutputInvalid(
    ErrorFields, frozen=True, kw_only=True, tag="structured_output_invalid"
):
    """An answer that was to be of a type, and is not."""

    reason: str

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=WRONG)

    @property
    def message(self) -> str:
        """Say why it could not be read as that type."""
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

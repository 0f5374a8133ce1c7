"""Errors that only models have."""

from typing import ClassVar, TypeAlias

from msgspec.structs import replace

from .error_fields import (
    BROKEN_OFF,
    LATER,
    LIST_MODELS,
    NEXT,
    STOP,
    ErrorFields,
    Facts,
    Foreign,
    Verdict,
    end_sentence,
    make_remedy,
    rate_limit_verdict,
    retry_text,
)


class ContextTooLong(ErrorFields, frozen=True, kw_only=True, tag="context_too_long"):
    """The conversation exceeds the model's context window."""

    status: int | None = None
    detail: Foreign = ""

    usual = Facts(
        exit="bad_input",
        refusal="invalid",
        verdict=NEXT,
        remedy=make_remedy(
            "Send less, or have long pages compressed: docs/compressing.md.", "Send less."
        ),
    )

    def _sentence(self) -> str:
        return end_sentence(
            f"The conversation is too long for the model of {self.who}", self.detail
        )


class ContentFiltered(ErrorFields, frozen=True, kw_only=True, tag="content_filtered"):
    """The provider's filter refused the request before the model answered."""

    status: int | None = None
    detail: Foreign = ""

    usual = Facts(verdict=STOP)

    def _sentence(self) -> str:
        return end_sentence(f"The content filter of {self.who} refused the request", self.detail)


class ModelOverloaded(ErrorFields, frozen=True, kw_only=True, tag="model_overloaded"):
    """The model is overloaded; ``retry_after`` is in seconds if the provider states it."""

    status: int | None = None
    retry_after: float | None = None
    detail: Foreign = ""

    retryable: ClassVar[bool] = True
    usual = Facts(refusal="rate", verdict=rate_limit_verdict(None, "load"), remedy=LATER)

    @property
    def facts(self) -> Facts:
        """Rest the model for as long as it asks."""
        return replace(self.usual, verdict=rate_limit_verdict(self.retry_after, "load"))

    def _sentence(self) -> str:
        when = retry_text(self.retry_after)
        return end_sentence(f"The model of {self.who} is overloaded{when}", self.detail)


class ModelNotFound(ErrorFields, frozen=True, kw_only=True, tag="model_not_found"):
    """The provider has no model of that name, or not for this key."""

    model: str
    detail: Foreign = ""

    usual = Facts(
        exit="bad_input", refusal="unsupported", verdict=Verdict(cools="model"), remedy=LIST_MODELS
    )

    def _sentence(self) -> str:
        return end_sentence(f"{self.who} has no model {self.model!r}", self.detail)


class ParameterRefused(ErrorFields, frozen=True, kw_only=True, tag="parameter_refused"):
    """The model does not accept a field of the request, or its value."""

    parameter: Foreign
    status: int | None = None
    detail: Foreign = ""

    usual = Facts(exit="bad_input", refusal="invalid", verdict=Verdict(cools="model"))

    def _sentence(self) -> str:
        return end_sentence(
            f"The model of {self.who} does not take {self.parameter!r}", self.detail
        )


class ModelFailed(ErrorFields, frozen=True, kw_only=True, tag="model_failed"):
    """The model broke off its answer, or the answer is unreadable; ``code`` is the provider's."""

    code: Foreign
    detail: Foreign = ""

    retryable: ClassVar[bool] = True
    usual = Facts(verdict=BROKEN_OFF)

    def _sentence(self) -> str:
        return end_sentence(f"The model of {self.who} failed ({self.code})", self.detail)


Kinds: TypeAlias = (
    ContextTooLong
    | ContentFiltered
    | ModelOverloaded
    | ModelNotFound
    | ParameterRefused
    | ModelFailed
)

__all__ = [
    "ContentFiltered",
    "ContextTooLong",
    "ModelFailed",
    "ModelNotFound",
    "ModelOverloaded",
    "ParameterRefused",
]

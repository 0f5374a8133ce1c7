"""The server answered, and its status says no."""

from typing import ClassVar, TypeAlias

from msgspec.structs import replace

from .error_fields import (
    LATER,
    NEXT,
    CoolReason,
    ErrorFields,
    Facts,
    Move,
    Verdict,
    detail_text,
    end_sentence,
    limited,
    seconds_text,
)

# Too early, or too slow to send.
_AGAIN = frozenset({408, 425})
_FORBIDDEN, _FIRST_SERVER_ERROR = 403, 500


class AuthFailed(ErrorFields, frozen=True, kw_only=True, tag="auth_failed"):
    """The key was refused (401, 403)."""

    status: int
    detail: str = ""

    usual: ClassVar[Facts] = Facts(
        exit="not_configured", refusal="backend", verdict=Verdict(cools="key")
    )

    @property
    def facts(self) -> Facts:
        """401 is the key; 403 is as often a firewall or a region."""
        why: CoolReason = "forbidden" if self.status == _FORBIDDEN else "key"
        name = f" {self.backend}" if self.backend else ""
        again = f"`webseam setup{name}` tries another key"
        remedy = f"{again}; `webseam doctor{name}` tells where this is from."
        return replace(self.usual, verdict=Verdict(cools=why), remedy=remedy)

    @property
    def message(self) -> str:
        """Say who refused the key."""
        return end_sentence(f"{self.who} refused the key ({self.status}){detail_text(self.detail)}")


class QuotaExhausted(ErrorFields, frozen=True, kw_only=True, tag="quota_exhausted"):
    """The plan's credits are used up (402); waiting a moment does not help."""

    status: int
    detail: str = ""

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed",
        refusal="backend",
        verdict=Verdict(cools="quota"),
        remedy="Top up the plan, wait for its next period, or name another backend.",
    )

    @property
    def message(self) -> str:
        """Say whose credits are gone."""
        return end_sentence(
            f"The plan's credits at {self.who} are used up{detail_text(self.detail)}"
        )


class RateLimited(ErrorFields, frozen=True, kw_only=True, tag="rate_limited"):
    """Too many requests (429); ``retry_after`` is in seconds when the server said so."""

    status: int = 429
    retry_after: float | None = None
    detail: str = ""

    retryable: ClassVar[bool] = True

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed", refusal="rate", verdict=limited(None, "limit"), remedy=LATER
    )

    @property
    def facts(self) -> Facts:
        """As long as it asked for."""
        return replace(self.usual, verdict=limited(self.retry_after, "limit"))

    @property
    def message(self) -> str:
        """Say when to come back."""
        return end_sentence(
            f"{self.who} asks to slow down{_when(self.retry_after)}{detail_text(self.detail)}"
        )


class UpstreamUnavailable(ErrorFields, frozen=True, kw_only=True, tag="upstream_unavailable"):
    """The server has trouble of its own (5xx, 408, 425)."""

    status: int
    retry_after: float | None = None
    detail: str = ""

    retryable: ClassVar[bool] = True

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed",
        refusal="backend",
        verdict=Verdict(move="here", blames=True),
        remedy=LATER,
    )

    @property
    def facts(self) -> Facts:
        """Too early, or too slow to send: what an idle connection gets."""
        move: Move = "once" if self.status in _AGAIN else "here"
        cools: CoolReason = "" if self.retry_after is None else "load"
        verdict = Verdict(move=move, blames=True, wait=self.retry_after, cools=cools)
        return replace(self.usual, verdict=verdict)

    @property
    def message(self) -> str:
        """Give the status, and when to come back."""
        return end_sentence(
            f"{self.who} answered {self.status}{_when(self.retry_after)}{detail_text(self.detail)}"
        )


_MEANINGS = {400: "bad request", 404: "not found", 405: "not allowed", 410: "gone"}


class HttpStatus(ErrorFields, frozen=True, kw_only=True, tag="http_status"):
    """Any other status that is not a success."""

    status: int
    detail: str = ""

    usual: ClassVar[Facts] = Facts(exit="backend_failed", refusal="backend", verdict=NEXT)

    @property
    def facts(self) -> Facts:
        """Maybe only this query: the four hundreds say nothing about the server."""
        blames = self.status >= _FIRST_SERVER_ERROR
        return replace(self.usual, verdict=Verdict(blames=blames))

    @property
    def message(self) -> str:
        """Give the status, and what it means where people know it by words."""
        words = _MEANINGS.get(self.status, "")
        meaning = f" ({words})" if words else ""
        return end_sentence(f"{self.who} answered {self.status}{meaning}{detail_text(self.detail)}")


class BadRedirect(ErrorFields, frozen=True, kw_only=True, tag="bad_redirect"):
    """A redirect that cannot or must not be followed."""

    status: int
    reason: str

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed", refusal="backend", verdict=Verdict(blames=True, opens_after=2)
    )

    @property
    def message(self) -> str:
        """Say why the redirect was not followed."""
        return f"{self.who} redirects ({self.status}): {self.reason}."


def _when(retry_after: float | None) -> str:
    return "" if retry_after is None else f"; try again in {seconds_text(retry_after)}"


Kinds: TypeAlias = (
    AuthFailed | QuotaExhausted | RateLimited | UpstreamUnavailable | HttpStatus | BadRedirect
)

__all__ = [
    "AuthFailed",
    "BadRedirect",
    "HttpStatus",
    "QuotaExhausted",
    "RateLimited",
    "UpstreamUnavailable",
]

"""The server answered, and its status says no."""

from typing import ClassVar

from .trouble import Trouble, full_stop, seconds, tail


class AuthFailed(Trouble, frozen=True, kw_only=True, tag="auth_failed"):
    """The key was refused (401, 403)."""

    status: int
    detail: str = ""

    @property
    def message(self) -> str:
        """Say who refused the key."""
        return full_stop(f"{self.who} refused the key ({self.status}){tail(self.detail)}")


class QuotaExhausted(Trouble, frozen=True, kw_only=True, tag="quota_exhausted"):
    """The plan's credits are used up (402); waiting a moment does not help."""

    status: int
    detail: str = ""

    @property
    def message(self) -> str:
        """Say whose credits are gone."""
        return full_stop(f"The plan's credits at {self.who} are used up{tail(self.detail)}")


class RateLimited(Trouble, frozen=True, kw_only=True, tag="rate_limited"):
    """Too many requests (429); ``retry_after`` is in seconds when the server said so."""

    status: int = 429
    retry_after: float | None = None
    detail: str = ""

    retryable: ClassVar[bool] = True

    @property
    def message(self) -> str:
        """Say when to come back."""
        return full_stop(
            f"{self.who} asks to slow down{_when(self.retry_after)}{tail(self.detail)}"
        )


class UpstreamUnavailable(Trouble, frozen=True, kw_only=True, tag="upstream_unavailable"):
    """The server has trouble of its own (5xx, 408, 425)."""

    status: int
    retry_after: float | None = None
    detail: str = ""

    retryable: ClassVar[bool] = True

    @property
    def message(self) -> str:
        """Give the status, and when to come back."""
        return full_stop(
            f"{self.who} answered {self.status}{_when(self.retry_after)}{tail(self.detail)}"
        )


_MEANINGS = {400: "bad request", 404: "not found", 405: "not allowed", 410: "gone"}


class HttpStatus(Trouble, frozen=True, kw_only=True, tag="http_status"):
    """Any other status that is not a success."""

    status: int
    detail: str = ""

    @property
    def message(self) -> str:
        """Give the status, and what it means where people know it by words."""
        words = _MEANINGS.get(self.status, "")
        meaning = f" ({words})" if words else ""
        return full_stop(f"{self.who} answered {self.status}{meaning}{tail(self.detail)}")


class BadRedirect(Trouble, frozen=True, kw_only=True, tag="bad_redirect"):
    """A redirect that cannot or must not be followed."""

    status: int
    reason: str

    @property
    def message(self) -> str:
        """Say why the redirect was not followed."""
        return f"{self.who} redirects ({self.status}): {self.reason}."


def _when(retry_after: float | None) -> str:
    return "" if retry_after is None else f"; try again in {seconds(retry_after)}"

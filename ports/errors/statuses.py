"""Errors of HTTP statuses."""

from decimal import Decimal
from typing import ClassVar, TypeAlias

from msgspec.structs import replace

from .error_fields import (
    LATER,
    NEXT,
    PAGE,
    PAGES_READER,
    CoolReason,
    ErrorFields,
    Facts,
    Foreign,
    Move,
    Verdict,
    end_sentence,
    make_remedy,
    rate_limit_verdict,
    retry_text,
)

# Request Timeout and Too Early.
_NOT_READY_STATUSES = frozenset({408, 425})
_FORBIDDEN, _FIRST_SERVER_ERROR = 403, 500
_STATUS_TEXTS = {400: "bad request", 404: "not found", 405: "not allowed", 410: "gone"}


class AuthFailed(ErrorFields, frozen=True, kw_only=True, tag="auth_failed"):
    """The key was refused (401, 403)."""

    status: int
    detail: Foreign = ""

    usual = Facts(exit="not_configured", verdict=Verdict(cools="key"))

    @property
    def facts(self) -> Facts:
        """401 means the key; 403 is as often a firewall or a region."""
        why: CoolReason = "forbidden" if self.status == _FORBIDDEN else "key"
        name = f" {self.backend}" if self.backend else ""
        setup = f"`webseam setup{name}` tries another key"
        words = make_remedy(
            f"{setup}; `webseam doctor{name}` shows where the key is from.",
            http="Ask the operator of the gateway to renew the key of this service.",
            mcp=f"Tell the user that {setup}.",
        )
        return replace(self.usual, verdict=Verdict(cools=why), remedy=words)

    def _sentence(self) -> str:
        return end_sentence(f"{self.who} refused the key ({self.status})", self.detail)


class QuotaExhausted(ErrorFields, frozen=True, kw_only=True, tag="quota_exhausted"):
    """The plan's credits are used up (402); a short wait does not help."""

    status: int
    detail: Foreign = ""

    usual = Facts(
        verdict=Verdict(cools="quota"),
        remedy=make_remedy(
            "Top up the plan, wait for its next period, or name another backend.",
            http="Try again later, or ask the operator of the gateway to top up the plan.",
            mcp="Tell the user to top up the plan, or to set up another service.",
        ),
    )

    def _sentence(self) -> str:
        return end_sentence(f"The plan's credits at {self.who} are used up", self.detail)


class PaymentRequired(ErrorFields, frozen=True, kw_only=True, tag="payment_required"):
    """The site or service asks for money (402); nothing was paid.

    ``amount`` is in units of ``currency``: a code such as USD, or the address of a token on
    ``network``, counted in its smallest unit. It is None if no valid price was stated. The fields
    describe the first of the ``offers``; all are the other side's claims. ``unpaid`` says why no
    plugin paid.
    """

    amount: Decimal | None = None
    currency: Foreign = ""
    payee: Foreign = ""
    scheme: Foreign = ""
    network: Foreign = ""
    offers: int = 0
    unpaid: str = ""
    detail: Foreign = ""

    usual = Facts(
        verdict=NEXT,
        remedy=make_remedy(
            "Read another page, name another backend, or let a plugin pay (docs/middleware.md).",
            http="Read another page on the subject.",
        ),
    )

    @property
    def facts(self) -> Facts:
        """A service asks again at the next call, so it rests; a page says nothing of others."""
        is_page = self.backend in (None, PAGES_READER)
        return self.usual if is_page else replace(self.usual, verdict=Verdict(cools="quota"))

    @property
    def price(self) -> str:
        """The amount, if one is stated, and the payee, if one is known."""
        unit = f"{self.currency} on {self.network}" if self.network else self.currency
        amount = "" if self.amount is None else f"{self.amount:f} {unit} "
        return f"{amount}to {self.payee}" if self.payee else amount.rstrip()

    def _sentence(self) -> str:
        joint = " " if self.amount is None else " of "
        asked = f"{self.who} asks for a payment{joint}{self.price}".rstrip()
        unpaid = f" Nothing was paid: {self.unpaid}." if self.unpaid else ""
        return end_sentence(asked, self.detail) + unpaid


class PaymentFailed(ErrorFields, frozen=True, kw_only=True, tag="payment_failed"):
    """A payment brought no page, or may have been made; it counts as spent.

    ``cause`` is the kind of the error after it, ``asked`` the price that the site states now.
    """

    paid: Foreign
    cause: str
    asked: Foreign = ""

    usual = Facts(
        verdict=PAGE,
        remedy=make_remedy("`webseam spend` tells what was spent.", http="Read another page."),
    )

    def _sentence(self) -> str:
        asked = f" Now the site asks for {self.asked}." if self.asked else ""
        return f"A payment of {self.paid} brought no page ({self.cause}); it is spent.{asked}"


class RateLimited(ErrorFields, frozen=True, kw_only=True, tag="rate_limited"):
    """Too many requests (429); ``retry_after`` is in seconds if the server states it."""

    status: int = 429
    retry_after: float | None = None
    detail: Foreign = ""

    retryable: ClassVar[bool] = True
    usual = Facts(refusal="rate", verdict=rate_limit_verdict(None, "limit"), remedy=LATER)

    @property
    def facts(self) -> Facts:
        """Rest the backend for as long as it asks."""
        return replace(self.usual, verdict=rate_limit_verdict(self.retry_after, "limit"))

    def _sentence(self) -> str:
        when = retry_text(self.retry_after)
        return end_sentence(f"{self.who} asks to slow down{when}", self.detail)


class UpstreamUnavailable(ErrorFields, frozen=True, kw_only=True, tag="upstream_unavailable"):
    """The server failed (5xx) or was not ready (408, 425)."""

    status: int
    retry_after: float | None = None
    detail: Foreign = ""

    retryable: ClassVar[bool] = True
    usual = Facts(verdict=Verdict(move="here", blames=True), remedy=LATER)

    @property
    def facts(self) -> Facts:
        """Retry 408 and 425 at once: servers send them on idle connections."""
        move: Move = "once" if self.status in _NOT_READY_STATUSES else "here"
        cools: CoolReason = "" if self.retry_after is None else "load"
        verdict = Verdict(move=move, blames=True, wait=self.retry_after, cools=cools)
        return replace(self.usual, verdict=verdict)

    def _sentence(self) -> str:
        when = retry_text(self.retry_after)
        return end_sentence(f"{self.who} answered {self.status}{when}", self.detail)


class HttpStatus(ErrorFields, frozen=True, kw_only=True, tag="http_status"):
    """Any other status that is not a success."""

    status: int
    detail: Foreign = ""

    usual = Facts(verdict=NEXT)

    @property
    def facts(self) -> Facts:
        """A 4xx status may concern only this query, so it does not blame the server."""
        blames = self.status >= _FIRST_SERVER_ERROR
        return replace(self.usual, verdict=Verdict(blames=blames))

    def _sentence(self) -> str:
        text = _STATUS_TEXTS.get(self.status)
        meaning = f" ({text})" if text else ""
        return end_sentence(f"{self.who} answered {self.status}{meaning}", self.detail)


class BadRedirect(ErrorFields, frozen=True, kw_only=True, tag="bad_redirect"):
    """A redirect that cannot or must not be followed."""

    status: int
    reason: Foreign

    usual = Facts(verdict=Verdict(blames=True, opens_after=2))

    def _sentence(self) -> str:
        return f"{self.who} redirects ({self.status}): {self.reason}."


Kinds: TypeAlias = (
    AuthFailed
    | QuotaExhausted
    | PaymentRequired
    | PaymentFailed
    | RateLimited
    | UpstreamUnavailable
    | HttpStatus
    | BadRedirect
)

__all__ = [
    "AuthFailed",
    "BadRedirect",
    "HttpStatus",
    "PaymentFailed",
    "PaymentRequired",
    "QuotaExhausted",
    "RateLimited",
    "UpstreamUnavailable",
]

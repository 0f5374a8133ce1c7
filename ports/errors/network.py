"""Errors of names, connections, TLS and time limits."""

from typing import ClassVar, Literal, TypeAlias

from msgspec.structs import replace

from .error_fields import (
    BROKEN_OFF,
    GONE,
    NETWORK,
    REFUSED_THERE,
    SLOW,
    UNREACHED,
    WRONG,
    ErrorFields,
    Facts,
    Foreign,
    RefusalKind,
    Verdict,
    end_sentence,
    make_remedy,
    seconds_text,
)


def _network_facts(verdict: Verdict, refusal: RefusalKind = "backend") -> Facts:
    return Facts(refusal=refusal, verdict=verdict, remedy=NETWORK)


class DnsNotFound(ErrorFields, frozen=True, kw_only=True, tag="dns_not_found"):
    """The host name has no address."""

    host: Foreign

    usual = _network_facts(GONE, "unreadable")

    def _sentence(self) -> str:
        return f"No such host: {self.host}."


class DnsUnavailable(ErrorFields, frozen=True, kw_only=True, tag="dns_unavailable"):
    """The name server did not answer, so the name may still exist."""

    host: Foreign

    retryable: ClassVar[bool] = True
    usual = _network_facts(REFUSED_THERE)

    def _sentence(self) -> str:
        return f"The name server did not answer for {self.host}."


class ConnectFailed(ErrorFields, frozen=True, kw_only=True, tag="connect_failed"):
    """The connection was refused, or failed while connecting."""

    reason: Foreign = ""

    retryable: ClassVar[bool] = True
    usual = _network_facts(REFUSED_THERE)

    def _sentence(self) -> str:
        return end_sentence(f"{self.who} could not be reached", self.reason)


class TlsFailed(ErrorFields, frozen=True, kw_only=True, tag="tls_failed"):
    """The certificate or the handshake was not acceptable."""

    reason: Foreign = ""

    usual = _network_facts(GONE)

    def _sentence(self) -> str:
        return end_sentence(f"No secure connection to {self.who}", self.reason)


class Timeout(ErrorFields, frozen=True, kw_only=True, tag="timeout"):
    """One step took too long; ``phase`` says which."""

    phase: Literal["connect", "headers", "body", "write"]
    limit: float | None = None

    retryable: ClassVar[bool] = True
    usual = _network_facts(SLOW, "deadline")

    @property
    def facts(self) -> Facts:
        """A backend that was not even reached is not slow."""
        return replace(self.usual, verdict=UNREACHED) if self.phase == "connect" else self.usual

    def _sentence(self) -> str:
        within = "" if self.limit is None else f" within {seconds_text(self.limit)}"
        return f"No answer from {self.who}{within} ({self.phase})."


class DeadlineExceeded(ErrorFields, frozen=True, kw_only=True, tag="deadline_exceeded"):
    """The time limit of the whole call has passed."""

    deadline: float

    usual = _network_facts(SLOW, "deadline")

    @property
    def facts(self) -> Facts:
        """The limit is the caller's own, so more time may help."""
        limit = f"your timeout of {seconds_text(self.deadline)}"
        words = make_remedy(
            f"That was {limit}: allow more with `timeout` or `deadline` (docs/settings.md), or ask"
            " another backend.",
            http=f"That was {limit}: allow more time, or try again later.",
        )
        return replace(self.usual, remedy=words)

    def _sentence(self) -> str:
        return f"Gave up on {self.who} after {seconds_text(self.deadline)}."


class ConnectionLost(ErrorFields, frozen=True, kw_only=True, tag="connection_lost"):
    """The connection closed before the answer was complete; the part is discarded."""

    retryable: ClassVar[bool] = True
    usual = _network_facts(BROKEN_OFF)

    def _sentence(self) -> str:
        return f"The connection to {self.who} broke before the answer was complete."


class ProtocolError(ErrorFields, frozen=True, kw_only=True, tag="protocol_error"):
    """The response is not valid HTTP."""

    usual = _network_facts(WRONG)

    def _sentence(self) -> str:
        return f"The answer of {self.who} is not valid HTTP."


Kinds: TypeAlias = (
    DnsNotFound
    | DnsUnavailable
    | ConnectFailed
    | TlsFailed
    | Timeout
    | DeadlineExceeded
    | ConnectionLost
    | ProtocolError
)

__all__ = [
    "ConnectFailed",
    "ConnectionLost",
    "DeadlineExceeded",
    "DnsNotFound",
    "DnsUnavailable",
    "ProtocolError",
    "Timeout",
    "TlsFailed",
]

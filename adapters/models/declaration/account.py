"""Who calls a provider, and how the call proves it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured
from ....ports.secrets import Secret

if TYPE_CHECKING:
    from .provider import Provider


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A key and where it is good. ``parts`` holds whatever else a signature takes, by name."""

    base_url: str
    key: Secret = msgspec.field(default_factory=lambda: Secret(""))
    parts: Mapping[str, Secret] = msgspec.field(default_factory=dict)

    def secrets(self) -> tuple[str, ...]:
        """Return every value that must never be shown."""
        held = (self.key, *self.parts.values())
        return tuple(secret.reveal() for secret in held if secret)


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is ready to be sent but for its proof: these very bytes will go out."""

    url: str
    headers: tuple[tuple[str, str], ...]
    content: bytes


# Returns the headers that prove who is calling; ``now`` is in seconds since 1970.
Authorize: TypeAlias = Callable[[Outgoing, Account, float], tuple[tuple[str, str], ...]]
ReadAccount: TypeAlias = Callable[["Provider", Mapping[str, str]], Result[Account, NotConfigured]]


def bearer(_outgoing: Outgoing, account: Account, _now: float) -> tuple[tuple[str, str], ...]:
    """Send the key as ``Authorization: Bearer``; without a key, nothing."""
    return (("authorization", f"Bearer {account.key.reveal()}"),) if account.key else ()


def key_in(header: str) -> Authorize:
    """Send the bare key in a header of its own, such as ``x-api-key``."""

    def authorize(
        _outgoing: Outgoing, account: Account, _now: float
    ) -> tuple[tuple[str, str], ...]:
        return ((header, account.key.reveal()),) if account.key else ()

    return authorize


def read_account(
    provider: "Provider", environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take key and base URL from the environment; blank counts as absent."""
    found = (environment.get(name, "").strip() for name in provider.env)
    key = next((value for value in found if value), "")
    if provider.needs_key and not key:
        reason = f"{provider.title or provider.name} has no key"
        setting = " or ".join(provider.env) or "env"
        return Failure(NotConfigured(reason=reason, setting=setting, backend=provider.name))
    override = environment.get(provider.base_url_env or "", "").strip()
    base = (override or provider.base_url).rstrip("/")
    if not base:
        reason = f"{provider.title or provider.name} has no base URL"
        setting = provider.base_url_env or "base_url"
        return Failure(NotConfigured(reason=reason, setting=setting, backend=provider.name))
    return Success(Account(base_url=base, key=Secret(key)))

"""Who calls a provider, where it is reached, and how a call proves who makes it."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured
from ....ports.secrets import Secret


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A key and where it is good. ``parts`` holds whatever else a signature takes, by name."""

    base_url: str
    key: Secret = msgspec.field(default_factory=lambda: Secret(""))
    parts: Mapping[str, Secret] = msgspec.field(default_factory=dict)

    def secrets(self) -> tuple[str, ...]:
        """Return every value that must never be shown."""
        held = (self.key, *self.parts.values())
        return tuple(secret.reveal() for secret in held if secret)

    def for_each_key(self) -> tuple["Account", ...]:
        """Return one account for each key: several keys stand between commas.

        What has blanks or quotes between its commas is not a list of keys.
        """
        keys = [part.strip() for part in self.key.reveal().split(",") if part.strip()]
        if len(keys) <= 1 or not all(_KEY.fullmatch(key) for key in keys):
            return (self,)
        return tuple(msgspec.structs.replace(self, key=Secret(key)) for key in keys)


_KEY = re.compile(r"[^\s\"'{}]+")


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is ready to be sent but for its proof: these very bytes will go out."""

    url: str
    headers: tuple[tuple[str, str], ...]
    content: bytes
    method: str = "POST"


# Returns the headers that prove who is calling; ``now`` is in seconds since 1970.
Prove: TypeAlias = Callable[[Outgoing, Account, float], tuple[tuple[str, str], ...]]
# Takes the login, the provider's title for people, and the environment.
ReadAccount: TypeAlias = Callable[["Login", str, Mapping[str, str]], Result[Account, NotConfigured]]


def bearer(_outgoing: Outgoing, account: Account, _now: float) -> tuple[tuple[str, str], ...]:
    """Send the key as ``Authorization: Bearer``; without a key, nothing."""
    return (("authorization", f"Bearer {account.key.reveal()}"),) if account.key else ()


def key_in(header: str) -> Prove:
    """Send the bare key in a header of its own, such as ``x-api-key``."""

    def prove(_outgoing: Outgoing, account: Account, _now: float) -> tuple[tuple[str, str], ...]:
        return ((header, account.key.reveal()),) if account.key else ()

    return prove


def read_account(
    login: "Login", title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take key and base URL from the environment; blank counts as absent."""
    keys = (environment.get(name, "").strip() for name in login.env)
    key = next((value for value in keys if value), "")
    if login.needs_key and not key:
        return keyless_error(title, *(login.env or ("env",)))
    override = environment.get(login.base_url_env or "", "").strip()
    base = (override or login.base_url).rstrip("/")
    if not base:
        return unset_error(f"{title} has no base URL", login.base_url_env or "base_url")
    return Success(Account(base_url=base, key=Secret(key)))


def keyless_error(title: str, *settings: str, remedy: str = "") -> Failure[NotConfigured]:
    """Say that a provider has no key, and what would give it one."""
    return unset_error(f"{title} has no key", *settings, remedy=remedy)


def unset_error(reason: str, *settings: str, remedy: str = "") -> Failure[NotConfigured]:
    """Say what is missing, and which settings mend it; the caller adds whose it is."""
    return Failure(NotConfigured(reason=reason, settings=settings, remedy=remedy))


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """What an account is made of.

    ``env`` are the variables that may hold the key, the first that is set counts; a provider that
    works without one has ``needs_key=False``. ``base_url_env`` overrides ``base_url``. ``read``
    makes the account where that takes more than these, ``prove`` the headers that show the key.
    ``signing_env`` and ``place_env`` are variables that ``read`` takes besides: what signs a call,
    and what leads it elsewhere (an endpoint, a region, a file of profiles). A working folder that
    the user has not trusted may give the former and not the latter.
    """

    env: tuple[str, ...] = ()
    needs_key: bool = True
    base_url: str = ""
    base_url_env: str | None = None
    signing_env: tuple[str, ...] = ()
    place_env: tuple[str, ...] = ()
    read: ReadAccount = read_account
    prove: Prove = bearer


def can_be_sent(headers: Iterable[tuple[str, str]]) -> bool:
    """Tell whether headers hold nothing but what HTTP can carry."""
    return all(value.isascii() and value.isprintable() for _, value in headers)

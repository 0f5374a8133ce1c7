"""What the user allows one endpoint: a key over plain http, to a machine of their own.

``services.NAME.allow_plain_http``, ``providers.NAME.allow_plain_http``, or the variable
``WEBSEAM_NAME_ALLOW_PLAIN_HTTP``; for the search model of one's own ``custom_allow_plain_http``.
A file that came with a working folder cannot allow it.
"""

import re
from typing import Literal, TypeAlias

import msgspec

from .entries import Entry, spelled
from .schema import Settings

PLAIN_HTTP = "allow_plain_http"
Block: TypeAlias = Literal["services", "providers", "json"]
_TRUTHS = frozenset({"1", "true", "yes", "on"})
RISK = "its key goes over the network in clear text: whoever is on the way can read and use it"


class PlainHttp(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a key may go over plain http, and the setting that says so, for the error."""

    allowed: bool
    setting: str


def plain_http(block: Block, name: str, settings: Settings) -> PlainHttp:
    """Return what the settings allow the service or provider of that name."""
    variable = re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{name}_{PLAIN_HTTP}".upper())
    entry = settings.variables.first(variable) or settings.entries.get((block, name, PLAIN_HTTP))
    return PlainHttp(
        allowed=entry is not None and _is_true(entry) and not entry.origin.foreign,
        setting=f"{spelled((block, name, PLAIN_HTTP))}: true, or {variable}=1,",
    )


def custom_plain_http(settings: Settings) -> PlainHttp:
    """Return what the settings allow the search model of the user's own."""
    return PlainHttp(
        allowed=settings.custom_allow_plain_http,
        setting="custom_allow_plain_http: true, or CUSTOM_SEARCH_ALLOW_PLAIN_HTTP=1,",
    )


def risks(settings: Settings) -> tuple[str, ...]:
    """Say of every provider that may have its key in clear text what that risks, for doctor."""
    names = settings.entries.names(("providers",))
    allowed = (name for name in names if plain_http("providers", name, settings).allowed)
    return tuple(f"providers.{name}.{PLAIN_HTTP} is set: {RISK}" for name in allowed)


def _is_true(entry: Entry) -> bool:
    return str(entry.value).strip().lower() in _TRUTHS

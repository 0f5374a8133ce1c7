"""What the user allows one endpoint: a key over plain http, to a machine of their own.

``services.NAME.allow_plain_http``, ``providers.NAME.allow_plain_http``, or the variable
``WEBSEAM_NAME_ALLOW_PLAIN_HTTP``; for the search model of one's own ``custom_allow_plain_http``.
A file that came with a working folder cannot allow it.
"""

import re
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result

from ...kernel.urls.service_endpoints import check_endpoint
from ...ports.errors import InvalidSetting, InvalidUrl
from .entries import Entry, setting_path_text
from .schema import Settings

PLAIN_HTTP = "allow_plain_http"
Block: TypeAlias = Literal["services", "providers", "json"]
_ANSWERS = {"1": True, "true": True, "yes": True, "on": True} | dict.fromkeys(
    ("0", "false", "no", "off", ""), False
)
PLAIN_HTTP_RISK = (
    "its key goes over the network in clear text: whoever is on the way can read and use it"
)


class PlainHttp(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a key may go over plain http, and the setting that says so, for the error.

    ``problem`` is what is wrong with the setting, where it is neither yes nor no.
    """

    allowed: bool
    setting: str
    problem: InvalidSetting | None = None

    def check(
        self, url: str, *, with_key: bool
    ) -> Result[str, InvalidUrl] | Result[str, InvalidSetting]:
        """Return the address if a call may go there, else what is wrong with it or the setting."""
        if self.problem is not None:
            return Failure(self.problem)
        return check_endpoint(url, with_key=with_key, plain_http=self.allowed, setting=self.setting)


def plain_http_rule(block: Block, name: str, settings: Settings) -> PlainHttp:
    """Return what the settings allow the service or provider of that name."""
    variable = re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{name}_{PLAIN_HTTP}".upper())
    entry = settings.variables.first(variable) or settings.entries.get((block, name, PLAIN_HTTP))
    path = setting_path_text((block, name, PLAIN_HTTP))
    answer = _ANSWERS.get(str(entry.value).strip().lower()) if entry is not None else False
    return PlainHttp(
        allowed=entry is not None and answer is True and not entry.origin.foreign,
        setting=f"{path}: true, or {variable}=1,",
        problem=_odd(path, entry) if entry is not None and answer is None else None,
    )


def custom_plain_http(settings: Settings) -> PlainHttp:
    """Return what the settings allow the search model of the user's own."""
    return PlainHttp(
        allowed=settings.custom_allow_plain_http,
        setting="custom_allow_plain_http: true, or CUSTOM_SEARCH_ALLOW_PLAIN_HTTP=1,",
    )


def plain_http_risks(settings: Settings) -> tuple[str, ...]:
    """Say of every provider that may have its key in clear text what that risks, for doctor."""
    names = settings.entries.names(("providers",))
    allowed = (name for name in names if plain_http_rule("providers", name, settings).allowed)
    return tuple(f"providers.{name}.{PLAIN_HTTP} is set: {PLAIN_HTTP_RISK}" for name in allowed)


def _odd(path: str, entry: Entry) -> InvalidSetting:
    return InvalidSetting(setting=path, place=str(entry.origin), reason="must be true or false")

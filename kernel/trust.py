"""Origins: what a working folder may set by itself, and which secret may meet which address.

A file of the working folder came with the folder, maybe not from the user. Until the user has
said yes to it, it may give keys of its own for known services, choose among these, and set limits:
what stands in the tables below, and nothing else. A list of what is refused would miss whatever
it does not name.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import msgspec

Layer: TypeAlias = Literal["argument", "environment", "dotenv", "file", "default"]

UNTRUSTED_ADDRESS_REASON = "an address only gets keys that are no more trusted than itself"
NOT_OFFICIAL = (
    "a key that came with the working folder only goes to the official address, "
    "not to one of your own; `webseam trust` makes it yours"
)


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The layer, the file or variable or option, and the line where there are lines.

    What is ``foreign`` came with a working folder that the user has not said yes to. The layer
    ``default`` is what webseam comes with, such as a service's official address.
    """

    layer: Layer
    name: str = ""
    line: int | None = None
    foreign: bool = False

    def __str__(self) -> str:
        """Return the place in the words of an error message."""
        if self.line is None:
            return self.name or self.layer
        return f"{self.name}:{self.line}"


def may_meet_address(secret: Origin, address: Origin) -> bool:
    """Tell whether a secret may be sent to an address, by where the two came from.

    The one rule: an address is at least as trusted as every secret that it gets. What webseam
    comes with is trusted most, then what the user gave, then what a folder brought; and what a
    folder brought goes to official addresses alone. A port of this machine is no exception: who
    listens there is not known.
    """
    return address.layer == "default" if secret.foreign else not address.foreign


def weakest_origin(origin: Origin, parts: Iterable[Origin]) -> Origin:
    """Return the origin of a value that was put together: that of its least trusted part."""
    return next((part for part in parts if part.foreign), origin)


# Which of the known services and models to use, limits, and how much is shown. Not here: whatever
# opens the policy, names a program, a folder of code, a proxy or an address, and what may be spent.
_SETTINGS = frozenset({
    "backend", "search_backend", "extract_backend", "route", "search_route", "extract_route",
    "custom_model", "extract_char_limit", "timeout", "deadline",
    "cache.enabled", "cache.minutes", "cache.size",
    "compressor.kind", "compressor.provider", "compressor.model",
    "small_work.provider", "small_work.model", "vision.provider", "vision.model",
    "embeddings.provider", "embeddings.model", "embeddings.dimensions",
    "rerank.provider", "rerank.model",
    "x_search.model", "x_search.reasoning_effort", "x_search.timeout_seconds", "x_search.retries",
    "planner.hedge_after", "planner.hedge_share",
})  # fmt: skip
_OTHER_VARIABLES = frozenset({"WEBSEAM_COMPRESSOR", "CUSTOM_SEARCH_MODEL"})

_SERVICE_LIMITS = ("rate", "concurrency")
_PROVIDER_FIELDS = ("api_key", "model", "auxiliary_model")

# Proxies have no service: like an address they lead a call elsewhere.
_PROXIES = frozenset({
    "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
    "all_proxy", "http_proxy", "https_proxy", "no_proxy",
})  # fmt: skip
# These say where files are; no .env can give them, whosever it is.
_OF_THE_PROCESS = frozenset({
    "WEBSEAM_CACHE", "WEBSEAM_CONFIG", "WEBSEAM_INDEX", "WEBSEAM_LEDGER", "WEBSEAM_TRUST_FOLDER",
})  # fmt: skip


class Vendors(msgspec.Struct, frozen=True, kw_only=True):
    """What services and providers of models declare, as far as trust depends on it.

    ``service_keys`` and ``provider_keys`` are of those with an official address: the options that
    prove who calls, with the variables that give them. One that is wherever its user says, such as
    SearXNG, is not among them. ``awaited`` are the variables of everything else: addresses and
    their parts, and keys of what has no official address.
    """

    service_keys: Mapping[str, Mapping[str, tuple[str, ...]]]
    provider_keys: Mapping[str, tuple[str, ...]]
    search_models: tuple[str, ...]
    awaited: frozenset[str]


class FolderRules:
    """What a working folder may set by itself, and what is read of it once it is trusted.

    >>> rules = FolderRules(Vendors(
    ...     service_keys={"tavily": {"api_key": ("TAVILY_API_KEY",)}}, provider_keys={},
    ...     search_models=(), awaited=frozenset({"TAVILY_BASE_URL"}),
    ... ))
    >>> rules.may_name("TAVILY_API_KEY"), rules.may_name("TAVILY_BASE_URL")
    (True, False)
    >>> rules.is_awaited("TAVILY_BASE_URL"), rules.is_awaited("DATABASE_URL")
    (True, False)
    >>> rules.may_set(("cache", "minutes")), rules.may_set(("policy", "ports"))
    (True, False)
    """

    def __init__(self, vendors: Vendors) -> None:
        """Read from the declarations which variables hold keys, and which lead elsewhere."""
        self._vendors = vendors
        services = (each for keys in vendors.service_keys.values() for each in keys.values())
        named = (*services, *vendors.provider_keys.values())
        self.keys = frozenset(name for names in named for name in names)
        self.awaited = vendors.awaited | _PROXIES
        own = {f"WEBSEAM_{name}" for name in _own_variables(vendors)}
        self._variables = self.keys | _OTHER_VARIABLES | own

    def may_name(self, variable: str) -> bool:
        """Tell whether a working folder's ``.env`` may set a variable by itself."""
        return variable in self._variables

    def is_awaited(self, variable: str) -> bool:
        """Tell whether a variable would mean something to us if its folder were trusted."""
        known = variable.startswith("WEBSEAM_") and variable not in _OF_THE_PROCESS
        return known or variable in self.awaited

    def may_set(self, path: tuple[str, ...]) -> bool:
        """Tell whether a settings file of a working folder may set this by itself."""
        match path:
            case ("services", name, option):
                keys = self._vendors.service_keys.get(name)
                allowed = () if keys is None else (*keys, *_SERVICE_LIMITS)
                chosen = name in self._vendors.search_models and option == "model"
                return option in allowed or chosen
            case ("providers", name, field):
                return name in self._vendors.provider_keys and field in _PROVIDER_FIELDS
            case _:
                return ".".join(path) in _SETTINGS


def _own_variables(vendors: Vendors) -> Iterable[str]:
    yield from (setting.upper().replace(".", "_") for setting in _SETTINGS)
    for name, options in vendors.service_keys.items():
        yield from (f"{name}_{option}".upper() for option in (*options, *_SERVICE_LIMITS))
    yield from (f"{name}_MODEL".upper() for name in vendors.search_models)

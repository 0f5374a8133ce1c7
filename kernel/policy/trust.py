"""Define what an untrusted working folder may set, and which secret may go to which address.

A file of the working folder may not come from the user. Until the user trusts it, it may only give
keys for known services, choose among these, and set limits: the tables below, and nothing else. A
list of forbidden settings would miss whatever it does not name.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import msgspec

Layer: TypeAlias = Literal["argument", "environment", "dotenv", "file", "default"]

UNTRUSTED_ADDRESS_REASON = "an address only gets keys that are no more trusted than itself"
NOT_OFFICIAL_REASON = (
    "a key that came with the working folder only goes to the official address, "
    "not to one of your own; `webseam trust` makes it yours"
)
# Choices among known services and models, limits, and display sizes. Left out: everything that
# opens the policy, names a program, code, a proxy or an address, and budgets.
_FOLDER_SETTINGS = frozenset({
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
_MODEL_VARIABLES = frozenset({"WEBSEAM_COMPRESSOR", "CUSTOM_SEARCH_MODEL"})
_SERVICE_LIMITS = ("rate", "concurrency")
_PROVIDER_FIELDS = ("api_key", "model", "auxiliary_model")
# Proxies belong to no service; like addresses they redirect calls.
_PROXY_VARIABLES = frozenset({
    "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
    "all_proxy", "http_proxy", "https_proxy", "no_proxy",
})  # fmt: skip
# These name the locations of files; no .env file can set them, even a trusted one.
_LOCATION_VARIABLES = frozenset({
    "WEBSEAM_CACHE", "WEBSEAM_CONFIG", "WEBSEAM_INDEX", "WEBSEAM_LEDGER", "WEBSEAM_TRUST_FOLDER",
})  # fmt: skip


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The layer; the file, variable or option; and the line, if there is one.

    A ``foreign`` value came with a working folder that the user does not trust. The layer
    ``default`` is built into webseam, such as a service's official address.
    """

    layer: Layer
    name: str = ""
    line: int | None = None
    foreign: bool = False

    def __str__(self) -> str:
        """Return the location for an error message."""
        if self.line is None:
            return self.name or self.layer
        return f"{self.name}:{self.line}"


def may_secret_meet_address(secret: Origin, address: Origin) -> bool:
    """Tell whether a secret may be sent to an address, by their origins.

    An address must be at least as trusted as every secret that it gets. Built-in addresses are
    trusted most, then what the user gave, then what a folder brought; a folder's secrets go only to
    official addresses. A port of this machine is no exception: its listener is unknown.
    """
    return address.layer == "default" if secret.foreign else not address.foreign


def least_trusted_origin(origin: Origin, parts: Iterable[Origin]) -> Origin:
    """Return the origin of a composed value: that of its least trusted part."""
    return next((part for part in parts if part.foreign), origin)


class Vendors(msgspec.Struct, frozen=True, kw_only=True):
    """The declarations of services and model providers that trust depends on.

    ``service_keys`` and ``provider_keys`` cover those with an official address: their credential
    options and the variables that set them. Self-hosted services such as SearXNG are not included.
    ``awaited`` are all other variables: addresses and their parts, and keys of services without an
    official address.
    """

    service_keys: Mapping[str, Mapping[str, tuple[str, ...]]]
    provider_keys: Mapping[str, tuple[str, ...]]
    search_models: tuple[str, ...]
    awaited: frozenset[str]


class FolderRules:
    """What a working folder may set untrusted, and what is read once it is trusted.

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
        """Collect the variables that hold keys, and those that redirect calls."""
        self._vendors = vendors
        services = (names for keys in vendors.service_keys.values() for names in keys.values())
        named = (*services, *vendors.provider_keys.values())
        self.keys = frozenset(name for names in named for name in names)
        self.awaited = vendors.awaited | _PROXY_VARIABLES
        prefixed = {f"WEBSEAM_{name}" for name in _trusted_folder_variables(vendors)}
        self._variables = self.keys | _MODEL_VARIABLES | prefixed

    def may_name(self, variable: str) -> bool:
        """Tell whether an untrusted folder's ``.env`` may set a variable."""
        return variable in self._variables

    def is_awaited(self, variable: str) -> bool:
        """Tell whether webseam would read a variable if its folder were trusted."""
        is_setting = variable.startswith("WEBSEAM_") and variable not in _LOCATION_VARIABLES
        return is_setting or variable in self.awaited

    def may_set(self, path: tuple[str, ...]) -> bool:
        """Tell whether an untrusted folder's settings file may set this path."""
        match path:
            case ("services", name, option):
                keys = self._vendors.service_keys.get(name)
                allowed = () if keys is None else (*keys, *_SERVICE_LIMITS)
                is_search_model = name in self._vendors.search_models and option == "model"
                return option in allowed or is_search_model
            case ("providers", name, field):
                return name in self._vendors.provider_keys and field in _PROVIDER_FIELDS
            case _:
                return ".".join(path) in _FOLDER_SETTINGS


def _trusted_folder_variables(vendors: Vendors) -> Iterable[str]:
    yield from (setting.upper().replace(".", "_") for setting in _FOLDER_SETTINGS)
    for name, options in vendors.service_keys.items():
        yield from (f"{name}_{option}".upper() for option in (*options, *_SERVICE_LIMITS))
    yield from (f"{name}_MODEL".upper() for name in vendors.search_models)

"""The settings of one service: options, keys and address, with their origins."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from webseam.adapters.services.calls import Access
from webseam.adapters.services.declaration import Option, Service
from webseam.kernel.policy.trust import (
    NOT_OFFICIAL_REASON,
    UNTRUSTED_ADDRESS_REASON,
    Origin,
    may_secret_meet_address,
)
from webseam.kernel.urls.service_endpoints import check_endpoint_url
from webseam.ports.errors import InvalidSetting, InvalidUrl
from webseam.ports.secrets import Secret
from webseam.ports.text import nearest_name

from .entries import DEFAULT_ORIGIN, Entries, Entry, KeyPath, option_variable, setting_path_text
from .schema import Settings

PLAIN_HTTP_OPTION = "allow_plain_http"
Block: TypeAlias = Literal["services", "providers", "json"]
_BOOLEAN_TEXTS = {"1": True, "true": True, "yes": True, "on": True} | dict.fromkeys(
    ("0", "false", "no", "off", ""), False
)
PLAIN_HTTP_RISK = "its key goes over the network in clear text: others can read and use it"
BASE_URL_OPTION = "base_url"
_JSON_BLOCK = "json"
# The only option that may be a list: when one key is exhausted, the next is used.
MULTI_VALUE_OPTION = "api_key"
# Options of every service: dollars per call, calls per second, concurrent calls.
PRICE_OPTIONS = ("price", "search_price", "extract_price")
NUMBER_OPTIONS = (*PRICE_OPTIONS, "rate", "concurrency")
_NOT_A_LIST = "must be one value, not a list"


class PlainHttp(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a key may go over plain http, the setting that allows it, and its problem."""

    allowed: bool
    setting: str
    problem: InvalidSetting | None = None

    def check(
        self, url: str, *, with_key: bool
    ) -> Result[str, InvalidUrl] | Result[str, InvalidSetting]:
        """Return the address if a call may go there, else the error."""
        if self.problem is not None:
            return Failure(self.problem)
        return check_endpoint_url(
            url, with_key=with_key, plain_http=self.allowed, setting=self.setting
        )


def plain_http_rule(block: Block, name: str, settings: Settings) -> PlainHttp:
    """Return the plain http rule of a service or provider."""
    path, variable = (block, name, PLAIN_HTTP_OPTION), option_variable(name, PLAIN_HTTP_OPTION)
    setting = f"{setting_path_text(path)}: true, or {variable}=1,"
    entry = settings.variables.first_entry(variable) or settings.entries.get(path)
    if entry is None:
        return PlainHttp(allowed=False, setting=setting)
    answer = _BOOLEAN_TEXTS.get(str(entry.value).strip().lower())
    problem = _invalid_setting(path, entry.origin, "must be true or false")
    return PlainHttp(
        allowed=answer is True and not entry.origin.foreign,
        setting=setting,
        problem=problem if answer is None else None,
    )


def custom_plain_http(settings: Settings) -> PlainHttp:
    """Return the plain http rule of the custom search model."""
    return PlainHttp(
        allowed=settings.custom_allow_plain_http,
        setting="custom_allow_plain_http: true, or CUSTOM_SEARCH_ALLOW_PLAIN_HTTP=1,",
    )


def plain_http_risks(settings: Settings) -> tuple[str, ...]:
    """Return a warning for each provider whose key may go in clear text, for doctor."""
    names = settings.entries.names_below(("providers",))
    allowed = (name for name in names if plain_http_rule("providers", name, settings).allowed)
    return tuple(
        f"providers.{name}.{PLAIN_HTTP_OPTION} is set: {PLAIN_HTTP_RISK}" for name in allowed
    )


_Number: TypeAlias = Annotated[float, Meta(ge=0, le=1_000_000)]
GivenEntries: TypeAlias = Mapping[str, Entry]


class ServiceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach a service: one access per key, and the origin of each value.

    ``own_address`` means that the user set the address, ``in_clear`` that a key goes to it over
    plain http. ``numbers`` are prices and rate limits. ``missing`` are required options without a
    value, ``malformed`` those with an ill-formed value.
    """

    accesses: tuple[Access, ...]
    own_address: bool = False
    in_clear: bool = False
    origins: Mapping[str, Origin] = {}
    numbers: Mapping[str, float] = {}
    missing: tuple[Option, ...] = ()
    malformed: tuple[Option, ...] = ()


def service_settings(
    service: Service, settings: Settings
) -> Result[ServiceSettings, InvalidSetting]:
    """Return the settings of ``service``, or an error for an unusable one."""
    fields = _given_options(service, settings)
    error = (
        _check_option_names(service, settings.entries)
        or _check_key_theft(service, settings)
        or _check_single_settings(service, fields)
    )
    if error is not None:
        return Failure(error)
    address = fields.get(BASE_URL_OPTION)
    url = (
        service.address.base_url if address is None else setting_entry_texts(address)[0].rstrip("/")
    )
    if (refusal := _check_address(service, settings, fields, url)) is not None:
        return Failure(refusal)
    numbers = service_numbers(service.name, settings)
    access = Access(base_url=url, overridden=address is not None)
    is_user_written = address is not None and not address.origin.foreign
    # Only plain http makes an address unusable with a key.
    is_plain_http = isinstance(check_endpoint_url(url, with_key=True), Failure)
    in_clear = any(fields.get(name) for name in service.secret_options()) and is_plain_http
    return numbers.map(lambda parsed: _make_settings(service, fields, access, parsed)).map(
        lambda facts: msgspec.structs.replace(facts, own_address=is_user_written, in_clear=in_clear)
    )


def service_numbers(name: str, settings: Settings) -> Result[dict[str, float], InvalidSetting]:
    """Return the prices and rate limits that the settings give a backend."""
    numbers: dict[str, float] = {}
    for number in NUMBER_OPTIONS:
        path = ("services", name, number)
        for inner in settings.entries.entries_below(path).values():
            return Failure(_invalid_setting(path, inner.origin, "must be a value, not a block"))
        if (entry := find_option_entry(name, number, (), settings)) is None:
            continue
        if isinstance(entry.value, list | tuple):
            return Failure(_invalid_setting(path, entry.origin, _NOT_A_LIST))
        try:
            numbers[number] = msgspec.convert("".join(entry.texts).strip(), _Number, strict=False)
        except msgspec.ValidationError:
            return Failure(_invalid_setting(path, entry.origin, "must be a number from 0 on"))
    return Success(numbers)


def check_service_names(settings: Settings, names: Sequence[str]) -> Result[None, InvalidSetting]:
    """Return an error for the first block below ``services`` without a service."""
    for path, entry in settings.entries.entries_below(("services",)).items():
        if path[0] not in names:
            reason = f"is not a service{_name_hint(path[0], names)}"
            return Failure(_invalid_setting(("services", path[0]), entry.origin, reason))
    return Success(None)


def setting_entry_texts(entry: Entry | None) -> tuple[str, ...]:
    """Return the texts of an entry without blank ones."""
    texts = () if entry is None else entry.texts
    return tuple(text.strip() for text in texts if text.strip())


def _given_options(service: Service, settings: Settings) -> dict[str, Entry]:
    """Return the entry of each option: the strongest that may be sent to the address."""
    address = service_address_origin(service, settings)
    entries = {
        option.name: next(
            (
                entry
                for entry in _option_entries(service.name, option.name, option.env, settings)
                if may_secret_meet_address(entry.origin, address)
            ),
            None,
        )
        for option in service.options
    }
    entries[BASE_URL_OPTION] = find_option_entry(
        service.name, BASE_URL_OPTION, service.address.env, settings
    )
    return {name: entry for name, entry in entries.items() if entry is not None}


def service_address_origin(service: Service, settings: Settings) -> Origin:
    """Return the origin of a service's address: set, described, or the official one."""
    address = find_option_entry(service.name, BASE_URL_OPTION, service.address.env, settings)
    if address is not None:
        return address.origin
    described = settings.entries.entries_below((_JSON_BLOCK, service.name)).values()
    return next((entry.origin for entry in described), DEFAULT_ORIGIN)


def _check_key_theft(service: Service, settings: Settings) -> InvalidSetting | None:
    """Return an error for a key or description that the address must not receive.

    Headers and parameters of a description may hold a key under any name.
    """
    address = service_address_origin(service, settings)
    described = settings.entries.entries_below((_JSON_BLOCK, service.name)).values()
    block = ("services", service.name)
    if address.foreign or not all(
        may_secret_meet_address(entry.origin, address) for entry in described
    ):
        return _invalid_setting((*block, BASE_URL_OPTION), address, UNTRUSTED_ADDRESS_REASON)
    for option in service.options:
        candidates = list(_option_entries(service.name, option.name, option.env, settings))
        if candidates and not any(
            may_secret_meet_address(entry.origin, address) for entry in candidates
        ):
            return _invalid_setting(
                (*block, option.name), candidates[0].origin, NOT_OFFICIAL_REASON
            )
    return None


def find_option_entry(
    service: str, name: str, env: tuple[str, ...], settings: Settings
) -> Entry | None:
    """Return the entry that sets an option of a service: a variable before the file."""
    return next(_option_entries(service, name, env, settings), None)


def _option_entries(
    service: str, name: str, env: tuple[str, ...], settings: Settings
) -> Iterator[Entry]:
    for variable in settings.variables.iter_values(option_variable(service, name), *env):
        if name == MULTI_VALUE_OPTION:
            texts = tuple(part for text in variable.texts for part in text.split(","))
            yield msgspec.structs.replace(variable, texts=texts)
        else:
            yield variable
    paths = (("services", service, name), (_JSON_BLOCK, service, name), (f"{service}_{name}",))
    yield from (entry for path in paths if (entry := settings.entries.get(path)))


def _make_settings(
    service: Service, entries: GivenEntries, access: Access, numbers: Mapping[str, float]
) -> ServiceSettings:
    options = service.options
    defaults = {option.name: (option.default,) if option.default else () for option in options}
    texts = {name: setting_entry_texts(entries.get(name)) or defaults[name] for name in defaults}
    values = {name: Secret(option_texts[0]) for name, option_texts in texts.items() if option_texts}
    keys = texts.get(MULTI_VALUE_OPTION, ())[1:]
    accesses = [values, *({**values, MULTI_VALUE_OPTION: Secret(key)} for key in keys)]
    return ServiceSettings(
        accesses=tuple(msgspec.structs.replace(access, values=fields) for fields in accesses),
        origins={
            name: entries[name].origin if name in entries else DEFAULT_ORIGIN
            for name in (*values, BASE_URL_OPTION)
        },
        numbers=numbers,
        missing=tuple(option for option in options if option.required and not texts[option.name]),
        malformed=tuple(
            option for option in options if not _is_option_value(option, texts[option.name])
        ),
    )


def _is_option_value(option: Option, texts: Sequence[str]) -> bool:
    # No key contains blanks or quotes: they were copied along.
    pattern = option.pattern or (r"[^\s\"']+" if option.name == MULTI_VALUE_OPTION else "(?s).*")
    return all(re.fullmatch(pattern, text) for text in texts)


def _check_address(
    service: Service, settings: Settings, entries: GivenEntries, url: str
) -> InvalidSetting | None:
    keys = [entries[name] for name in sorted(service.secret_options()) if name in entries]
    cause = entries.get(BASE_URL_OPTION) or next(iter(keys), None)
    if not url or cause is None:
        return None
    checked = plain_http_rule("services", service.name, settings).check(url, with_key=bool(keys))
    if isinstance(checked, Failure):
        if isinstance(error := checked.failure(), InvalidSetting):
            return error
        return _invalid_setting(
            ("services", service.name, BASE_URL_OPTION), cause.origin, error.reason
        )
    return None


def _check_option_names(service: Service, entries: Entries) -> InvalidSetting | None:
    names = [*(option.name for option in service.options), BASE_URL_OPTION, PLAIN_HTTP_OPTION]
    block = ("services", service.name)
    for path, entry in entries.entries_below(block).items():
        if path[0] not in names and path[0] not in NUMBER_OPTIONS:
            reason = f"is not an option of {service.name}{_name_hint(path[0], names)}"
            return _invalid_setting((*block, path[0]), entry.origin, reason)
        if len(path) > 1:
            return _invalid_setting((*block, path[0]), entry.origin, "must be a value, not a block")
    return None


def _check_single_settings(service: Service, entries: GivenEntries) -> InvalidSetting | None:
    for name, entry in entries.items():
        path, texts = ("services", service.name, name), setting_entry_texts(entry)
        items = entry.value if isinstance(entry.value, list | tuple) else None
        if not texts or any(isinstance(item, list | tuple | dict) for item in items or ()):
            return _invalid_setting(path, entry.origin, "must be a text")
        if items is not None and name != MULTI_VALUE_OPTION:
            return _invalid_setting(path, entry.origin, _NOT_A_LIST)
    return None


def _name_hint(name: str, names: Sequence[str]) -> str:
    near = nearest_name(name, names)
    return f"; {near} is" if near else f"; there are {', '.join(sorted(names))}"


def _invalid_setting(path: KeyPath, origin: Origin, reason: str) -> InvalidSetting:
    return InvalidSetting(setting=setting_path_text(path), place=str(origin), reason=reason)

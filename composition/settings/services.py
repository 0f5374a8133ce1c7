"""What the settings say to one service: its options, its keys, its address, with their origins."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...adapters.service.declaration import Option, Service
from ...adapters.service.operations import Access
from ...kernel.trust import NOT_OFFICIAL, UNTRUSTED_ADDRESS_REASON, Origin, may_meet_address
from ...kernel.urls.service_endpoints import check_endpoint
from ...ports.errors import InvalidSetting, InvalidUrl
from ...ports.secrets import Secret
from .entries import DEFAULT, Entries, Entry, KeyPath, setting_path_text
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


# What the settings say to one service: its options, its keys, its address, with their origins.

BASE_URL = "base_url"
_DESCRIBED = "json"
# The one option that may be a list: with several keys, the next is used when one has had enough.
MULTI_VALUE_OPTION = "api_key"
# What any service may be told: dollars for a call, calls a second, calls at once.
PRICES = ("price", "search_price", "extract_price")
NUMBERS = (*PRICES, "rate", "concurrency")
_Number: TypeAlias = Annotated[float, Meta(ge=0, le=1_000_000)]
Given: TypeAlias = Mapping[str, Entry]


class ServiceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a service is reached: one access for each key, and where each value came from.

    ``own_address`` says that the user wrote the address down, ``in_clear`` that a key goes to it
    over plain http. ``numbers`` are what a call costs and how often it may be made. ``missing`` are
    the required options that nobody gave, ``malformed`` those whose value does not look like one of
    theirs.
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
    """Return what ``service`` is told, or the setting that cannot be used."""
    fields = _given(service, settings)
    wrong = (
        _stranger(service, settings.entries) or _theft(service, settings) or _crowd(service, fields)
    )
    if wrong is not None:
        return Failure(wrong)
    address = fields.get(BASE_URL)
    url = service.address.base_url if address is None else entry_texts(address)[0].rstrip("/")
    refused = _refusal(service, settings, fields, url)
    if refused is not None:
        return Failure(refused)
    numbers = service_numbers(service.name, settings)
    access = Access(base_url=url, overridden=address is not None)
    own = address is not None and not address.origin.foreign
    in_clear = any(fields.get(name) for name in service.secret_options()) and _is_clear(url)
    return numbers.map(lambda known: _told(service, fields, access, known)).map(
        lambda facts: msgspec.structs.replace(facts, own_address=own, in_clear=in_clear)
    )


def service_numbers(name: str, settings: Settings) -> Result[dict[str, float], InvalidSetting]:
    """Return what the settings say that calls of a backend cost, and how often they may be made."""
    numbers: dict[str, float] = {}
    for number in NUMBERS:
        entry = _find(name, number, (), settings)
        if entry is None:
            continue
        try:
            numbers[number] = msgspec.convert(entry_texts(entry)[0], _Number, strict=False)
        except (msgspec.ValidationError, IndexError):
            reason = "must be a number from 0 on"
            return Failure(_misplaced(("services", name, number), entry.origin, reason))
    return Success(numbers)


def check_services(settings: Settings, names: Sequence[str]) -> Result[None, InvalidSetting]:
    """Find the first block below ``services`` that belongs to no service."""
    for path, entry in settings.entries.below(("services",)).items():
        if path[0] not in names:
            reason = f"is not a service{_hint(path[0], names)}"
            return Failure(_misplaced(("services", path[0]), entry.origin, reason))
    return Success(None)


def entry_texts(entry: Entry | None) -> tuple[str, ...]:
    """Return what an entry says, as texts; blank ones say nothing."""
    texts = () if entry is None else entry.texts
    return tuple(text.strip() for text in texts if text.strip())


def _given(service: Service, settings: Settings) -> dict[str, Entry]:
    """Return what was said, by option: of each the strongest that may meet the address."""
    meets = address_origin(service, settings)
    entries = {
        option.name: next(
            (
                entry
                for entry in _each(service.name, option.name, option.env, settings)
                if may_meet_address(entry.origin, meets)
            ),
            None,
        )
        for option in service.options
    }
    entries[BASE_URL] = _find(service.name, BASE_URL, service.address.env, settings)
    return {name: entry for name, entry in entries.items() if entry is not None}


def address_origin(service: Service, settings: Settings) -> Origin:
    """Return where a service's address came from: set for it, described, or its official one."""
    address = _find(service.name, BASE_URL, service.address.env, settings)
    if address is not None:
        return address.origin
    described = settings.entries.below((_DESCRIBED, service.name)).values()
    return next((entry.origin for entry in described), DEFAULT)


def _theft(service: Service, settings: Settings) -> InvalidSetting | None:
    """Find what the address of a service may not have: a key, or the description of a service.

    Its headers and parameters may hold a key under any name.
    """
    meets = address_origin(service, settings)
    described = settings.entries.below((_DESCRIBED, service.name)).values()
    if meets.foreign or not all(may_meet_address(entry.origin, meets) for entry in described):
        return _misplaced(("services", service.name, BASE_URL), meets, UNTRUSTED_ADDRESS_REASON)
    for option in service.options:
        every = list(_each(service.name, option.name, option.env, settings))
        if every and not any(may_meet_address(entry.origin, meets) for entry in every):
            return _misplaced(
                ("services", service.name, option.name), every[0].origin, NOT_OFFICIAL
            )
    return None


def _find(service: str, name: str, env: tuple[str, ...], settings: Settings) -> Entry | None:
    return next(_each(service, name, env, settings), None)


def _each(service: str, name: str, env: tuple[str, ...], settings: Settings) -> Iterator[Entry]:
    """Yield values: a variable of ours, one of the service's own, then the file."""
    ours = re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{service}_{name}".upper())
    for variable in settings.variables.each(ours, *env):
        yield _parted(variable) if name == MULTI_VALUE_OPTION else variable
    paths = (("services", service, name), (_DESCRIBED, service, name), (f"{service}_{name}",))
    yield from (entry for path in paths if (entry := settings.entries.get(path)))


def _parted(variable: Entry) -> Entry:
    """Return a variable as a list, which has its values between commas."""
    texts = tuple(part for text in variable.texts for part in text.split(","))
    return msgspec.structs.replace(variable, texts=texts)


def _told(
    service: Service, entries: Given, access: Access, numbers: Mapping[str, float]
) -> ServiceSettings:
    texts = {
        option.name: entry_texts(entries.get(option.name)) or _default(option)
        for option in service.options
    }
    values = {
        name: Secret(texts_of_option[0])
        for name, texts_of_option in texts.items()
        if texts_of_option
    }
    keys = texts.get(MULTI_VALUE_OPTION, ())[1:]
    accesses = [values, *({**values, MULTI_VALUE_OPTION: Secret(key)} for key in keys)]
    return ServiceSettings(
        accesses=tuple(msgspec.structs.replace(access, values=each) for each in accesses),
        origins={
            name: entries[name].origin if name in entries else DEFAULT
            for name in (*values, BASE_URL)
        },
        numbers=numbers,
        missing=tuple(each for each in service.options if each.required and not texts[each.name]),
        malformed=tuple(each for each in service.options if not _fits(each, texts[each.name])),
    )


def _default(option: Option) -> tuple[str, ...]:
    return (option.default,) if option.default else ()


def _fits(option: Option, texts: Sequence[str]) -> bool:
    # No key has blanks or quotes in it: they were copied along.
    pattern = option.pattern or (r"[^\s\"']+" if option.name == MULTI_VALUE_OPTION else "(?s).*")
    return all(re.fullmatch(pattern, text) for text in texts)


def _refusal(
    service: Service, settings: Settings, entries: Given, url: str
) -> InvalidSetting | None:
    """Say why a service cannot be called at ``url``; None when it can, or has no address yet."""
    keys = [entries[name] for name in sorted(service.secret_options()) if name in entries]
    address = entries.get(BASE_URL)
    blamed = address or next(iter(keys), None)
    if not url or blamed is None:
        return None
    checked = plain_http_rule("services", service.name, settings).check(url, with_key=bool(keys))
    if isinstance(checked, Failure):
        error = checked.failure()
        if isinstance(error, InvalidSetting):
            return error
        return _wrong(service, BASE_URL, blamed, error.reason)
    return None


def _is_clear(url: str) -> bool:
    return isinstance(check_endpoint(url, with_key=True), Failure)


def _stranger(service: Service, entries: Entries) -> InvalidSetting | None:
    names = [*(option.name for option in service.options), BASE_URL, PLAIN_HTTP]
    block = ("services", service.name)
    for path, entry in entries.below(block).items():
        if path[0] not in names and path[0] not in NUMBERS:
            reason = f"is not an option of {service.name}{_hint(path[0], names)}"
            return _misplaced((*block, path[0]), entry.origin, reason)
        if len(path) > 1:
            return _misplaced((*block, path[0]), entry.origin, "must be a value, not a block")
    return None


def _crowd(service: Service, entries: Given) -> InvalidSetting | None:
    for name, entry in entries.items():
        if not entry_texts(entry) or _is_nested(entry.value):
            return _wrong(service, name, entry, "must be a text")
        if len(entry_texts(entry)) > 1 and name != MULTI_VALUE_OPTION:
            return _wrong(service, name, entry, "must be one value, not a list")
    return None


def _is_nested(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, list | dict) for item in value)


def _hint(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, 1)
    return f"; {close[0]} is" if close else f"; there are {', '.join(sorted(names))}"


def _wrong(service: Service, name: str, entry: Entry, reason: str) -> InvalidSetting:
    return _misplaced(("services", service.name, name), entry.origin, reason)


def _misplaced(path: KeyPath, origin: Origin, reason: str) -> InvalidSetting:
    return InvalidSetting(setting=setting_path_text(path), place=str(origin), reason=reason)

"""The declaration of a web service: data and pure functions, no I/O."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from webseam.ports.backends import Abilities, FilterName
from webseam.ports.errors import NotConfigured, WebError

from ..values.urls import split_base_url, url_path
from .calls import Access, Reply
from .operations import ExtractOperation, SearchOperation

Scope: TypeAlias = Literal["web", "special"]
Capability: TypeAlias = Literal["search", "extract"]


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One setting of a service: a key, an engine's id, a mail address.

    ``name`` is its key in the service's settings block. ``env`` lists environment variables; the
    first that is set counts. ``pattern`` is a regular expression for a well-formed value.
    """

    name: str
    title: str
    env: tuple[str, ...] = ()
    secret: bool = False
    required: bool = True
    default: str = ""
    pattern: str = ""
    help: str = ""


def api_key(*env: str, required: bool = True, pattern: str = "", help: str = "") -> Option:  # noqa: A002  its name in Option
    """Declare the key that nearly every service has."""
    return Option(
        name="api_key",
        title="API key",
        env=env,
        secret=True,
        required=required,
        pattern=pattern,
        help=help,
    )


def find_no_cost(_reply: Reply) -> float | None:
    """Return None: for services whose replies state no cost."""
    return None


class ServiceAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a service answers.

    The user must set an empty ``base_url``; ``env`` lists the variables for it. ``endpoints`` are
    the service's paths: a user may give an address that ends with one of them.
    """

    base_url: str = ""
    env: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """The list price in dollars for one search and for one page; its page, and the day of reading.

    A search includes ``included`` rows; each further ``block`` of rows costs ``more``. A filter in
    ``dearer`` multiplies the price. ``cost`` reads the cost that a reply states.
    """

    search: float | None = None
    extract: float | None = None
    page: str
    read: str
    included: int | None = None
    more: float = 0.0
    block: int = 1
    dearer: Mapping[FilterName, float] = {}
    cost: Callable[[Reply], float | None] = find_no_cost


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """The terms on which webseam chooses a service that the user did not name.

    ``keyless`` lists the capabilities that need no required option. A service of ``scope`` special
    does not search the whole web, and is used by name only. ``rank`` orders the others: lower
    first. ``rate`` is how many calls a second the service allows one key.
    """

    keyless: tuple[Capability, ...] = ()
    scope: Scope = "web"
    rank: int = 500
    price: Price | None = None
    rate: float | None = None


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A web service; an operation that it does not have is None.

    ``classify`` gets every reply first and returns the failure that this service hides in it, such
    as an error object inside a 200, or used-up credits behind a 429. None leaves the reply to the
    status and the decoder. ``aliases`` are its names in other programs' settings. ``preset``
    describes its API as settings for a JSON service, for servers that only resemble it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str = ""
    site: str = ""
    note: str = ""
    address: ServiceAddress = ServiceAddress()
    options: tuple[Option, ...] = ()
    offer: Offer = Offer()
    abilities: Abilities = Abilities()
    classify: Callable[[Reply], WebError | None] = lambda _reply: None
    preset: Mapping[str, object] = {}
    search: SearchOperation | None = None
    extract: ExtractOperation | None = None

    def missing_address_error(self) -> NotConfigured:
        """Return the error that asks the user for the service's address."""
        setting = (*self.address.env, f"WEBSEAM_{self.name.upper()}_BASE_URL")[0]
        reason = f"{self.title} has no address"
        return NotConfigured(settings=(setting,), reason=reason, backend=self.name)

    def missing_option_error(self, option: Option) -> NotConfigured:
        """Return the error that asks the user for a required option, such as the key."""
        setting = (*option.env, f"services.{self.name}.{option.name}")[0]
        reason = f"{self.title} has no {option.title}"
        return NotConfigured(settings=(setting,), reason=reason, backend=self.name)

    def secret_options(self) -> frozenset[str]:
        """Return the names of the options whose values must never be shown."""
        return frozenset(option.name for option in self.options if option.secret)


def resolve_access(access: Access, service: Service) -> Access:
    """Return an access whose base URL is the root of the address that the user gave.

    The user may give any endpoint. The service's own address does not count as overridden.
    """
    if not access.overridden:
        return access
    root = _strip_endpoint(access.base_url, service.address.endpoints)
    return msgspec.structs.replace(
        access,
        base_url=root,
        overridden=_url_site(root) != _url_site(service.address.base_url),
    )


def _strip_endpoint(base: str, endpoints: Sequence[str]) -> str:
    """Return an address without the endpoint that it ends with, if any.

    >>> _strip_endpoint("https://a.example/proxy/v1/news?team=1", ("/v1/web", "/v1/news"))
    'https://a.example/proxy?team=1'
    """
    address, mark, query = split_base_url(base)
    for endpoint in sorted(endpoints, key=len, reverse=True):
        if url_path(address).endswith(endpoint):
            return address.removesuffix(endpoint) + mark + query
    return base


def _url_site(base: str) -> str:
    scheme, _, rest = split_base_url(base)[0].lower().partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"

"""The declaration of a web service: data and pure functions, no I/O."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import urlencode

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import Abilities, FilterName
from ...ports.errors import InvalidQuery, NotConfigured, WebError
from ..http.body import ACCEPT_ENCODING
from ..http.error_mapping import network_error
from ..http.request_writing import RequestHead, WrittenRequest, write_http_head
from ..values.urls import join_path, split_base_url, url_path
from .operations import Access, ExtractOperation, Reply, SearchOperation, ServiceCall

Scope: TypeAlias = Literal["web", "special"]
Capability: TypeAlias = Literal["search", "extract"]
_Pairs: TypeAlias = tuple[tuple[str, str], ...]


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


def find_no_service_error(_reply: Reply) -> WebError | None:
    """Return None: for services whose failures all show in their status."""
    return None


def find_no_service_cost(_reply: Reply) -> float | None:
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
    cost: Callable[[Reply], float | None] = find_no_service_cost


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
    classify: Callable[[Reply], WebError | None] = find_no_service_error
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
    root = _strip_service_endpoint(access.base_url, service.address.endpoints)
    return msgspec.structs.replace(
        access,
        base_url=root,
        overridden=_service_url_site(root) != _service_url_site(service.address.base_url),
    )


def _strip_service_endpoint(base: str, endpoints: Sequence[str]) -> str:
    """Return an address without the endpoint that it ends with, if any.

    >>> _strip_service_endpoint("https://a.example/proxy/v1/news?team=1", ("/v1/web", "/v1/news"))
    'https://a.example/proxy?team=1'
    """
    address, mark, query = split_base_url(base)
    for endpoint in sorted(endpoints, key=len, reverse=True):
        if url_path(address).endswith(endpoint):
            return address.removesuffix(endpoint) + mark + query
    return base


def _service_url_site(base: str) -> str:
    scheme, _, rest = split_base_url(base)[0].lower().partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


_DEFAULT_HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", ACCEPT_ENCODING),
    ("user-agent", "webseam"),
)
_MAX_CACHED_HEADS = 64


class RequestWriter:
    """Writes the requests of one service, and caches the heads that it uses often."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._cached_head = functools.lru_cache(_MAX_CACHED_HEADS)(_service_call_head)

    def write(self, call: ServiceCall, access: Access) -> Result[WrittenRequest, WebError]:
        """Return the request, or an error if a part of it cannot be sent."""
        try:
            content, kind = _service_call_content(call)
            origin = access.base_url if access.overridden or not call.base else call.base
            # Parameters make a different URL each time, so caching would not help.
            write_head = _service_call_head if call.parameters else self._cached_head
            headers = (*call.headers, ("content-type", kind)) if kind else call.headers
            head = write_head(call.method, origin, call.path, call.parameters, headers)
        except httpx.HTTPError as error:
            return Failure(network_error(error, ""))
        except (UnicodeError, httpx.InvalidURL):
            return Failure(InvalidQuery(field="query", reason="cannot be written as a request"))
        if head is None:
            reason = "The key has characters that no header can carry"
            return Failure(NotConfigured(reason=reason))
        return Success(WrittenRequest(head, content))


def _service_call_content(call: ServiceCall) -> tuple[bytes, str]:
    if call.body is not None:
        return msgspec.json.encode(call.body), "application/json"
    if call.form is not None:
        return urlencode(call.form).encode(), "application/x-www-form-urlencoded"
    return b"", ""


def _service_call_head(
    method: str, origin: str, path: str, parameters: _Pairs, headers: _Pairs
) -> RequestHead | None:
    """Return the request head for a call; None when a header cannot be sent."""
    if not all(value.isascii() and value.isprintable() for _, value in headers):
        return None
    url = httpx.URL(join_path(origin, path))
    if parameters:
        url = url.copy_merge_params(parameters)
    # Every header except the length, so that httpx has none to add.
    call_names = {name for name, _ in headers}
    defaults = [header for header in _DEFAULT_HEADERS if header[0] not in call_names]
    host = ("host", url.netloc.decode("ascii"))
    return write_http_head(method, url, [host, *defaults, *headers])

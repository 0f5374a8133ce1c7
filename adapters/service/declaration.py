"""What a web service is: data and pure functions. No file of this kind does any I/O."""

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
from ..http.request_writing import RequestHead, WrittenRequest, write_request_head
from ..values.urls import join_path, split_base_url, url_path
from .operations import Access, ExtractOperation, Reply, SearchOperation, ServiceCall

Scope: TypeAlias = Literal["web", "special"]
Capability: TypeAlias = Literal["search", "extract"]


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a service wants to be told: a key, an engine's id, a mail address.

    ``name`` is its key in the service's block of the settings, ``env`` where else it is looked
    for, the first that is set counts. ``pattern`` is what a well-formed value looks like.
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


def find_no_error(_reply: Reply) -> WebError | None:
    """Find nothing: for services whose failures all show in their status."""
    return None


def find_no_cost(_reply: Reply) -> float | None:
    """Find no cost: for services whose replies name none."""
    return None


class ServiceAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a service answers.

    An empty ``base_url`` must be set by the user, whose own names for it stand in ``env``.
    ``endpoints`` are the paths that it answers at, where there are several: an address that ends
    with one of them means the service.
    """

    base_url: str = ""
    env: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """The list price: the dollars for one search and for one page; where that was read, and when.

    ``included`` rows come with a search, each ``block`` of the others costs ``more``. A filter in
    ``dearer`` multiplies the price. ``cost`` finds what a reply itself says that it cost.
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
    """On which terms a service is used when nobody named it.

    ``keyless`` lists what works without any required option. A service of ``scope`` special does
    not search the whole web, and is only used by name. ``rank`` orders the others: lower first.
    ``price`` is the list price, ``rate`` how many calls a second the service takes from one key.
    """

    keyless: tuple[Capability, ...] = ()
    scope: Scope = "web"
    rank: int = 500
    price: Price | None = None
    rate: float | None = None


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A web service; an operation that it does not have is None.

    ``classify`` sees every reply first and names the failure that this service hides in it, such
    as an error object inside a 200, or credits that are gone behind a 429. None leaves the reply
    to the status and the decoder. ``aliases`` are what else it is called in settings that were
    written for others. ``preset`` is its shape in the words of a JSON service that settings
    describe, for what is not quite an instance.
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
    classify: Callable[[Reply], WebError | None] = find_no_error
    preset: Mapping[str, object] = {}
    search: SearchOperation | None = None
    extract: ExtractOperation | None = None

    def without_address(self) -> NotConfigured:
        """Say that the user must name the address."""
        setting = (*self.address.env, f"WEBSEAM_{self.name.upper()}_BASE_URL")[0]
        reason = f"{self.title} has no address"
        return NotConfigured(settings=(setting,), reason=reason, backend=self.name)

    def without(self, option: Option) -> NotConfigured:
        """Say that the user must set a required option, such as the key."""
        setting = (*option.env, f"services.{self.name}.{option.name}")[0]
        reason = f"{self.title} has no {option.title}"
        return NotConfigured(settings=(setting,), reason=reason, backend=self.name)

    def secrets(self) -> frozenset[str]:
        """Name the options whose values must never be shown."""
        return frozenset(option.name for option in self.options if option.secret)


# A service's call as a request: where it goes, what it carries, and whether it can be sent.


def resolve_access(access: Access, service: Service) -> Access:
    """Return an access at the root of what the user named, which may be any endpoint.

    The address that the service has anyway is no other one.
    """
    if not access.overridden:
        return access
    root = _strip_endpoint(access.base_url, service.address.endpoints)
    return msgspec.structs.replace(
        access,
        base_url=root,
        overridden=_base_url_site(root) != _base_url_site(service.address.base_url),
    )


def _strip_endpoint(base: str, endpoints: Sequence[str]) -> str:
    """Return an address without the endpoint that it ends with, if it does.

    >>> _strip_endpoint("https://a.example/proxy/v1/news?team=1", ("/v1/search", "/v1/news"))
    'https://a.example/proxy?team=1'
    """
    place, question, query = split_base_url(base)
    for endpoint in sorted(endpoints, key=len, reverse=True):
        if url_path(place).endswith(endpoint):
            return place.removesuffix(endpoint) + question + query
    return base


def _base_url_site(base: str) -> str:
    scheme, _, rest = split_base_url(base)[0].lower().partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


_DEFAULT_HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", ACCEPT_ENCODING),
    ("user-agent", "webseam"),
)
_MAX_CACHED_HEADS = 64


class RequestWriter:
    """Writes the requests of one service, and keeps the letterheads that it uses often."""

    def __init__(self) -> None:
        """Begin with an empty drawer."""
        self._kept: dict[tuple[object, ...], RequestHead] = {}

    def write(self, call: ServiceCall, access: Access) -> Result[WrittenRequest, WebError]:
        """Write the request, or say what in it cannot be sent. The JSON is msgspec's."""
        try:
            content, kind = _call_content(call)
            head = self._head(call, access, kind)
        except httpx.HTTPError as error:
            return Failure(network_error(error, ""))
        except (UnicodeError, httpx.InvalidURL):
            return Failure(InvalidQuery(field="query", reason="cannot be written as a request"))
        if head is None:
            reason = "The key has characters that no header can carry"
            return Failure(NotConfigured(reason=reason))
        return Success(WrittenRequest(head, content))

    def _head(self, call: ServiceCall, access: Access, kind: str) -> RequestHead | None:
        """Return the letterhead for a call; None when one of its headers cannot be sent."""
        origin = access.base_url if access.overridden or not call.base else call.base
        # With parameters the address is another one each time.
        if call.parameters:
            return _call_head(call, origin, kind)
        key = (call.method, origin, call.path, call.headers, kind)
        head = self._kept.get(key) or _call_head(call, origin, kind)
        if head is not None and key not in self._kept:
            if len(self._kept) >= _MAX_CACHED_HEADS:
                self._kept.clear()
            self._kept[key] = head
        return head


def _call_content(call: ServiceCall) -> tuple[bytes, str]:
    if call.body is not None:
        return msgspec.json.encode(call.body), "application/json"
    if call.form is not None:
        return urlencode(call.form).encode(), "application/x-www-form-urlencoded"
    return b"", ""


def _call_head(call: ServiceCall, origin: str, kind: str) -> RequestHead | None:
    if not all(value.isascii() and value.isprintable() for _, value in call.headers):
        return None
    url = httpx.URL(join_path(origin, call.path))
    if call.parameters:
        url = url.copy_merge_params(call.parameters)
    return write_request_head(call.method, url, _call_headers(call, url, kind))


def _call_headers(call: ServiceCall, url: httpx.URL, kind: str) -> list[tuple[str, str]]:
    """Return every header but the length: all are ours, so that httpx has none to work out."""
    own = {name for name, _ in call.headers}
    ours = [line for line in _DEFAULT_HEADERS if line[0] not in own]
    host = ("host", url.netloc.decode("ascii"))
    return [host, *ours, *call.headers, *([("content-type", kind)] if kind else [])]

"""What a web service is: data and pure functions. No file of this kind does any I/O."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import msgspec

from ...ports.backends import Abilities, FilterName
from ...ports.errors import NotConfigured, WebError
from .operations import ExtractOperation, Reply, SearchOperation

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

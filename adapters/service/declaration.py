"""What a web service is: data and pure functions. No file of this kind does any I/O."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import msgspec

from ...ports.backends import Abilities, FilterName, Support
from ...ports.errors import WebError
from ...ports.web import WebSearchQuery
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


def no_trouble(_reply: Reply) -> WebError | None:
    """Find nothing: for services whose failures all show in their status."""
    return None


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A web service; an operation that it does not have is None.

    ``classify`` sees every reply first and names the failure that this service hides in it, such
    as an error object inside a 200, or credits that are gone behind a 429. None leaves the reply
    to the status and the decoder. An empty ``base_url`` must be set by the user, whose own names
    for it stand in ``base_url_env``. ``keyless`` lists what works without any required option.
    ``rank`` orders what is chosen when nothing was: lower first. A service of ``scope`` special
    does not search the whole web, and is only used by name. ``aliases`` are what else it is called
    in settings that were written for others. ``endpoints`` are the paths that it answers at, where
    there are several: an address that ends with one of them means the service. ``preset`` is its
    shape in the words of a JSON service that settings describe, for what is not quite an instance.
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str = ""
    site: str = ""
    note: str = ""
    base_url: str = ""
    base_url_env: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    keyless: tuple[Capability, ...] = ()
    scope: Scope = "web"
    rank: int = 500
    max_results: int | None = None
    max_query_characters: int | None = None
    filters: Mapping[FilterName, Support] = {}
    depending: Callable[[WebSearchQuery], Mapping[FilterName, Support]] | None = None
    classify: Callable[[Reply], WebError | None] = no_trouble
    preset: Mapping[str, object] = {}
    search: SearchOperation | None = None
    extract: ExtractOperation | None = None

    def abilities(self) -> Abilities:
        """Return what the kernel must know to ask only for what can be done."""
        return Abilities(
            max_results=self.max_results,
            max_query_characters=self.max_query_characters,
            filters=self.filters,
            depending=self.depending,
        )

    def secrets(self) -> frozenset[str]:
        """Name the options whose values must never be shown."""
        return frozenset(option.name for option in self.options if option.secret)

"""What a service does: calls and replies, and how each operation is written and read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from returns.result import Result

from ...ports.backends import UntrustedRow
from ...ports.errors import WebError
from ...ports.secrets import Secret
from ...ports.web import SearchAnswer, WebSearchQuery

Method: TypeAlias = Literal["GET", "POST"]
Format: TypeAlias = Literal["json", "text"]


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Where a service is, and what it was told about its caller. Secrets never show in a repr.

    ``overridden`` is set when the user named the address: then every call goes there.
    """

    base_url: str = ""
    overridden: bool = False
    values: Mapping[str, Secret] = {}

    def value(self, name: str) -> str:
        """Return an option's value, or nothing when it is not set."""
        secret = self.values.get(name)
        return secret.reveal() if secret is not None else ""

    @property
    def key(self) -> str:
        """The API key, or nothing."""
        return self.value("api_key")


class ServiceCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One HTTP request. ``path`` stands behind the service's base URL.

    A beginning of the path that the base URL ends with is not repeated, so that both may have the
    version, and a user's address may have it or not. ``base`` is for what the service answers at
    another address of its own; an address that the user named wins over it. At most one of
    ``body``, which is sent as JSON, and ``form``.
    """

    method: Method = "POST"
    path: str = ""
    base: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | Sequence[object] | None = None
    form: tuple[tuple[str, str], ...] | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What came back. ``payload`` is any JSON value, or None; ``text`` is for what is no JSON.

    ``origin`` is where it came from: scheme, host and port. ``page`` says which page of a search it
    is, from 0, to those services to which that matters. ``earlier`` are the replies of a job before
    this one.
    """

    status: int
    payload: object = None
    text: str = ""
    page: int = 0
    headers: Mapping[str, str] = {}
    origin: str = ""
    earlier: "tuple[Reply, ...]" = ()


class SearchAsk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One page of a search: how many rows to ask for, and from where on.

    ``count`` is None when the caller set no limit: the service's own default then holds.
    ``page`` and ``offset`` count from 0, pages and rows; ``token`` is what the last page gave.
    """

    query: WebSearchQuery
    access: Access = Access()
    count: int | None = None
    page: int = 0
    offset: int = 0
    token: str = ""


class Paging(msgspec.Struct, frozen=True, kw_only=True):
    """How a service goes on: rows per page, how many pages, and the token if it gives one.

    ``full`` says that a page with fewer rows than were asked for is the last one. A service with
    ``token`` has no further page when that returns nothing.
    """

    size: int
    most: int
    full: bool = True
    token: Callable[[Reply], str] | None = None


def never_empty(_reply: Reply) -> bool:
    """Tell that a reply is not empty: for services that answer nothing found with no rows."""
    return False


class SearchOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service searches. ``decode`` takes any reply, invents nothing and never raises.

    ``empty`` tells the refusals by which a service says that nothing was found.
    """

    encode: Callable[[SearchAsk], ServiceCall]
    decode: Callable[[Reply], Result[Sequence[UntrustedRow | SearchAnswer], WebError]]
    empty: Callable[[Reply], bool] = never_empty
    paging: Paging | None = None
    format: Format = "json"


class ExtractAsk(msgspec.Struct, frozen=True, kw_only=True):
    """The pages to read in one call: never more than the operation's ``batch``."""

    urls: tuple[str, ...]
    access: Access = Access()


class PageFailed(msgspec.Struct, frozen=True, kw_only=True):
    """What a service says of one page that it could not read, in a reply that is a success."""

    url: str
    error: WebError


Decoded: TypeAlias = Result[Sequence[UntrustedRow | PageFailed], WebError]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The next call of a job, and how many seconds to wait before it."""

    call: ServiceCall
    wait: float = 0.0


class ServiceJob(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads many pages as one job, which it is asked after until it is done.

    ``follow`` is shown the newest reply, which knows the earlier ones, and returns None when they
    are the answer. ``batch`` is how many pages one job has at most.
    """

    encode: Callable[[ExtractAsk], ServiceCall]
    follow: Callable[[ExtractAsk, Reply], Step | None]
    decode: Callable[[Reply, tuple[str, ...]], Decoded]
    batch: int


class ExtractOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads pages. ``decode`` is also told which ones were asked for.

    Each document says its ``url`` as it was asked for; pages are matched by that, never by place.
    A service that only knows pages of its own tells them by ``reads``. Several pages are a ``job``
    where there are jobs, and a key for them.
    """

    encode: Callable[[ExtractAsk], ServiceCall]
    decode: Callable[[Reply, tuple[str, ...]], Decoded]
    batch: int = 1
    format: Format = "json"
    reads: Callable[[str], bool] | None = None
    job: ServiceJob | None = None

    @property
    def at_once(self) -> int:
        """How many pages it reads at once, as a job if it has jobs."""
        return self.batch if self.job is None else self.job.batch

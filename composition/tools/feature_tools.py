"""The tools that features add to search, extract and more."""

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from returns.result import Result

from webseam.kernel.deps import WebDeps
from webseam.ports.backends import Closeable
from webseam.ports.errors import WebError

from ..feature_table import SharedPart, load_each
from ..session import Session
from ..settings.schema import Settings
from ..wiring.backend_rows import Root
from .batch import Documents
from .web_tools import Tool


class ToolParts(NamedTuple):
    """The parts for building a tool; a tool appends its open resources to ``opened``.

    ``html_pages`` reads pages whose HTML it keeps.
    """

    root: Root
    session: Session
    search: Result[WebDeps, WebError]
    pages: Result[WebDeps, WebError]
    html_pages: Result[WebDeps, WebError]
    documents: Documents
    opened: list[Closeable]


class ToolSource(NamedTuple):
    """A tool that a feature adds.

    ``is_ready`` tells whether the settings are enough to offer it; None if they are needed for
    nothing. ``open`` returns the tool; an unusable one returns an error when it is called.
    """

    name: str
    is_ready: Callable[[Settings], Awaitable[bool]] | None
    open: Callable[[ToolParts], Tool]


TOOLS = SharedPart[ToolSource]("tool")


def feature_tools() -> Iterator[ToolSource]:
    """Yield the tools of the features."""
    yield from load_each(TOOLS)

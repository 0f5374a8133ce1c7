"""The settings, and everything that was read or chosen beside them at the start."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from returns.result import Result, Success

from webseam.kernel.planner.money import SpendingAllowance
from webseam.ports.errors import WebError

from ..session import Session
from .file_locations import FileLocations
from .schema import Settings

if TYPE_CHECKING:
    import httpx

    from ..planning.spending import ClientBudget

OpenSession: TypeAlias = Callable[[], Result[Session, WebError]]


class SettingsRoot(msgspec.Struct, frozen=True, kw_only=True):
    """All that a model or a plugin is opened from, without the checks of ``read_root``.

    ``files`` holds the environment. ``transport`` replaces the default transport. ``session`` opens
    the plugins around model calls. ``allowance`` limits the spending of one of several users,
    ``client_budget`` that of one client.
    """

    settings: Settings
    files: FileLocations = FileLocations()
    transport: "httpx.AsyncBaseTransport | None" = None
    clock: Callable[[], float] = time.time
    session: OpenSession = lambda: Success(Session())
    allowance: SpendingAllowance | None = None
    client_budget: "ClientBudget | None" = None

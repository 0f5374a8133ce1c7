"""What a search of X is given to work with."""

from collections.abc import Callable
from datetime import date

import msgspec

from ...ports.x_search import CheckSchema, XSearchBackend


class XSearchDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, today's date (UTC), and how a value is held against a schema.

    Without ``check_schema`` nothing is, and ``schema_valid`` is None.
    """

    backend: XSearchBackend
    today: Callable[[], date]
    check_schema: CheckSchema | None = None

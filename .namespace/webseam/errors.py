"""Every way a call can fail, to match on: one closed union of values, ``WebError``.

``WebseamError`` is the exception that carries one, for those who would rather catch than match.
"""

from typing import TYPE_CHECKING

from .composition.doors.client.results import WebseamError as WebseamError  # noqa: PLC0414  type checkers see it as exported
from .ports import errors
from .ports.errors import *  # noqa: F403  all of them, as they are listed there

if not TYPE_CHECKING:
    __all__ = ["WebseamError"]
    __all__ += errors.__all__

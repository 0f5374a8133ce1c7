"""The command line as the tests of the index call it."""

from collections.abc import Callable
from typing import TypeAlias

from tests.doors.cli.run import Ran

Command: TypeAlias = Callable[..., Ran]

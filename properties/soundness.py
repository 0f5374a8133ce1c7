"""What every failure must be."""

from typing import get_args

import msgspec
from returns.result import Failure, Result

from webseam.ports import WebError

KINDS = get_args(WebError)


def assert_sound(result: Result[object, WebError]) -> None:
    """A failure is a member of the union that can be shown and sent."""
    if isinstance(result, Failure):
        error = result.failure()
        assert type(error) in KINDS
        assert error.message.strip()
        assert msgspec.json.decode(msgspec.json.encode(error), type=WebError) == error

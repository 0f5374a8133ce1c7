"""What code that is not ours may raise."""

import asyncio
from collections.abc import Callable

from hypothesis import strategies as st

from .evil import SecretiveError


def exceptions() -> st.SearchStrategy[Exception]:
    """Give exceptions of many kinds, some with a key in their text, some that cannot be shown."""
    return st.sampled_from(_KINDS).map(lambda make: make())


_KINDS: tuple[Callable[[], Exception], ...] = (
    lambda: ValueError("bad key sk-0123456789abcdef0123"),
    lambda: KeyError("url"),
    lambda: OSError(5, "Input/output error"),
    RecursionError,
    MemoryError,
    TimeoutError,
    StopIteration,
    StopAsyncIteration,
    asyncio.InvalidStateError,
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: ExceptionGroup("two", [ValueError("one"), OSError("other")]),
    SecretiveError,
    lambda: AssertionError("not what was expected"),
    type("X" * 5000, (Exception,), {}),
)

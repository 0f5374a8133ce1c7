"""One process at a time writes to a folder; the lock ends with the process, whatever it died of.

The folder itself is locked, so nothing is left in it. Where that cannot be had (Windows, some
network drives), nobody is kept out.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# Whoever only looks at it holds a lock for an instant.
_ATTEMPTS: Final = 10
_PAUSE_SECONDS: Final = 0.02


@contextmanager
def sole_owner(folder: Path) -> Iterator[bool]:
    """Own a folder for as long as it lasts; False when another does."""
    if os.name == "nt":
        yield True
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield True
        return
    try:
        yield _is_locked(handle)
    finally:
        os.close(handle)


def is_owned(folder: Path) -> bool | None:
    """Tell whether some process owns a folder; None where that cannot be known."""
    if os.name == "nt":
        return None
    with sole_owner(folder) as is_free:
        return not is_free


def _is_locked(handle: int) -> bool:
    import fcntl  # noqa: PLC0415  not on Windows

    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        except OSError:
            # It knows no locks.
            return True
        return True
    return False

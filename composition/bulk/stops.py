"""What stops a run: a disk, a source, a node. All that is written by then is whole."""

from __future__ import annotations

import errno

from ...ports.errors import StoreFailed, WebError
from ...ports.errors.stores import StoreProblem


def store_error(error: OSError) -> WebError:
    """Return what stopped a run: all that is written so far is whole."""
    reason = (error.strerror or str(error) or "it cannot be written").rstrip(".")
    problem: StoreProblem = "full" if error.errno == errno.ENOSPC else "unreachable"
    words = f"{reason}; what is written so far is whole, and the same command goes on"
    return StoreFailed(store="the run", reason=words, problem=problem)

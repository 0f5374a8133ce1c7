"""The command ``webseam`` as a program: what only a process of its own, that soon ends, may do."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import gc
import sys

# A command makes little garbage; collections would run mostly while modules load.
_GC_THRESHOLD_OBJECTS = 100_000


def main() -> int:
    """Run the command line; return its exit code."""
    # Keep httpx from loading its command line: click, rich and pygments (6 MB, 0.1 s).
    # None makes the import fail (docs.python.org, sys.modules, read 2026-11-15).
    sys.modules["httpx._main"] = None  # type: ignore[assignment]  # typeshed has modules alone
    if sys.argv[1:] == ["mcp"]:
        # A client waits for the first answer, so do not load the command line.
        from ..mcp.stdio import serve_mcp_stdio

        return serve_mcp_stdio()
    gc.set_threshold(_GC_THRESHOLD_OBJECTS)
    from . import main as run  # from here on the line above helps

    try:
        return run()
    finally:
        # Skip the full collection that Python runs at exit.
        gc.freeze()

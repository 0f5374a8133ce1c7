"""The command ``webseam`` as a program: what only a process of its own, that soon ends, may do."""

import gc
import sys

# A command makes little garbage, and Python looks for it mostly while modules are loaded.
_GC_THRESHOLD_OBJECTS = 100_000


def main() -> int:
    """Run the command line; return its exit code."""
    _skip_httpx_command_line()
    if sys.argv[1:] == ["mcp"]:
        # A client waits for the first answer of a server: nothing of the command line is loaded.
        from ..mcp.stdio import serve  # noqa: PLC0415

        return serve()
    gc.set_threshold(_GC_THRESHOLD_OBJECTS)
    from . import main as run  # noqa: PLC0415  from here on the line above helps

    try:
        return run()
    finally:
        # Otherwise Python looks through all that is there once more, just to throw it away.
        gc.freeze()


def _skip_httpx_command_line() -> None:
    """Have httpx not load its own command line, which brings click, rich and pygments along.

    They are 6 MB and a tenth of a second that only a person who calls ``httpx`` would miss.
    """
    # None stands for a module that there is not (docs.python.org, sys.modules, read 2026-11-15).
    sys.modules["httpx._main"] = None  # type: ignore[assignment]  # typeshed has modules alone

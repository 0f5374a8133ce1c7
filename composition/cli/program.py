"""The command ``webseam`` as a program: what only a process of its own, that soon ends, may do."""

import gc

# A command makes little garbage, and Python looks for it mostly while modules are loaded.
_RARELY = 100_000


def main() -> int:
    """Run the command line; return its exit code."""
    gc.set_threshold(_RARELY)
    from . import main as run  # noqa: PLC0415  from here on the line above helps

    try:
        return run()
    finally:
        # Otherwise Python looks through all that is there once more, just to throw it away.
        gc.freeze()

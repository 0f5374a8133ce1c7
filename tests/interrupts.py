"""Programs that can be interrupted, also when the tests themselves run in the background.

A shell has its background jobs ignore SIGINT, and children inherit that; these do not.
"""

import sys

_CODE = (
    "import runpy, signal, sys;"
    "signal.signal(signal.SIGINT, signal.default_int_handler);"
    "sys.argv = sys.argv[1:];"
    "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def interruptible(module: str, *arguments: str) -> list[str]:
    """Return the command that runs ``python -m module`` and heeds an interrupt."""
    return [sys.executable, "-c", _CODE, module, *arguments]

"""Run ``webseam`` with what Windows does not have taken out of Python: a program of its own.

``os.name`` stays: ``pathlib`` would make paths of another system. The sources ask ``sys.platform``.
"""

import asyncio.unix_events
import ctypes
import os
import signal
import subprocess
import sys

import httpx
import platformdirs

# What the libraries load by platform is loaded as what this machine is.
_LOADED = (asyncio.unix_events, ctypes, httpx, platformdirs, subprocess)
_MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
_OF_OS = (
    "fork",
    "geteuid",
    "getuid",
    "forkpty",
    "killpg",
    "nice",
    "register_at_fork",
    "sched_getaffinity",
    "uname",
)
_OF_SIGNAL = ("SIGALRM", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2", "setitimer")


def _take_out() -> None:
    for name in _MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # which makes its import fail
    for module, names in ((os, _OF_OS), (signal, _OF_SIGNAL)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    sys.platform = "win32"


def main() -> int:
    """Import every command, or run one."""
    _take_out()
    from webseam.composition.doors.cli import find_commands, main as run  # noqa: PLC0415  not before

    if sys.argv[1:] != ["every-command"]:
        return run(sys.argv[1:])
    for module in find_commands().values():
        __import__(module)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

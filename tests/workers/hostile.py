"""A converter that does to its worker what the body says."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import NoReturn

from returns.result import Failure, Result, Success

from webseam.ports.errors import UnsupportedContent, WebError
from webseam.ports.pages import ReadPage

CONVERTER = f"{__name__}:convert"
_held: list[bytes] = []


def convert(body: bytes, content_type: str, url: str) -> Result[ReadPage, WebError]:
    deed = body.decode().strip()
    if deed == "refuse":
        return Failure(UnsupportedContent(content_type=content_type, url=url))
    return Success(ReadPage(title=url, content=_DEEDS.get(deed, lambda: deed)()))


def __getattr__(name: str) -> Callable[[bytes, str, str], Result[ReadPage, WebError]]:
    """Take for ever to find the converter ``never``; die when ``killed_once`` is first looked for."""
    if name == "never":
        Event().wait()
    if name == "killed_once":
        mark = Path(os.environ["TMPDIR"], "killed")
        if mark.exists():
            return convert
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    raise AttributeError(name)


def _spin() -> NoReturn:
    while True:
        pass


def _block() -> str:
    return str(Event().wait())


def _eat() -> NoReturn:
    while True:
        _held.append(bytes(1 << 20))


def _grow() -> str:
    _held.append(b"x" * (90 << 20))
    return _pid()


def _raise() -> NoReturn:
    raise ValueError


def _deepen() -> str:
    return _deepen()


def _lie() -> str:
    """Write noise to every pipe there is, the answers' own among them."""
    for number in range(3, 20):
        try:
            os.write(number, b"\xff" * 8)
        except OSError:
            continue
    return "lied"


def _mumble() -> str:
    """Answer with a frame that holds something else."""
    for number in range(3, 20):
        try:
            os.write(number, b"\x00\x00\x00\x01\x2a")
        except OSError:
            continue
    return "mumbled"


def _signalled(number: int) -> str:
    os.kill(os.getpid(), number)
    return _block()


def _print() -> str:
    os.write(1, b"noise")
    sys.stdout.write("noise")
    sys.stdout.flush()
    return sys.stdin.read() + "printed"


def _pid() -> str:
    return str(os.getpid())


_DEEDS: dict[str, Callable[[], str]] = {
    "spin": _spin,
    "block": _block,
    "eat": _eat,
    "grow": _grow,
    "raise": _raise,
    "deepen": _deepen,
    "lie": _lie,
    "mumble": _mumble,
    "print": _print,
    "pid": _pid,
    "exit": lambda: os._exit(3),
    "kill": lambda: _signalled(signal.SIGKILL),
    "stop": lambda: _signalled(signal.SIGSTOP),
    "environment": lambda: " ".join(os.environ),
}

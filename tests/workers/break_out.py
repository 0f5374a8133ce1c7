"""A converter that a page has taken over: it tries everything, and says what it got."""

import ctypes
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from returns.result import Result, Success

from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

CONVERTER = f"{__name__}:convert"
_PARENT = os.getppid()
_TEMPORARY = tempfile.gettempdir()
_EFAULT = 14


def convert(body: bytes, content_type: str, url: str) -> Result[ReadPage, WebError]:
    del content_type, url
    if body == b"foreign call":
        _call(0x40000000 | 39)
    # A fork server converts a page of its own before there is a worker.
    got = [] if body else [name for name, deed in DEEDS.items() if _succeeds(deed)]
    return Success(ReadPage(title="", content="\n".join(got)))


def _succeeds(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except (OSError, ImportError, RuntimeError, ValueError):
        return False
    return True


def _call(number: int, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _read_memory_of_parent() -> None:
    """Read an address that is not there: EFAULT for those who may look, EPERM for all others."""
    here = ctypes.create_string_buffer(8)
    local, remote = struct.pack("QQ", ctypes.addressof(here), 8), struct.pack("QQ", 4096, 8)
    try:
        _call(310, _PARENT, local, 1, remote, 1, 0)
    except OSError as error:
        if error.errno != _EFAULT:
            raise


def _make_executable_memory() -> None:
    _call(9, None, ctypes.c_size_t(4096), 7, 0x22, -1, 0)


def _datagram_after_closing_a_file() -> None:
    os.close(0)
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))


DEEDS: dict[str, Callable[[], object]] = {
    "read a file": lambda: Path("/etc/passwd").read_bytes(),
    "write a file": lambda: Path(_TEMPORARY, "webseam-hostile").write_text("x", "ascii"),
    "list a folder": lambda: list(os.scandir("/")),
    "look at a file": lambda: Path("/").stat(),
    "change folder": lambda: os.chdir("/"),
    "delete a file": lambda: Path(_TEMPORARY, "webseam-not-there").unlink(),
    "environment of the parent": lambda: Path(f"/proc/{_PARENT}/environ").read_bytes(),
    "memory file of the parent": lambda: os.open(f"/proc/{_PARENT}/mem", os.O_RDONLY),
    "memory of the parent": _read_memory_of_parent,
    "trace the parent": lambda: _call(101, 16, _PARENT, 0, 0),
    "signal the parent": lambda: os.kill(_PARENT, 0),
    "hold the parent": lambda: os.pidfd_open(_PARENT),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    "send a datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "unix socket": lambda: socket.socket(socket.AF_UNIX),
    "pair of sockets": socket.socketpair,
    "look up a name": lambda: socket.getaddrinfo("example.org", 80),
    "fork": os.fork,
    "start a program": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    "become a program": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606  it must fail
    "start a thread": lambda: threading.Thread(target=int).start(),
    "file in memory": lambda: os.memfd_create("x"),
    "io_uring": lambda: _call(425, 1, None),
    "name space": lambda: _call(272, 0x10000000),
    "bpf": lambda: _call(321, 0, None, 0),
    "executable memory": _make_executable_memory,
    "load a library": lambda: ctypes.CDLL("libcurl.so.4"),
    "import a module": lambda: __import__("mailbox"),
    "raise a limit": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)),
    "pipe": os.pipe,
    "copy a pipe": lambda: os.dup(0),
    "become another user": lambda: os.setuid(1),
    "shared memory": lambda: _call(29, 0, 4096, 0o1600),
    "signal everybody": lambda: os.kill(-1, signal.SIGCONT),
    "datagram after closing a file": _datagram_after_closing_a_file,
}

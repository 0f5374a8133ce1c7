"""A guard for tests: what leaves this machine is refused, and remembered.

An audit hook sees every connect of the process, whichever library makes it. Python cannot remove
a hook, so one is added on first use and does nothing while no guard is up.
"""

import errno
import functools
import ipaddress
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Target: TypeAlias = tuple[str, int]

_guards: list[list[Target]] = []


@contextmanager
def loopback_only() -> Iterator[list[Target]]:
    """Refuse every connection and every name look-up that leaves this machine.

    The list given holds each host and port that was tried. Guards may be nested: the innermost
    one remembers.

    >>> with loopback_only() as tried:
    ...     try:
    ...         _ = socket.create_connection(("192.0.2.1", 80))
    ...     except OSError:
    ...         tried
    [('192.0.2.1', 80)]
    """
    _add_loopback_hook()
    tried: list[Target] = []
    _guards.append(tried)
    try:
        yield tried
    finally:
        # By identity: two guards may hold equal lists.
        _guards[:] = [guard for guard in _guards if guard is not tried]


@functools.cache
def _add_loopback_hook() -> None:
    sys.addaudithook(_watch_socket_event)


def _watch_socket_event(event: str, arguments: tuple[Any, ...]) -> None:
    # The guards first: while Python ends, the hook still runs and both names are None.
    if _guards and (judge := _EVENT_JUDGES.get(event)):
        judge(*arguments)


# Without this a hook is invisible to coverage and debuggers.
vars(_watch_socket_event)["__cantrace__"] = True


def _refuse_remote_address(_socket: object, address: object, *_: object) -> None:
    """Refuse an internet address that is not this machine's; other families stay inside."""
    if isinstance(address, tuple) and not _is_loopback_host(str(address[0])):
        _guards[-1].append((str(address[0]), int(address[1])))
        raise OSError(errno.ENETUNREACH, "only this machine may be reached in this test")


def _refuse_name_lookup(host: object, port: object = 0, *_: object) -> None:
    """Refuse to look up a name; an address needs no look-up and is judged on connecting."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "localhost")
    if not _is_loopback_host(name) and not _is_ip_address(name):
        _guards[-1].append((name, port if isinstance(port, int) else 0))
        raise socket.gaierror(socket.EAI_NONAME, "no name may be looked up in this test")


_EVENT_JUDGES: dict[str, Callable[..., None]] = {
    "socket.connect": _refuse_remote_address,
    "socket.sendto": _refuse_remote_address,
    "socket.sendmsg": _refuse_remote_address,
    "socket.getaddrinfo": _refuse_name_lookup,
    "socket.gethostbyname": _refuse_name_lookup,
}


def _is_loopback_host(host: str) -> bool:
    if host == "localhost":
        return True
    if not _is_ip_address(host):
        return False
    address = ipaddress.ip_address(host.partition("%")[0])
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True

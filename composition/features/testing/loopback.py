"""A guard for tests that refuses and records connections that leave this machine.

An audit hook gets every connect of the process, from any library. Python cannot remove a hook, so
it is added on first use and does nothing while no guard is active.
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
    """Refuse every connection and every name lookup that leaves this machine.

    The list holds each refused host and port. Guards may be nested: the innermost one records.

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
        # Compare identities: two guards may hold equal lists.
        _guards[:] = [guard for guard in _guards if guard is not tried]


@functools.cache
def _add_loopback_hook() -> None:
    sys.addaudithook(_watch_socket_event)


def _watch_socket_event(event: str, arguments: tuple[Any, ...]) -> None:
    # Test the guards first: the hook still runs while Python ends, and then both names are None.
    if _guards and (judge := _EVENT_JUDGES.get(event)):
        judge(*arguments)


# Let coverage and debuggers trace the hook.
vars(_watch_socket_event)["__cantrace__"] = True


def _refuse_remote_address(_socket: object, address: object, *_: object) -> None:
    """Refuse an internet address of another machine; other address families are local."""
    if isinstance(address, tuple) and not _is_loopback_host(str(address[0])):
        _guards[-1].append((str(address[0]), int(address[1])))
        raise OSError(errno.ENETUNREACH, "only this machine may be reached in this test")


def _refuse_name_lookup(host: object, port: object = 0, *_: object) -> None:
    """Refuse to look up a name; an address needs no lookup and is checked on connecting."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "localhost")
    if not _is_loopback_host(name) and not _is_ip_address(name):
        _guards[-1].append((name, port if isinstance(port, int) else 0))
        raise socket.gaierror(socket.EAI_NONAME, "no name may be looked up in this test")


_EVENT_JUDGES: dict[str, Callable[..., None]] = {
    "socket.connect": _refuse_remote_address, "socket.sendto": _refuse_remote_address,
    "socket.sendmsg": _refuse_remote_address, "socket.getaddrinfo": _refuse_name_lookup,
    "socket.gethostbyname": _refuse_name_lookup,
}  # fmt: skip


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

"""A fence around a client's process: it may talk to this machine and to nothing else."""

import ipaddress
import os
import sys

_LOCAL_NAMES = frozenset({"localhost", "", None})


class OutsideError(OSError):
    """A client wanted to leave this machine."""


def child_environment() -> dict[str, str]:
    """Return our environment without proxies, and with peers told not to phone home."""
    environment = {name: value for name, value in os.environ.items() if not _is_proxy(name)}
    return environment | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}


def stay_on_loopback() -> None:
    """Refuse, from now on and for good, every connection and look-up beyond loopback."""
    sys.addaudithook(_refuse_outside)


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not _is_local(host):
        message = f"the benchmark stays on loopback, not {host!r}"
        raise OutsideError(message)


def _is_local(host: object) -> bool:
    text = host.decode() if isinstance(host, bytes) else host
    if text in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(str(text)).is_loopback
    except ValueError:
        return False


def _is_proxy(name: str) -> bool:
    return name.lower().endswith("_proxy")

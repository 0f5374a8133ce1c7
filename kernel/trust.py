"""Origins, and which secret may meet which address.

A ``.env`` in the working folder came with the folder, maybe not from the user. It may give keys and
choices. It may not open the policy, name a program or a folder of code, nor have a key that came
from elsewhere sent to an address of its own.
"""

from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from .urls.endpoints import is_loopback

Layer: TypeAlias = Literal["argument", "environment", "dotenv", "file", "default"]

STOLEN = "an address from a working folder only gets a key from the same file"

# What a working folder may not set, by the first part of a setting's path.
_PRIVILEGED = ("policy", "render", "plugins", "proxy", "custom_allow_plain_http")


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The layer, the file or variable or option, and the line where there are lines.

    What is ``foreign`` came with the working folder, rather than from the user.
    """

    layer: Layer
    name: str = ""
    line: int | None = None
    foreign: bool = False

    def __str__(self) -> str:
        """Return the place in the words of an error message."""
        if self.line is None:
            return self.name or self.layer
        return f"{self.name}:{self.line}"


def is_privileged(path: tuple[str, ...]) -> bool:
    """Tell whether a setting is one that no working folder may set.

    >>> is_privileged(("policy", "ports")), is_privileged(("backend",))
    (True, False)
    """
    return path[0] in _PRIVILEGED


def may_meet(address: str, given_at: Origin, key_at: Origin) -> bool:
    """Tell whether a key may be sent to an address, by where the two were given.

    This machine may have any key.
    """
    if not given_at.foreign or given_at.name == key_at.name:
        return True
    try:
        host = urlsplit(address.strip()).hostname
    except ValueError:
        return False
    return is_loopback(host or "")

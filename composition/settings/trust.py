"""What a ``.env`` in the working folder may say: it came with the folder, maybe not from the user.

It may give keys and choices. It may not open the policy, name a program or a folder of code, nor
have a key that came from elsewhere sent to an address of its own.
"""

from pathlib import Path
from urllib.parse import urlsplit

from ...kernel.urls.endpoints import is_loopback
from .entries import Entry, Origin
from .files import DotEnv
from .keys import known_keys

STOLEN = "an address from a working folder only gets a key from the same file"

_NOT_THERE = ("policy", "render", "plugins")


def without_privileges(read: DotEnv) -> DotEnv:
    """Return what may be read of a working folder's file, with a warning for what may not."""
    privileged = {
        name
        for path, key in known_keys().items()
        if path[0] in _NOT_THERE
        for name in key.variables
    }
    refused = {name: entry for name, entry in read.variables.items() if name in privileged}
    warnings = tuple(
        f"{entry.origin}: {name} is not read from a working folder; set it in the environment"
        for name, entry in refused.items()
    )
    return DotEnv(
        variables={name: each for name, each in read.variables.items() if name not in refused},
        warnings=(*read.warnings, *warnings),
    )


def is_foreign(origin: Origin, settings_file: str) -> bool:
    """Tell whether a value came with the working folder, rather than from the user."""
    if origin.layer != "dotenv":
        return False
    return Path(origin.name).parent.absolute() != Path(settings_file).parent.absolute()


def may_meet(address: Entry, key: Entry, settings_file: str) -> bool:
    """Tell whether a key may be sent to an address, by where the two came from.

    This machine may have any key.
    """
    if not is_foreign(address.origin, settings_file) or address.origin.name == key.origin.name:
        return True
    try:
        host = urlsplit(address.texts[0].strip()).hostname
    except ValueError:
        return False
    return is_loopback(host or "")

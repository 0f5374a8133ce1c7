"""Names of files as text: a name may hold any bytes, and a line of JSON only text."""

import os
from typing import Final
from urllib.parse import quote, unquote_to_bytes

# No name holds it: what follows is in percent signs.
_MARK: Final = "\0"


def is_text(name: str) -> bool:
    """Tell whether a name is all text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown_name(name: str) -> str:
    """Return a name that can be shown, with numbers in place of what is no text."""
    return name if is_text(name) else os.fsencode(name).decode("utf-8", "backslashreplace")


def written_name(name: str) -> str:
    """Return a name that can be written, and read again by ``read_name``."""
    return name if is_text(name) else _MARK + quote(os.fsencode(name))


def read_name(written_name: str) -> str:
    """Return the name that was written."""
    if written_name.startswith(_MARK):
        return os.fsdecode(unquote_to_bytes(written_name[len(_MARK) :]))
    return written_name

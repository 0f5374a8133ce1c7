"""File names as text: a name may have any bytes, and JSON only text."""

import os
from typing import Final
from urllib.parse import quote, unquote_to_bytes

# Prefix of percent-encoded names; no file name contains it.
_ENCODED_NAME_MARK: Final = "\0"


def is_text_name(name: str) -> bool:
    """Tell whether a name is valid text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def display_file_name(name: str) -> str:
    """Return a name for display, with escapes for invalid bytes."""
    if is_text_name(name):
        return name
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def encode_file_name(name: str) -> str:
    """Return a name that can be written as text, and read again by ``decode_file_name``."""
    return name if is_text_name(name) else _ENCODED_NAME_MARK + quote(os.fsencode(name))


def decode_file_name(written_name: str) -> str:
    """Return the file name from its written form."""
    if written_name.startswith(_ENCODED_NAME_MARK):
        return os.fsdecode(unquote_to_bytes(written_name[len(_ENCODED_NAME_MARK) :]))
    return written_name

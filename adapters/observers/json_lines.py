"""A file of JSON lines that only grows."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..files import make_file


class JsonLines:
    """Appends one JSON object a line. Each is written in one go, so writers do not mix."""

    def __init__(self, file: Path) -> None:
        """Append to ``file``, which is made when it is needed, for the user alone to read."""
        self._file = file

    def append(self, fields: Mapping[str, object]) -> None:
        """Write one line; a full disk is an ``OSError``."""
        make_file(self._file)
        line = msgspec.json.encode(dict(fields), enc_hook=str) + b"\n"
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND)
        try:
            written = os.write(descriptor, line)
            if written != len(line):
                # A full disk took half of it. Mark the place, so that the next line is whole.
                os.write(descriptor, b"\n")
                message = "the line was cut short"
                raise OSError(message)
        finally:
            os.close(descriptor)

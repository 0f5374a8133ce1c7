"""An append-only file of JSON lines."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...files import open_to_append


class JsonLines:
    """Appends one JSON object per line, each in one write, so that writers do not mix."""

    def __init__(self, file: Path) -> None:
        """Append to ``file``, which is made on first use and readable by its owner only."""
        self._file = file

    def append(self, fields: Mapping[str, object]) -> None:
        """Write one line; raise ``OSError`` if the disk is full."""
        line = msgspec.json.encode(dict(fields), enc_hook=str) + b"\n"
        descriptor = open_to_append(self._file)
        try:
            written = os.write(descriptor, line)
            if written != len(line):
                # The disk is full: end the partial line, so that the next one is complete.
                os.write(descriptor, b"\n")
                message = "the line was cut short"
                raise OSError(message)
        finally:
            os.close(descriptor)

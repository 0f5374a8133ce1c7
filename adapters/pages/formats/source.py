"""What came: the bytes, the type their server gave, and the URL they came from."""

from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec

_MOST_NAME: Final = 200


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One body to convert."""

    body: bytes
    content_type: str = ""
    url: str = ""

    @property
    def media_type(self) -> str:
        """The type without its parameters, in lower case."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def file_name(self) -> str:
        """The last part of the URL's path, empty when it ends in a slash."""
        try:
            path = urlsplit(self.url).path
        except ValueError:
            return ""
        return unquote(path.rpartition("/")[2])[:_MOST_NAME]

    @property
    def suffix(self) -> str:
        """The file name's ending, in lower case and without the dot."""
        stem, dot, ending = self.file_name.rpartition(".")
        return ending.lower() if dot and stem else ""

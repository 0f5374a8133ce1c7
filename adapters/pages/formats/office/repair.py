"""XML that is not well-formed, read on from where the parser gave up: tags are taken as they come.

An end that fits nothing is passed over, what was never ended ends with what is around it, and no
entity is known but those of characters.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final, Protocol

# Nothing is looked at twice, and an attribute begins behind a blank or a quote: a name may be as
# long as the file.
_TOKEN: Final = re.compile(r"<(/?)([^\s<>/=!?]{1,200}+)([^<>]*+)>|<[^<>]*+>?|([^<]+)")
_ATTRIBUTE: Final = re.compile(
    r"""(?<![^\s"'])([^\s=<>/"']{1,200}+)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')"""
)


class XmlHandler(Protocol):
    """Takes what is found in XML, as a parser hands it over."""

    def start(self, name: str, attributes: dict[str, str], /) -> None:
        """Begin an element."""
        ...

    def end(self, name: str, /) -> None:
        """End an element."""
        ...

    def text(self, text: str, /) -> None:
        """Take some text."""
        ...


def unread_rest(parsed: bytes, stop_offset: int) -> bytes:
    """Return what was not read: from the tag on in which a parser gave up, or from its place on.

    >>> unread_rest(b"<a><b/ ></a>", 6), unread_rest(b"<a>x&y</a>", 4)
    (b'<b/ ></a>', b'&y</a>')
    """
    tag = parsed.rfind(b"<", 0, stop_offset)
    return parsed[tag if tag > parsed.rfind(b">", 0, stop_offset) else stop_offset :]


def read_rest(rest: bytes, taker: XmlHandler) -> Iterator[None]:
    """Hand over what is in the rest, with a stop behind each tag."""
    for found in _TOKEN.finditer(rest.decode("utf-8", "replace")):
        closing, name, inner, text = found.groups()
        if text:
            taker.text(unescape(text))
        elif name:
            local = name.rpartition(":")[2]
            if closing:
                taker.end(local)
            else:
                taker.start(local, dict(_attributes(inner)))
                if inner.rstrip().endswith("/"):
                    taker.end(local)
            yield


def _attributes(inner: str) -> Iterator[tuple[str, str]]:
    for found in _ATTRIBUTE.finditer(inner):
        yield found[1].rpartition(":")[2], unescape(found[2] or found[3] or "")

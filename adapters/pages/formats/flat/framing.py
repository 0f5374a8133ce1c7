"""Pieces of one XML file as files of their own, by their bytes: nothing is parsed twice."""

import re
from typing import Final, TypeAlias

_DECLARATION: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(<\?xml[^<>]*+>)")
_MAX_TAKEN_ELEMENTS: Final = 2000
_Cut: TypeAlias = list[tuple[int, tuple[bytes, bytes]]]


def frame_element(document: bytes, root: re.Pattern[bytes], piece: bytes) -> bytes:
    """Return a piece under a root like that of the whole, whose prefixes and charset it has."""
    declared, begin = _DECLARATION.match(document), root.search(document)
    tag = begin[0] if begin else b"<x>"
    name = tag.removeprefix(b"<").rstrip(b">").split(maxsplit=1)[0]
    end = b"</%s>" % name
    return b"".join((declared[1] if declared else b"", tag, piece.rpartition(end)[0] or piece, end))


def find_element(document: bytes, name: bytes) -> bytes:
    """Return an element with its tags, empty where it is not there or has no end."""
    begin, end = re.search(b"<%s(?=[\\s>])" % re.escape(name), document), b"</%s>" % name
    stop = document.find(end, begin.end()) if begin else -1
    return document[begin.start() : stop + len(end)] if begin and stop >= 0 else b""


def take_elements(
    text: bytes, begin: re.Pattern[bytes], end: bytes, mark: bytes
) -> tuple[bytes, _Cut]:
    """Return a text with a mark for each such element, and these: number, tag and inside."""
    kept: list[bytes] = []
    cut: _Cut = []
    place = 0
    while len(cut) < _MAX_TAKEN_ELEMENTS:
        found = begin.search(text, place)
        stop = text.find(end, found.end()) if found else -1
        if found is None or stop < 0:
            break
        number = len(cut) + 1
        kept += [text[place : found.start()], mark % number if b"%" in mark else mark]
        cut.append((number, (found[0], text[found.end() : stop])))
        place = stop + len(end)
    return b"".join([*kept, text[place:]]), cut

"""Find words in one view of a page, and say whether they stand there.

A match is a block (a paragraph, an item, a row of a table, a heading) that has every word of the
text. Words are compared whole and without case and marks; in scripts without blanks between words,
a run of characters is looked for as a part of the text.

``absent`` is a strong word, so a word counts as present in each reading of the markdown. Signs
such as ``*`` and raised digits stand between words in one reading (``**49**95`` has 49 and 95) and
inside of a word in the other (``un**believ**able``). Entities are read as their characters.

Hidden text is a way to talk to a model, so it is never a passage. Nor is it shown by the view. But
"absent" would be wrong for a word that stands there only, since a click may show it: the status is
``unknown`` then, and the reason says that it is hidden.

The whole search reads a part a few times for each word, and there are at most 50 words: it is
linear in the page.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from html import unescape
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import EmptyContent, InvalidQuery, WebError
from webseam.ports.found import (
    DEFAULT_PASSAGES,
    MAX_FIND_CHARS,
    MAX_FIND_WORDS,
    Found,
    FoundPassage,
    PlaceName,
    UnknownReason,
)
from webseam.ports.pages import PARTS_CAP, LeftOutKind
from webseam.ports.text import lazy_pattern
from webseam.ports.tools import MAX_PASSAGES
from webseam.ports.web import WebExtractResult

from ..laws.field_checks import refuse_field
from ..text.display import is_plain_text, is_text, plain_text, quote_value
from ..text.redaction import redact_url
from .page_record import PageRecord, page_record

# Text that a page does not show to people.
UNSEEN_KINDS: frozenset[LeftOutKind] = frozenset({"hidden", "agents_only"})
_MAX_PASSAGE_CHARS = 600
_HTML_TYPES = ("text/html", "application/xhtml")
# Han, kana, Thai, Lao, Tibetan, Myanmar, Khmer and the scripts of their neighbours.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u2e80-\u2fdf"
    "\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff"
    "\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Digits and letters are runs of their own: of 69 and mg in two elements, markdown makes 69mg.
_PIECE_PATTERN = lazy_pattern(rf"[{_UNSPACED}]+|\d+|[^\W\d_{_UNSPACED}]+")
_UNSPACED_PATTERN = lazy_pattern(f"[{_UNSPACED}]")
# Markdown signs inside of a word, and the address of a link, which stands behind its text.
_SIGN_PATTERN = lazy_pattern(r"\]\([^()\s]*+\)|[*_~`\\\[\]]")
_RAISED_DIGITS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_LOWERED_DIGITS = "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089"
_RAISED_PATTERN = lazy_pattern(f"[{_RAISED_DIGITS}{_LOWERED_DIGITS}]+")
_PLAIN_DIGITS = str.maketrans(_RAISED_DIGITS + _LOWERED_DIGITS, "0123456789" * 2)
# Letters and digits as wide as a Han character.
_WIDE_FORMS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_DROPPED_CATEGORIES = frozenset({"Mn", "Me", "Cf"})
# A line that begins a block of its own: an item, a heading, a quote, a row of a table, a fence.
_BLOCK_PATTERN = lazy_pattern(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\||```|~~~)")
# Of these, each line is a block.
_LINE_BLOCK_PATTERN = lazy_pattern(r"[ \t]*(?:#{1,6}[ \t]|\|)")


class _Word(msgspec.Struct, frozen=True):
    """A word of the text that is looked for: as it was written, and the runs to look for."""

    written: str
    spaced: tuple[str, ...]
    unspaced: tuple[str, ...]
    sign: str = ""


class _Block(msgspec.Struct, frozen=True):
    part: PlaceName
    offset: int
    text: str


class _Readings(msgspec.Struct, frozen=True):
    """A text as its words, with markdown signs between words and inside of them."""

    apart: str
    joined: str
    unspaced: str
    folded: str


def find_words(
    record: PageRecord,
    text: object,
    max_passages: object = DEFAULT_PASSAGES,
    *,
    is_cut: bool = False,
) -> Result[Found, InvalidQuery]:
    """Say where the words of a text stand in a page; ``is_cut`` if the record lacks its rest."""
    checked = check_find(text, max_passages)
    if isinstance(checked, Failure):
        return checked
    words, limit = checked.unwrap(), cast("int", max_passages)
    passages = list[FoundPassage]()
    total = 0
    places: dict[str, _Block] = {}
    for block in _shown_blocks(record):
        readings = _read_text(block.text)
        present = [word for word in words if _has_word(readings, word)]
        for word in present:
            places.setdefault(word.written, block)
        if len(present) == len(words):
            total += 1
            if len(passages) < limit:
                passages.append(_passage(block, words))
    missing = tuple([word for word in words if word.written not in places])
    found = Found(
        status="found",
        asked=" ".join(word.written for word in words),
        passages=tuple(passages),
        total=total,
        view=record.reading.view,
        render=_render_command(record, words),
        url=record.source.url,
    )
    if total:
        return Success(found)
    if not missing:
        blocks_of_words = list(dict.fromkeys(places[word.written] for word in words))[:limit]
        apart = tuple([_passage(block, words) for block in blocks_of_words])
        return Success(msgspec.structs.replace(found, status="apart", passages=apart))
    return Success(_explain_missing(found, record, missing, is_cut=is_cut))


def find_in_page(
    page: WebExtractResult, text: object, max_passages: object = DEFAULT_PASSAGES
) -> Result[Found, WebError]:
    """Say where words stand in a page that is not kept, as far as it is here."""
    is_cut = page.receipt.compressed or bool(page.receipt.omitted)
    found: Result[Found, WebError] = find_words(
        page_record(page), text, max_passages, is_cut=is_cut
    )
    return found


def unread_found(error: WebError, text: str, url: str) -> Result[Found, WebError]:
    """Return the answer about a page that is empty without its script; another error is one."""
    if isinstance(error, EmptyContent) and error.reason == "needs_browser":
        return Success(unknown_found(text, "shell", url=redact_url(url)))
    return Failure(error)


def unknown_found(text: str, reason: UnknownReason, *, url: str = "") -> Found:
    """Return the answer about a page that cannot be looked through."""
    render = None
    if reason == "shell" and url:
        render = _command(url, text)
    return Found(status="unknown", asked=text, reason=reason, render=render, url=url)


def _explain_missing(
    found: Found, record: PageRecord, missing: Sequence[_Word], *, is_cut: bool
) -> Found:
    """Say whether words that were not seen are absent, or why nobody knows."""
    named = tuple([word.written for word in missing])
    reason = _unread_reason(record, is_cut=is_cut)
    if reason is not None:
        return msgspec.structs.replace(found, status="unknown", missing=named, reason=reason)
    hidden = [_read_text(part.text) for part in record.reading.parts if part.kind in UNSEEN_KINDS]
    absent = [
        word.written
        for word in missing
        if not any(_has_word(readings, word) for readings in hidden)
    ]
    if absent:
        return msgspec.structs.replace(found, status="absent", missing=tuple(absent))
    return msgspec.structs.replace(found, status="unknown", missing=named, reason="hidden")


def _unread_reason(record: PageRecord, *, is_cut: bool) -> UnknownReason | None:
    """Return why a part of what a page shows could not be looked through; None if all was."""
    reading = record.reading
    left_out = reading.left_out
    if left_out is None:
        return "other_reader"
    if any(entry.kind == "walled" and entry.words for entry in left_out):
        return "wall"
    if reading.complete is not True:
        # Of a page that is complete, a cap met no text.
        return "cap" if reading.cuts else "incomplete"
    if is_cut:
        return "cut"
    if PARTS_CAP in reading.cuts:
        return "not_kept"
    kept = {part.kind for part in reading.parts}
    if any(entry.words and entry.kind not in kept | UNSEEN_KINDS for entry in left_out):
        return "not_kept"
    return None


def check_find(text: object, max_passages: object) -> Result[tuple[_Word, ...], InvalidQuery]:
    """Return the words of a text that can be looked for, or what is wrong with the call."""
    if type(max_passages) is not int or not 1 <= max_passages <= MAX_PASSAGES:
        return refuse_field("max_passages", f"must be a whole number from 1 to {MAX_PASSAGES}")
    plain = plain_text(text) if is_text(text) else ""
    if not is_plain_text(plain) or not plain.strip():
        return refuse_field("find", f"must be text with a word, got {quote_value(text)}")
    if len(plain) > MAX_FIND_CHARS:
        return refuse_field("find", f"must have at most {MAX_FIND_CHARS} characters")
    words = tuple([_make_word(word) for word in dict.fromkeys(plain.split())])
    if len(words) > MAX_FIND_WORDS:
        return refuse_field("find", f"must have at most {MAX_FIND_WORDS} words")
    return Success(words)


def _make_word(written: str) -> _Word:
    folded = _fold(_set_raised_apart(unescape(written)))
    pieces = _PIECE_PATTERN.findall(folded)
    spaced = [piece for piece in pieces if not _UNSPACED_PATTERN.match(piece)]
    unspaced = [piece for piece in pieces if _UNSPACED_PATTERN.match(piece)]
    # A word of signs alone, such as a currency, is looked for as it is.
    sign = "" if pieces else folded.strip()
    return _Word(written, tuple(spaced), tuple(unspaced), sign)


def _has_word(readings: _Readings, word: _Word) -> bool:
    if word.sign:
        return word.sign in readings.folded
    if not all(piece in readings.unspaced for piece in word.unspaced):
        return False
    if not word.spaced:
        return True
    # Runs that stand together in the text that was asked for stand together in the page.
    runs = word.spaced if word.unspaced else (" ".join(word.spaced),)
    return all(f" {run} " in readings.apart or f" {run} " in readings.joined for run in runs)


def _read_text(text: str) -> _Readings:
    plain = unescape(text)
    folded = _fold(_set_raised_apart(plain))
    apart = _spaced_words(folded)
    joined, joined_words = folded, apart
    bare = _SIGN_PATTERN.sub("", plain)
    if bare != plain or _RAISED_PATTERN.search(plain):
        joined = _fold(bare.translate(_PLAIN_DIGITS))
        joined_words = _spaced_words(joined)
    return _Readings(
        apart=apart, joined=joined_words, unspaced="".join(joined.split()), folded=folded
    )


def _spaced_words(folded: str) -> str:
    pieces = _PIECE_PATTERN.findall(folded)
    return f" {' '.join(pieces)} "


def _set_raised_apart(text: str) -> str:
    """Return a text with blanks around raised and lowered digits: 49⁹⁵ is a price."""
    return _RAISED_PATTERN.sub(lambda match: f" {match[0]} ", text).translate(_PLAIN_DIGITS)


def _fold(text: str) -> str:
    """Return a text without case, marks and characters that nobody sees.

    Only canonical forms are decomposed (NFD): the compatible form of ™ would become a part of the
    word before it.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFD", text.translate(_WIDE_FORMS).casefold())
    folded = unicodedata.normalize("NFD", folded.casefold())
    return "".join(
        [char for char in folded if unicodedata.category(char) not in _DROPPED_CATEGORIES]
    )


def _shown_blocks(record: PageRecord) -> Iterator[_Block]:
    if record.title:
        yield _Block("title", 0, record.title)
    yield from _text_blocks("content", record.content)
    for part in record.reading.parts:
        if part.kind not in UNSEEN_KINDS:
            yield from _text_blocks(part.kind, part.text)


def _text_blocks(part: PlaceName, text: str) -> Iterator[_Block]:
    lines: list[str] = []
    start = offset = 0
    is_closed = False
    for line in text.split("\n"):
        begins = is_closed or not line.strip() or _BLOCK_PATTERN.match(line) is not None
        if begins and lines:
            yield _Block(part, start, "\n".join(lines))
            lines = []
        if line.strip():
            if not lines:
                start = offset
            lines.append(line)
        is_closed = _LINE_BLOCK_PATTERN.match(line) is not None
        offset += len(line) + 1
    if lines:
        yield _Block(part, start, "\n".join(lines))


def _passage(block: _Block, words: Sequence[_Word]) -> FoundPassage:
    """Return a block, of a long one the surroundings of the first word that is found as written."""
    text = block.text
    if len(text) <= _MAX_PASSAGE_CHARS:
        return FoundPassage(part=block.part, offset=block.offset, text=text)
    lowered = text.lower()
    starts = [lowered.find(word.written.lower()) for word in words]
    start = max(0, min([at for at in starts if at >= 0], default=0) - _MAX_PASSAGE_CHARS // 4)
    shown = text[start : start + _MAX_PASSAGE_CHARS]
    before = "… " if start else ""
    after = " …" if start + _MAX_PASSAGE_CHARS < len(text) else ""
    return FoundPassage(
        part=block.part, offset=block.offset + start, text=f"{before}{shown}{after}"
    )


def _render_command(record: PageRecord, words: Sequence[_Word]) -> str | None:
    """Return the command that looks at a page after its scripts, if none had run."""
    reading = record.reading
    if reading.view != "as sent" or not reading.content_type.startswith(_HTML_TYPES):
        return None
    return _command(record.source.url, " ".join(word.written for word in words))


def _command(url: str, text: str) -> str:
    return f"webseam extract {shlex.quote(url)} --render always --find {shlex.quote(text)}"

"""Documents on their way into the index, and as they are listed."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from ..language.function_words import detect_language
from ..language.stems import stemmer_language
from ..threads import DaemonThreads
from .passage_terms import PassageText, TermEntry, term_entry

# A document of up to this many characters stays whole.
MAX_PASSAGE_CHARS = 2400
_TARGET_CHARS = 1600
_MIN_CHARS_BEFORE_HEADING = 500
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ENDS = (
    re.compile(r"\n"),
    re.compile(r"[.!?][\"')\]]*\s+|[\u3002\uff01\uff1f]"),
    re.compile(r"\s+"),
)


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a document, and the headings it stands under or holds."""

    headings: str
    body: str


class _Block(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    level: int = 0
    heading: str = ""


def split_passages(text: str) -> tuple[Passage, ...]:
    """Cut a markdown or plain text into passages."""
    if len(text) <= MAX_PASSAGE_CHARS and "#" not in text:
        return (Passage(headings="", body=text),) if text else ()
    blocks = _blocks(text)
    groups = [blocks] if blocks and len(text) <= MAX_PASSAGE_CHARS else _groups(blocks)
    trail: dict[int, str] = {}
    return tuple(_passage(group, trail) for group in groups)


def _blocks(text: str) -> list[_Block]:
    """Return paragraphs with the blank lines after them; a heading or fenced code is one block."""
    blocks: list[_Block] = []
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        fenced = _FENCE.match(line)
        heading = None if fence else _HEADING.match(line.rstrip("\r\n"))
        if heading or (lines and not fence and _is_blank(lines[-1]) and not _is_blank(line)):
            blocks += _closed(lines)
        if heading:
            blocks.append(_Block(text=line, level=len(heading[1]), heading=heading[2].strip()))
            continue
        lines.append(line)
        if fenced:
            fence = _next_fence(fence, fenced[1])
    return blocks + _closed(lines)


def _closed(lines: list[str]) -> list[_Block]:
    """Return the collected lines as blocks no longer than a passage, and forget them."""
    text = "".join(lines)
    lines.clear()
    return [_Block(text=piece) for piece in _pieces(text)]


def _pieces(text: str) -> Iterator[str]:
    while len(text) > MAX_PASSAGE_CHARS:
        at = _cut(text)
        yield text[:at]
        text = text[at:]
    if text:
        yield text


def _cut(text: str) -> int:
    """Return where to cut: after the last line, sentence or word that fits, else anywhere."""
    for end in _ENDS:
        ends = [match.end() for match in end.finditer(text, _TARGET_CHARS // 2, MAX_PASSAGE_CHARS)]
        if ends:
            return ends[-1]
    return MAX_PASSAGE_CHARS


def _groups(blocks: list[_Block]) -> Iterator[list[_Block]]:
    group: list[_Block] = []
    size = 0
    for block in blocks:
        full = size + len(block.text) > _TARGET_CHARS or (
            block.level and size >= _MIN_CHARS_BEFORE_HEADING
        )
        if group and full and not _only_headings(group):
            yield group
            group, size = [], 0
        group.append(block)
        size += len(block.text)
    if group:
        yield group


def _passage(group: list[_Block], trail: dict[int, str]) -> Passage:
    """Join blocks; ``trail`` holds the headings above, by level, and goes on to the next group."""
    first = group[0].level or max(trail, default=0) + 1
    above = [trail[level] for level in sorted(trail) if level < first]
    inside = [block.heading for block in group if block.level]
    for block in group:
        if block.level:
            for level in [level for level in trail if level >= block.level]:
                del trail[level]
            trail[block.level] = block.heading
    names = dict.fromkeys(name for name in above + inside if name)
    return Passage(headings=" > ".join(names), body="".join(block.text for block in group))


def _only_headings(group: list[_Block]) -> bool:
    return all(block.level or not block.text.strip() for block in group)


def _next_fence(fence: str, mark: str) -> str:
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _is_blank(line: str) -> bool:
    return not line.strip()


# Documents on their way into the index, and as they are listed.

# Part of every digest: a document is read again when the way it is cut or analysed has changed.
_EDITION = b"webseam-index-6\x00"


class IndexDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A text to be found again. ``url`` names it in results; ``location`` is where it was read.

    ``source`` is what the user asked to add: the document itself, or a folder that holds it.
    ``published`` is a date such as 2026-01-31, ``language`` a tag such as ``de-AT``: words are
    found in all their forms by the rules of that language, or of the one that the text seems to be.
    """

    url: str
    text: str
    title: str = ""
    published: str | None = None
    language: str | None = None
    location: str = ""
    source: str = ""
    digest: bytes = b""


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A document with everything worked out that can be before the file is locked."""

    document: IndexDocument
    passages: tuple[Passage, ...]
    entries: tuple[TermEntry, ...]


def document_digest(content: bytes) -> bytes:
    """Return what tells whether a document has changed."""
    return hashlib.blake2b(_EDITION + content, digest_size=16).digest()


def prepare_document(document: IndexDocument) -> Prepared:
    """Cut a document into passages and analyse them. Pure, and most of the work of adding."""
    text, title = _storable(document.text), _storable(document.title)
    passages = split_passages(text)
    language = stemmer_language(document.language) if document.language else detect_language(text)
    whole = msgspec.structs.replace(
        document,
        text=text,
        title=title,
        location=document.location or document.url,
        language=language,
        source=document.source or document.location or document.url,
        digest=document.digest
        or document_digest(_content(title, document.published, document.language, text)),
    )
    entries = tuple(
        term_entry(
            PassageText(
                title=title,
                url=document.url,
                headings=each.headings,
                body=each.body,
                language=language,
            )
        )
        for each in passages
    )
    return Prepared(document=whole, passages=passages, entries=entries)


def _storable(text: str) -> str:
    """Return text that can be written as UTF-8 and holds no NUL, where SQLite would stop."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def _content(*parts: str | None) -> bytes:
    return msgspec.json.encode(parts)


BATCH_DOCUMENTS = 2000


def prepare_ahead(documents: Sequence[IndexDocument]) -> Iterator[Prepared]:
    """Yield the documents in order, prepared some at a time: the next ones by another thread."""
    stretches = [
        documents[start : start + BATCH_DOCUMENTS]
        for start in range(0, len(documents), BATCH_DOCUMENTS)
    ]
    with DaemonThreads(1, "webseam-prepare") as thread:
        ahead = thread.submit(partial(prepare_all, stretches[0]))
        for stretch in stretches[1:]:
            ready, ahead = ahead.result(), thread.submit(partial(prepare_all, stretch))
            yield from ready
        yield from ahead.result()


def prepare_all(documents: Sequence[IndexDocument]) -> list[Prepared]:
    """Prepare documents here and now."""
    return [prepare_document(document) for document in documents]

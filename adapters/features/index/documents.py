"""Split documents into passages and prepare them for the index."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from webseam.ports.text import sign_border

from ...language.detection import detect_stemmer_language
from ...language.stems import stemmer_language
from ...threads import DaemonThreads
from .passage_terms import PassageText, TermEntry, term_entry

# A document of up to this many characters becomes one passage.
MAX_PASSAGE_CHARS = 2400
_TARGET_CHARS = 1600
_MIN_CHARS_BEFORE_HEADING = 500
_HEADING_PATTERN = re.compile(r"^ {0,3}(#{1,6})[ \t]++((?:.*[^\s#])?)")
_FENCE_PATTERN = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_BLOCK_END_PATTERNS = (
    re.compile(r"\n"),
    re.compile(r"[.!?][\"')\]]*\s+|[\u3002\uff01\uff1f]"),
    re.compile(r"\s+"),
)
# Part of every digest: a new edition makes every document be split and analysed again.
_DIGEST_EDITION = b"webseam-index-7\x00"
BATCH_DOCUMENTS = 2000


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a document, with the headings above it and inside it."""

    headings: str
    body: str


class _Block(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    level: int = 0
    heading: str = ""


def split_passages(text: str) -> tuple[Passage, ...]:
    """Split a markdown or plain text into passages."""
    if len(text) <= MAX_PASSAGE_CHARS and "#" not in text:
        return (Passage(headings="", body=text),) if text else ()
    blocks = _markdown_blocks(text)
    groups = [blocks] if blocks and len(text) <= MAX_PASSAGE_CHARS else _block_groups(blocks)
    trail: dict[int, str] = {}
    return tuple(_join_passage(group, trail) for group in groups)


def _markdown_blocks(text: str) -> list[_Block]:
    """Return paragraphs with their trailing blank lines; a heading or fenced code is one block."""
    blocks: list[_Block] = []
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        fenced = _FENCE_PATTERN.match(line)
        heading = None if fence else _HEADING_PATTERN.match(line.rstrip("\r\n"))
        if heading or (lines and not fence and not lines[-1].strip() and line.strip()):
            blocks += _take_blocks(lines)
        if heading:
            blocks.append(_Block(text=line, level=len(heading[1]), heading=heading[2].strip()))
            continue
        lines.append(line)
        if fenced and (not fence or fenced[1].startswith(fence)):
            fence = "" if fence else fenced[1]
    return blocks + _take_blocks(lines)


def _take_blocks(lines: list[str]) -> list[_Block]:
    """Return the collected lines as blocks no longer than a passage, and clear the lines."""
    text = "".join(lines)
    lines.clear()
    blocks: list[_Block] = []
    start = 0
    while start < len(text):
        is_last = len(text) - start <= MAX_PASSAGE_CHARS
        end = len(text) if is_last else _block_end(text, start)
        blocks.append(_Block(text=text[start:end]))
        start = end
    return blocks


def _block_end(text: str, start: int) -> int:
    """Return the end of the last line, sentence, word or sign that fits."""
    for rule in _BLOCK_END_PATTERNS:
        hits = rule.finditer(text, start + _TARGET_CHARS // 2, start + MAX_PASSAGE_CHARS)
        if ends := [hit.end() for hit in hits]:
            return ends[-1]
    return sign_border(text, start + MAX_PASSAGE_CHARS)


def _block_groups(blocks: list[_Block]) -> Iterator[list[_Block]]:
    group: list[_Block] = []
    size = 0
    for block in blocks:
        is_full = size + len(block.text) > _TARGET_CHARS or (
            block.level and size >= _MIN_CHARS_BEFORE_HEADING
        )
        if is_full and any(not part.level and part.text.strip() for part in group):
            yield group
            group, size = [], 0
        group.append(block)
        size += len(block.text)
    if group:
        yield group


def _join_passage(group: list[_Block], trail: dict[int, str]) -> Passage:
    """Join blocks; ``trail`` has the headings above, by level, and serves the next group too."""
    first = group[0].level or max(trail, default=0) + 1
    above = [trail[level] for level in sorted(trail) if level < first]
    contained = [block.heading for block in group if block.level]
    for block in group:
        if block.level:
            for level in [level for level in trail if level >= block.level]:
                del trail[level]
            trail[block.level] = block.heading
    headings = dict.fromkeys(name for name in above + contained if name)
    return Passage(headings=" > ".join(headings), body="".join(block.text for block in group))


class IndexDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document to index. ``url`` names it in results; ``location`` is where it was read.

    ``source`` is what the user asked to add: the document itself, or a folder that holds it.
    ``published`` is a date such as 2026-01-31, ``language`` a tag such as ``de-AT``. Words are
    stemmed by the rules of that language, or of the detected one.
    """

    url: str
    text: str
    title: str = ""
    published: str | None = None
    language: str | None = None
    location: str = ""
    source: str = ""
    digest: bytes = b""


class PreparedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document with all the work done that needs no lock on the file."""

    document: IndexDocument
    passages: tuple[Passage, ...]
    entries: tuple[TermEntry, ...]


def document_digest(content: bytes) -> bytes:
    """Return a BLAKE2b digest of the content; it changes when the content or the edition does."""
    return hashlib.blake2b(_DIGEST_EDITION + content, digest_size=16).digest()


def prepare_document(document: IndexDocument) -> PreparedDocument:
    """Split a document into passages and analyse them. Pure, and most of the work of adding."""
    text, title = _storable_text(document.text), _storable_text(document.title)
    passages = split_passages(text)
    tag, source = document.language, document.location or document.url
    language = stemmer_language(tag) if tag else detect_stemmer_language(text)
    content = msgspec.json.encode((title, document.published, tag, text))
    stored = msgspec.structs.replace(
        document,
        text=text,
        title=title,
        location=source,
        language=language,
        source=document.source or source,
        digest=document.digest or document_digest(content),
    )
    entries = tuple(
        term_entry(
            PassageText(
                title=title,
                url=document.url,
                headings=passage.headings,
                body=passage.body,
                language=language,
            )
        )
        for passage in passages
    )
    return PreparedDocument(document=stored, passages=passages, entries=entries)


def _storable_text(text: str) -> str:
    """Return text that can be encoded as UTF-8 and has no NUL, where SQLite would stop."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def prepare_documents_ahead(documents: Sequence[IndexDocument]) -> Iterator[PreparedDocument]:
    """Yield prepared documents in order; another thread prepares the next batch."""
    batches = [
        documents[start : start + BATCH_DOCUMENTS]
        for start in range(0, len(documents), BATCH_DOCUMENTS)
    ]
    with DaemonThreads(1, "webseam-prepare") as thread:
        ahead = thread.submit(partial(prepare_document_batch, batches[0]))
        for batch in batches[1:]:
            prepared, ahead = ahead.result(), thread.submit(partial(prepare_document_batch, batch))
            yield from prepared
        yield from ahead.result()


def prepare_document_batch(documents: Sequence[IndexDocument]) -> list[PreparedDocument]:
    """Prepare documents in this thread."""
    return [prepare_document(document) for document in documents]

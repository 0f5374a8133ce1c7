"""Documents on their way into the index, and as they are listed."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from ..language.function_words import detect_language
from ..language.stems import stemmer_language
from ..threads import DaemonThreads
from .passage_terms import PassageText, TermEntry, term_entry
from .passages import Passage, split_passages

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


# Many documents, prepared while those before them are written.

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

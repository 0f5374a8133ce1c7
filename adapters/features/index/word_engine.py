"""The words of passages in tantivy, which returns the numbers of matching passages.

Texts and totals are in the SQLite file; a number that the file does not have is skipped there.
Each entry is also stored as it was added: copying it into other words takes a fifth of the time
that the words of a text take.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import Self, TypeAlias, TypeVar

import tantivy

from .passage_terms import TermEntry

NUMBER_FIELD, WORDS_FIELD, MARKS_FIELD, DAY_FIELD = "number", "words", "marks", "day"
LOT_FIELD = "lot"
# Words arrive folded and stemmed, separated by blanks.
_BLANK_TOKENIZER = "whitespace"
# Bytes that are collected in memory before a segment is written. A query reads every segment, and
# each repeats its words: 100,000 passages of Chinese in one segment take a tenth less time and
# space than in five. Small additions use little memory.
_WRITER_HEAP_BYTES = 250_000_000
_MAX_PASSAGE_NUMBER = 2**63
# Scores of the engine, in single precision, that differ by no more are equal.
_EQUAL_SCORES = 1e-5
_MAX_EQUAL_PASSAGES, _RUN_GROWTH = 20_000, 3
# Class name of an engine panic in Python; the class cannot be imported.
_PANIC_CLASS_NAME = "PanicException"

Value = TypeVar("Value")
Hit: TypeAlias = tuple[float, tantivy.DocAddress]
SCHEMA = (
    tantivy.SchemaBuilder()
    .add_unsigned_field(NUMBER_FIELD, stored=True, indexed=True, fast=True)
    .add_text_field(
        WORDS_FIELD, stored=True, tokenizer_name=_BLANK_TOKENIZER, index_option="position"
    )
    .add_text_field(MARKS_FIELD, stored=True, tokenizer_name=_BLANK_TOKENIZER, index_option="basic")
    .add_integer_field(DAY_FIELD, stored=True, fast=True)
    .add_unsigned_field(LOT_FIELD, stored=True, fast=True)
    .build()
)


class WordsError(Exception):
    """The engine failed: its files are missing, damaged, or cannot be written."""


class WordsWriter:
    """Changes to the words; ``commit`` makes all of them visible."""

    def __init__(self, index: tantivy.Index) -> None:
        """Open a writer; the lock of the SQLite file excludes other writers."""
        with _ENGINE_ERRORS:
            self._writer = index.writer(_WRITER_HEAP_BYTES, num_threads=1)
        self._is_used = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        # Uncommitted changes are dropped; wait for running merges.
        with _ENGINE_ERRORS:
            self._writer.wait_merging_threads()

    def add_passages(self, passages: Sequence[tuple[int, TermEntry, int | None]]) -> None:
        """Add passages: number, words and day of each."""
        with _ENGINE_ERRORS:
            for number, entry, day in passages:
                document = tantivy.Document()
                document.add_unsigned(NUMBER_FIELD, number)
                document.add_unsigned(LOT_FIELD, entry.lot)
                # Separate texts, so that no phrase spans two fields.
                for words in entry.words:
                    document.add_text(WORDS_FIELD, words)
                document.add_text(MARKS_FIELD, entry.marks)
                if day is not None:
                    document.add_integer(DAY_FIELD, day)
                self._writer.add_document(document)
        self._is_used = self._is_used or bool(passages)

    def copy_passages(self, words: "Words") -> None:
        """Add all passages of other words."""
        with _ENGINE_ERRORS:
            for entry in words.stored_entries():
                self._writer.add_document(entry)
        self._is_used = True

    def remove_passages(self, numbers: Sequence[int]) -> None:
        """Remove passages."""
        if numbers:
            # A term of an unsigned field deletes nothing: the engine makes a signed one of it.
            with _ENGINE_ERRORS:
                self._writer.delete_documents_by_query(passages_in_query(numbers))
            self._is_used = True

    def remove_passages_above(self, number: int) -> None:
        """Remove passages with a higher number: their transaction never ended."""
        with _ENGINE_ERRORS:
            self._writer.delete_documents_by_query(passages_above_query(number))

    def commit(self) -> None:
        """Write the changes to disk if there are any."""
        if self._is_used:
            with _ENGINE_ERRORS:
                self._writer.commit()


class Words:
    """Open words. ``name`` is that of their folder, or empty for words in memory."""

    def __init__(self, name: str, index: tantivy.Index) -> None:
        """Store an open index; use ``make_words`` or ``open_words`` to open one."""
        self.name = name
        self._index = index
        self._searcher = index.searcher()

    def open_writer(self) -> WordsWriter:
        """Open a writer."""
        return WordsWriter(self._index)

    def reload(self) -> None:
        """Load changes that were committed since."""
        with _ENGINE_ERRORS:
            self._index.reload()
            self._searcher = self._index.searcher()

    def passage_count(self) -> int:
        """Return the number of passages."""
        return self._searcher.num_docs

    def document_frequencies(self, terms: Iterable[str], field: str = WORDS_FIELD) -> list[int]:
        """Return how many passages have each term; removed passages may be included."""
        with _ENGINE_ERRORS:
            return [self._searcher.doc_freq(field, term) for term in terms]

    def terms_with_prefix(
        self, prefix: str, limit: int, field: str = WORDS_FIELD
    ) -> list[tuple[str, int]]:
        """Return words that begin so with their number of passages, commonest first."""
        with _ENGINE_ERRORS:
            return self._searcher.terms_with_prefix(field, prefix, limit=limit)

    def count_matches(self, query: tantivy.Query) -> int:
        """Return how many passages match."""
        with _ENGINE_ERRORS:
            matches = self._searcher.search(query, 1, count=True)
            return int(matches.count or 0)  # type: ignore[attr-defined]  # left out of its stubs

    def best_passages(self, query: tantivy.Query, limit: int) -> list[tuple[float, int]]:
        """Return scores and passage numbers, best first; the lot decides between the last.

        The engine would choose among passages of equal scores by its segments, which tell in what
        order documents were added. So all passages with the score of the last are asked for.
        """
        with _ENGINE_ERRORS:
            asked = limit + 1
            hits = self._searcher.search(query, asked, count=False).hits
            while len(hits) == asked and hits[-1][0] >= hits[limit - 1][0] - _EQUAL_SCORES:
                if asked > _MAX_EQUAL_PASSAGES:
                    break
                asked *= _RUN_GROWTH
                hits = self._searcher.search(query, asked, count=False).hits
            if len(hits) > limit:
                hits = self._best_by_lot(hits, limit)
            return list(zip([score for score, _ in hits], self._passage_numbers(hits), strict=True))

    def _best_by_lot(self, hits: Sequence[Hit], limit: int) -> list[Hit]:
        last = hits[limit - 1][0]
        better = [hit for hit in hits[:limit] if hit[0] > last + _EQUAL_SCORES]
        equal = [hit for hit in hits[len(better) :] if hit[0] >= last - _EQUAL_SCORES]
        lots = self._searcher.fast_field_values(LOT_FIELD, [address for _, address in equal])
        numbers = self._passage_numbers(equal)
        drawn = nsmallest(limit - len(better), zip(lots, numbers, equal, strict=True))
        return [*better, *(hit for _, _, hit in drawn)]

    def first_passages(self, query: tantivy.Query, limit: int) -> list[int]:
        """Return the numbers of matching passages in ascending order."""
        order = tantivy.Order.Asc
        search = partial(self._searcher.search, order_by_field=NUMBER_FIELD, order=order)
        with _ENGINE_ERRORS:
            return self._passage_numbers(search(query, limit, count=False).hits)

    def stored_entries(self) -> Iterator[tantivy.Document]:
        """Yield the entry of each passage, as it was added."""
        count = max(self.passage_count(), 1)
        hits = self._searcher.search(tantivy.Query.all_query(), count, count=False).hits
        return (self._searcher.doc(address) for _, address in hits)

    def _passage_numbers(self, hits: Sequence[tuple[object, tantivy.DocAddress]]) -> list[int]:
        values = self._searcher.fast_field_values(NUMBER_FIELD, [address for _, address in hits])
        return [int(value or 0) for value in values]


def passages_above_query(number: int) -> tantivy.Query:
    """Return a query for every passage with a higher number."""
    kind = tantivy.FieldType.Unsigned
    return tantivy.Query.range_query(SCHEMA, NUMBER_FIELD, kind, number + 1, _MAX_PASSAGE_NUMBER)


def passages_in_query(numbers: Sequence[int]) -> tantivy.Query:
    """Return a query for the passages with these numbers."""
    return tantivy.Query.term_set_query(SCHEMA, NUMBER_FIELD, numbers)


def make_words(folder: Path) -> Words:
    """Create words in an existing empty folder."""
    return _open_index(folder.name, lambda: tantivy.Index(SCHEMA, str(folder), reuse=False))


def make_words_in_memory() -> Words:
    """Create words that exist only in this process."""
    return _open_index("", lambda: tantivy.Index(SCHEMA))


def open_words(folder: Path, name: str) -> Words:
    """Open the words in a folder."""
    return _open_index(name, lambda: tantivy.Index.open(str(folder)))


def _open_index(name: str, call: Callable[[], tantivy.Index]) -> Words:
    with _ENGINE_ERRORS:
        index = call()
        # We reload explicitly, so the reader needs no file watcher.
        index.config_reader("manual", 0)
        return Words(name, index)


class _WordsEngineErrors:
    """Raise every error of the engine as ``WordsError``; a generator takes ten times as long."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        is_panic = type(error).__name__ == _PANIC_CLASS_NAME
        if is_panic or isinstance(error, ValueError | OSError):
            raise WordsError(str(error)) from error


_ENGINE_ERRORS = _WordsEngineErrors()

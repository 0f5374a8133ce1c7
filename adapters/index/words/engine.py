"""The words of passages in tantivy: which passages have them, the best first.

Only words live here, and only numbers come out. The texts, and what counts, are in the SQLite file:
a number that it does not know is nobody's, and is passed over by who looks it up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import tantivy

from ..passage_terms import TermEntry

NUMBER, WORDS, MARKS, DAY = "number", "words", "marks", "day"
# The words are cut, folded and stemmed when they come here; only blanks stand between them.
_BLANKS = "whitespace"
# What is gathered in memory before it is written as a piece. A query goes through every piece, and
# each has all its words: 100,000 passages of Chinese are one, and take a tenth less time and room
# than as five. Little that is added takes little.
_GATHERED_BYTES = 250_000_000
_MAX_PASSAGE_NUMBER = 2**63
# What a panic of the engine is called in Python; it is of no class that can be imported.
_PANIC = "PanicException"

Value = TypeVar("Value")


class WordsError(Exception):
    """The engine could not do what it should: its files are gone, damaged, or cannot be written."""


def _schema() -> tantivy.Schema:
    fields = tantivy.SchemaBuilder()
    fields.add_unsigned_field(NUMBER, indexed=True, fast=True)
    fields.add_text_field(WORDS, tokenizer_name=_BLANKS, index_option="position")
    fields.add_text_field(MARKS, tokenizer_name=_BLANKS, index_option="basic")
    fields.add_integer_field(DAY, fast=True)
    return fields.build()


SCHEMA = _schema()


class WordsWriter:
    """Changes to the words. After ``commit`` all of them can be found, before it none."""

    def __init__(self, index: tantivy.Index) -> None:
        """Begin; nobody else may write meanwhile, which the lock of the SQLite file sees to."""
        with _engine():
            self._writer = index.writer(_GATHERED_BYTES, num_threads=1)
        self._is_used = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What was not committed is dropped; what is being merged is waited for.
        with _engine():
            self._writer.wait_merging_threads()

    def put(self, passages: Sequence[tuple[int, TermEntry, int | None]]) -> None:
        """Add passages: the number, the words and the day of each."""
        with _engine():
            for number, entry, day in passages:
                document = tantivy.Document()
                document.add_unsigned(NUMBER, number)
                # Texts of their own: no phrase goes over from one into the next.
                for words in entry.words:
                    document.add_text(WORDS, words)
                document.add_text(MARKS, entry.marks)
                if day is not None:
                    document.add_integer(DAY, day)
                self._writer.add_document(document)
        self._is_used = self._is_used or bool(passages)

    def remove(self, numbers: Sequence[int]) -> None:
        """Take passages out."""
        with _engine():
            for number in numbers:
                self._writer.delete_documents_by_term(NUMBER, number)
        self._is_used = self._is_used or bool(numbers)

    def remove_above(self, number: int) -> None:
        """Take out what has a higher number: it is of a transaction that never ended."""
        with _engine():
            self._writer.delete_documents_by_query(numbered_above(number))

    def commit(self) -> None:
        """Keep the changes, on the disk, if there are any."""
        if self._is_used:
            with _engine():
                self._writer.commit()


class Words:
    """Open words. ``name`` is that of their folder; those in memory have none."""

    def __init__(self, name: str, index: tantivy.Index) -> None:
        """Use ``make_words`` or ``open_words``; this only keeps what they opened."""
        self.name = name
        self._index = index
        self._searcher = index.searcher()

    def pen(self) -> WordsWriter:
        """Begin to write."""
        return WordsWriter(self._index)

    def reload(self) -> None:
        """See what was written since."""
        with _engine():
            self._index.reload()
            self._searcher = self._index.searcher()

    def passages(self) -> int:
        """Return how many passages there are."""
        return self._searcher.num_docs

    def passages_with(self, terms: Iterable[str], field: str = WORDS) -> list[int]:
        """Return how many passages have each term; some that are gone may be among them."""
        with _engine():
            return [self._searcher.doc_freq(field, term) for term in terms]

    def beginning(self, begin: str, most: int) -> list[tuple[str, int]]:
        """Return words that begin so, and how many passages have each; the commonest first."""
        with _engine():
            return self._searcher.terms_with_prefix(WORDS, begin, limit=most)

    def count(self, query: tantivy.Query) -> int:
        """Return how many passages match."""
        with _engine():
            found = self._searcher.search(query, 1, count=True)
            return int(found.count or 0)  # type: ignore[attr-defined]  # left out of its stubs

    def best(self, query: tantivy.Query, most: int) -> list[tuple[float, int]]:
        """Return scores and numbers, best first."""
        with _engine():
            hits = self._searcher.search(query, most, count=False).hits
            return list(zip([score for score, _ in hits], self._numbers(hits), strict=True))

    def first(self, query: tantivy.Query, most: int) -> list[int]:
        """Return the numbers of passages that match, in their order."""
        with _engine():
            order = tantivy.Order.Asc
            found = self._searcher.search(
                query, most, count=False, order_by_field=NUMBER, order=order
            )
            return self._numbers(found.hits)

    def _numbers(self, hits: Sequence[tuple[object, tantivy.DocAddress]]) -> list[int]:
        values = self._searcher.fast_field_values(NUMBER, [address for _, address in hits])
        return [int(value or 0) for value in values]


def numbered_above(number: int) -> tantivy.Query:
    """Return a query for every passage with a higher number."""
    kind = tantivy.FieldType.Unsigned
    return tantivy.Query.range_query(SCHEMA, NUMBER, kind, number + 1, _MAX_PASSAGE_NUMBER)


def numbered_in(numbers: Sequence[int]) -> tantivy.Query:
    """Return a query for the passages with these numbers."""
    return tantivy.Query.term_set_query(SCHEMA, NUMBER, numbers)


def make_words(folder: Path) -> Words:
    """Begin words in a folder that is there and empty."""
    return _opened(folder.name, lambda: tantivy.Index(SCHEMA, str(folder), reuse=False))


def make_words_in_memory() -> Words:
    """Begin words that are gone with the process."""
    return _opened("", lambda: tantivy.Index(SCHEMA))


def open_words(folder: Path, name: str) -> Words:
    """Open the words in a folder."""
    return _opened(name, lambda: tantivy.Index.open(str(folder)))


def _opened(name: str, call: Callable[[], tantivy.Index]) -> Words:
    with _engine():
        index = call()
        # We know when something was written; nobody needs to watch the folder.
        index.config_reader("manual", 0)
        return Words(name, index)


@contextmanager
def _engine() -> Iterator[None]:
    """Turn whatever the engine raises into one kind of error."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise WordsError(str(error)) from error
    except BaseException as error:
        if type(error).__name__ == _PANIC:
            raise WordsError(str(error)) from error
        raise

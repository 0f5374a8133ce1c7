"""The signs of a query hold for documents: ``kiwi -mango`` drops a text with mango anywhere in it.

The engine knows passages only, and a word may stand thousands of characters away from another. So
its candidates are looked up here: which documents they are of, and which passages of those have the
required and excluded words. Documents of one passage need no look.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Sequence

from webseam.adapters.stores.sqlite import fetch_by_numbers

from ..query import QueryPlan
from ..schema import passage_range
from ..word_engine import Words, passages_in_query
from ..word_queries import matching_query, runs_query

_SELECT_DOCUMENTS = """
    SELECT DISTINCT documents.id, documents.passages
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
    ORDER BY documents.id
"""


class DocumentSigns:
    """Which documents have all required words of a plan, and none that it excludes."""

    def __init__(self, connection: sqlite3.Connection, words: Words, plan: QueryPlan) -> None:
        """Look at no document yet."""
        self._connection = connection
        self._words = words
        self._required = [runs_query(runs) for runs in plan.required]
        self._excluded = [runs_query([run]) for run in plan.excluded]
        self._allowed: dict[int, bool] = {}

    def allowed_passages(self, numbers: Sequence[int]) -> set[int]:
        """Return those of ``numbers`` whose documents the signs allow."""
        documents = fetch_by_numbers(
            self._connection, _SELECT_DOCUMENTS, list(numbers), tuple[int, int]
        )
        self._judge([row for row in documents if row[0] not in self._allowed])
        starts = [document for document, _ in documents]
        allowed: set[int] = set()
        for number in numbers:
            at = bisect_right(starts, number) - 1
            # Passages of no document were removed, or never committed.
            if at >= 0 and self._allowed[starts[at]]:
                allowed.add(number)
        return allowed

    def _judge(self, documents: Sequence[tuple[int, int]]) -> None:
        starts = [document for document, _ in documents]
        passages = [number for row in documents for number in range(*passage_range(*row))]
        within = passages_in_query(passages)
        lawful = set(starts)
        for query, is_required in [
            *((query, True) for query in self._required),
            *((query, False) for query in self._excluded),
        ]:
            if passages and lawful:
                found = self._words.first_passages(matching_query(query, within), len(passages))
                having = {starts[bisect_right(starts, number) - 1] for number in found}
                lawful = lawful & having if is_required else lawful - having
        self._allowed |= {document: document in lawful for document in starts}

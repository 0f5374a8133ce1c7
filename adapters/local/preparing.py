"""Many documents, prepared while those before them are written.

SQLite lets go of Python's lock for as long as a statement runs, so that one more processor helps.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from .documents import Document, Prepared, prepare

AT_ONCE = 2000


def prepare_ahead(documents: Sequence[Document]) -> Iterator[Prepared]:
    """Yield the documents in order, prepared some at a time: the next ones by another thread."""
    stretches = [documents[start : start + AT_ONCE] for start in range(0, len(documents), AT_ONCE)]
    with ThreadPoolExecutor(1, thread_name_prefix="webseam-prepare") as thread:
        ahead = thread.submit(prepare_all, stretches[0])
        for stretch in stretches[1:]:
            ready, ahead = ahead.result(), thread.submit(prepare_all, stretch)
            yield from ready
        yield from ahead.result()


def prepare_all(documents: Sequence[Document]) -> list[Prepared]:
    """Prepare documents here and now."""
    return [prepare(document) for document in documents]

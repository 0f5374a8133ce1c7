"""Add and refresh sources of the index, and count what came of each document.

Whoever wants to show the work watches the tally; nothing is printed here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.index.ingestion import IngestItem, IngestResult, ingest_items
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.folder_files import Admission, SkipReason, path_from_text, path_text
from webseam.ports.errors import SourceUnreadable, WebError

from ...settings.file_locations import path_exists
from ...wiring.backend_rows import Root
from . import removal
from .document_readers import (
    IndexReader,
    ReaderDeps,
    file_open_error,
    index_items,
    index_location,
    read_index_item,
)

SKIP_REASONS: tuple[SkipReason, ...] = (
    "links", "special", "secrets", "kinds", "empty", "gone", "unreadable",
)  # fmt: skip
_OUTCOMES = ("added", "updated", "unchanged", "removed", "failed")
_NEVER_ADDED_ERROR = SourceUnreadable(reason="it was never added; add it with: webseam index add")
# A document skipped for these reasons is removed from the index.
_DROPPED_REASONS = frozenset(("secrets", "empty", "gone"))


class IngestOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which files are taken: behind links that lead out of a folder, and those like secrets."""

    follow_links: bool = False
    include_secrets: bool = False


class IngestTally:
    """Counts the outcome of each document.

    ``on_begin`` is told how many documents there are, ``on_document`` each that is done with, and
    ``on_skip`` each file that is not looked into.
    """

    def __init__(
        self,
        on_begin: Callable[[int], None] = lambda _total: None,
        on_document: Callable[[IngestResult], None] = lambda _document: None,
        on_skip: Callable[[Path, SkipReason], None] = lambda _path, _reason: None,
    ) -> None:
        self.counts = dict.fromkeys(_OUTCOMES, 0)
        self.passages = 0
        self.skipped: dict[SkipReason, int] = dict.fromkeys(SKIP_REASONS, 0)
        self.dropped: list[str] = []
        # Named sources that were not added, and those without any document.
        self.refused: list[str] = []
        self.empty_sources: list[str] = []
        self.failures: list[tuple[str, WebError]] = []
        self.unread: list[tuple[str, WebError]] = []
        self.kept_documents = self.skipped_documents = self.total = 0
        self._links: set[Path] = set()
        self._closed: set[Path] = set()
        self._on_begin, self._on_document, self._on_skip = on_begin, on_document, on_skip

    @property
    def done(self) -> int:
        """How many documents are done with."""
        return sum(self.counts.values()) - self.counts["removed"] + self.skipped_documents

    def begin(self, total: int) -> None:
        """Begin with ``total`` documents."""
        self.total = total
        self._on_begin(total)

    def refuse_locations(self, locations: Sequence[str], error: WebError) -> None:
        """Count named locations as failures."""
        self.failures += ((location, error) for location in locations)

    def count_skipped_file(self, path: Path, reason: SkipReason) -> None:
        """Count a file that is not looked into."""
        self.skipped[reason] += 1
        if reason == "links":
            self._links.add(path)
        self._on_skip(path, reason)

    def count_closed_folder(self, path: Path, error: OSError) -> None:
        """Count a folder that cannot be looked into as a failure."""
        self._closed.add(path)
        self.failures.append((path_text(path), file_open_error(error)))

    def is_document_kept(self, location: str) -> bool:
        """Tell whether a document stays: behind an unfollowed link or in an unreadable folder."""
        path = path_from_text(location)
        if not self._closed.isdisjoint(path.parents):
            return True
        is_kept = not self._links.isdisjoint((path, *path.parents)) and path_exists(path)
        self.kept_documents += is_kept
        return is_kept

    def count_document(self, document: IngestResult) -> None:
        """Count one document that is done with."""
        self._on_document(document)
        if document.reason is not None:
            self._count_skipped_document(document, document.reason)
            return
        self.counts[document.outcome] += 1
        self.passages += document.passages
        if document.error is not None:
            self.failures.append((document.item.location, document.error))
            if document.item.location == document.item.source:
                self.refused.append(document.item.source)

    def _count_skipped_document(self, document: IngestResult, reason: SkipReason) -> None:
        """Count a document that is not taken in: a failure, if it was named itself."""
        item, error = document.item, document.error
        self.skipped_documents += 1
        is_named = item.location == item.source
        if reason in _DROPPED_REASONS and not (is_named and reason == "gone"):
            self.dropped.append(item.url)
        if is_named:
            self.refused.append(item.source)
        if error is not None and is_named:
            self.failures.append((item.location, error))
            return
        if error is not None and reason == "unreadable":
            self.unread.append((item.location, error))
        self.count_skipped_file(Path(item.location), reason)


def add_sources(
    index: DocumentIndex,
    sources: Sequence[str],
    root: Root,
    tally: IngestTally,
    options: IngestOptions,
) -> Result[None, WebError]:
    """Add the documents of ``sources``, skip unchanged ones, and remember the sources."""
    present, absent = removal.split_absent_locations([*map(index_location, sources)])
    remembered = index.remember_sources(present)
    if isinstance(remembered, Failure):
        return remembered
    missing = SourceUnreadable(reason="there is no such file or folder")
    tally.refuse_locations(absent, missing)
    items = index_items(
        present, _admission(options), tally.count_skipped_file, tally.count_closed_folder
    )
    return _ingest(index, items, root, tally, options, keeps_sources=False)


def refresh_sources(
    index: DocumentIndex,
    sources: Sequence[str],
    root: Root,
    tally: IngestTally,
    options: IngestOptions,
) -> Result[None, WebError]:
    """Read remembered sources again, only those in ``sources`` if any are named.

    Documents that are gone are removed.
    """
    remembered = index.sources()
    if isinstance(remembered, Failure):
        return remembered
    named = list(dict.fromkeys(map(index_location, sources)))
    hits = [
        source for source in remembered.unwrap() if removal.overlaps_named_location(source, named)
    ]
    present, absent = removal.split_absent_locations(hits)
    reason = "there is no such file or folder; webseam index remove forgets it"
    tally.refuse_locations(absent, SourceUnreadable(reason=reason))
    on_skip = removal.make_named_skip_filter(named, tally.count_skipped_file)
    every = index_items(present, _admission(options), on_skip, tally.count_closed_folder)
    items = [item for item in every if removal.is_named_location(item.location, named)]
    listed = index.documents()
    if isinstance(listed, Failure):
        return listed
    documents = listed.unwrap()
    known = [*absent, *(item.location for item in items), *(row.location for row in documents)]
    strangers = [
        name
        for name in named
        if not any(removal.is_location_below(location, name) for location in known)
    ]
    tally.refuse_locations(strangers, _NEVER_ADDED_ERROR)
    urls, folders = {item.url for item in items}, set(present)
    missing = [row for row in documents if row.source in folders and row.url not in urls]
    meant_missing = (row for row in missing if removal.is_named_location(row.location, named))
    gone = [row.url for row in meant_missing if not tally.is_document_kept(row.location)]
    removed = index.remove(gone)
    if isinstance(removed, Failure):
        return removed
    tally.counts["removed"] = removed.unwrap()
    return _ingest(index, items, root, tally, options, keeps_sources=True)


def _ingest(
    index: DocumentIndex,
    items: list[IngestItem],
    root: Root,
    tally: IngestTally,
    options: IngestOptions,
    *,
    keeps_sources: bool,
) -> Result[None, WebError]:
    tally.begin(len(items))
    with _open_readers(root, options) as readers:
        read_item = partial(read_index_item, readers=readers)
        outcome = ingest_items(index, items, read_item, tally.count_document)
    # Remove documents that now look like a secret or have no text.
    dropped = outcome.bind(lambda _: index.remove(tally.dropped))
    if isinstance(dropped, Failure):
        return dropped
    tally.counts["removed"] += dropped.unwrap()
    tally.counts["failed"] = len(tally.failures)
    index.renew_words()
    empty_sources = removal.forget_empty_sources(index, tally.refused, keeps=keeps_sources)
    if isinstance(empty_sources, Failure):
        return empty_sources
    tally.empty_sources = empty_sources.unwrap()
    return Success(None)


@contextmanager
def _open_readers(root: Root, options: IngestOptions) -> Iterator[ReaderDeps]:
    with IndexReader(root) as reader:
        yield ReaderDeps(
            read_page=reader.read_page, convert=reader.convert, secrets=options.include_secrets
        )


def _admission(options: IngestOptions) -> Admission:
    return Admission(links=options.follow_links, secrets=options.include_secrets)

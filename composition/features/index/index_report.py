"""The report of ``webseam index add`` and ``refresh``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result

from webseam.adapters.features.index.ingestion import IngestResult
from webseam.adapters.folder_files import SkipReason, path_from_text, path_text
from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.text.display import one_line
from webseam.ports.errors import SourceUnreadable, WebError

from ...settings.file_locations import path_exists
from ...terminal.exit_codes import DONE, INTERRUPTED, failure_exit_code
from ...terminal.output import print_json
from ...terminal.progress import Progress
from ...terminal.styled_lines import NextStep, Span, hanging_lines, step_lines
from ...terminal.terminal_look import read_terminal_look
from .document_readers import file_open_error

if TYPE_CHECKING:
    from .index_vectors import EmbeddingCount

_SKIP_REASONS: dict[SkipReason, str] = {
    "links": "a link that leads out of the folder",
    "special": "no regular file",
    "secrets": "it looks like a secret",
    "kinds": "not a kind that is read from folders",
    "empty": "it has no text",
    "gone": "a broken link, or a file that was just deleted",
    "unreadable": "it cannot be read",
}
_SKIP_SUMMARIES: dict[SkipReason, str] = {
    "links": "links that lead out of the folder (--follow-links takes them)",
    "special": "that are no regular files",
    "secrets": "that look like secrets (--include-secrets takes them)",
    "kinds": "of kinds that are read only when they are named",
    "empty": "that have no text",
    "gone": "that are broken links or were just deleted",
    "unreadable": "that cannot be read (damaged, with a password, too large)",
}
_NEVER_ADDED_ERROR = SourceUnreadable(reason="it was never added; add it with: webseam index add")
# A document skipped for these reasons is removed from the index.
_DROPPED_REASONS = frozenset(("secrets", "empty", "gone"))


class IndexReport:
    """Counts the outcome of each document and prints the totals."""

    def __init__(self, options: argparse.Namespace, absent: list[str]) -> None:
        self.counts = dict.fromkeys(("added", "updated", "unchanged", "removed", "failed"), 0)
        self.passages = 0
        self.skipped: dict[SkipReason, int] = dict.fromkeys(_SKIP_REASONS, 0)
        self.dropped: list[str] = []
        # Named sources that were not added, and those without any document.
        self.refused: list[str] = []
        self.empty_sources: list[str] = []
        self._unread: list[tuple[str, WebError]] = []
        self._links: set[Path] = set()
        self._closed: set[Path] = set()
        self._kept_documents = self._skipped_documents = 0
        forget = "; webseam index remove forgets it" if options.action == "refresh" else ""
        missing = SourceUnreadable(reason=f"there is no such file or folder{forget}")
        self.vectors: Result[EmbeddingCount, WebError] | None = None
        self.failures: list[tuple[str, WebError]] = [(location, missing) for location in absent]
        self._total = 0
        self._progress = Progress("Indexing", 0)
        # A pipe gets a line for each document once it is stored.
        self._is_verbose = not options.json and (options.verbose or not sys.stdout.isatty())

    def refuse_unknown_sources(self, strangers: Sequence[str]) -> None:
        """Count named locations that were never added as failures."""
        self.failures += ((location, _NEVER_ADDED_ERROR) for location in strangers)

    def begin_progress(self, total: int) -> None:
        """Start the progress bar for ``total`` documents."""
        self._total = total
        self._progress = Progress("Indexing", total).__enter__()

    def count_skipped_file(self, path: Path, reason: SkipReason) -> None:
        """Count a file that is not looked into."""
        self.skipped[reason] += 1
        if reason == "links":
            self._links.add(path)
        # Folders hold many files of other kinds; only count them.
        if self._is_verbose and reason != "kinds":
            name = one_line(path_text(path), 4096)
            print(f"skipped {name} ({_SKIP_REASONS[reason]})", flush=True)

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
        self._kept_documents += is_kept
        return is_kept

    def __call__(self, document: IngestResult) -> None:
        """Count one document that is done with."""
        if document.reason is not None:
            self._count_skipped_document(document, document.reason)
            return
        self.counts[document.outcome] += 1
        self.passages += document.passages
        if document.error is not None:
            self.failures.append((document.item.location, document.error))
            if document.item.location == document.item.source:
                self.refused.append(document.item.source)
        self._progress.count_step(document.item.location)
        if self._is_verbose and document.outcome != "unchanged":
            print(f"{document.outcome} {one_line(document.item.location, 4096)}", flush=True)

    def _count_skipped_document(self, document: IngestResult, reason: SkipReason) -> None:
        """Count a document that is not taken in: a failure, if it was named itself."""
        item, error = document.item, document.error
        self._progress.count_step(item.location)
        self._skipped_documents += 1
        is_named = item.location == item.source
        if reason in _DROPPED_REASONS and not (is_named and reason == "gone"):
            self.dropped.append(item.url)
        if is_named:
            self.refused.append(item.source)
        if error is not None and is_named:
            self.failures.append((item.location, error))
            return
        if error is not None and reason == "unreadable":
            self._unread.append((item.location, error))
        self.count_skipped_file(Path(item.location), reason)

    def print_totals(self, options: argparse.Namespace) -> int:
        """Print the totals and return the exit code of the first failure, else DONE."""
        self._progress.clear_lines()
        self.counts["failed"] = len(self.failures)
        skips = [f"{count} {_SKIP_SUMMARIES[key]}" for key, count in self.skipped.items() if count]
        if options.json:
            print_json(self._envelope(), next(iter(self._errors()), None))
        else:
            for location, error in (*self._unread, *self.failures):
                print(f"webseam: {one_line(location, 4096)}: {error.message}", file=sys.stderr)
            print(", ".join(f"{count} {outcome}" for outcome, count in self.counts.items()) + ".")
            if skips:
                names = "" if self._is_verbose else " --verbose names them."
                print(f"Skipped: {', '.join(skips)}.{names}")
            if self._kept_documents:
                words = "behind links, as they were (--follow-links reads them again)"
                print(f"Kept: {self._kept_documents} {words}.")
            self._print_vector_count()
            self._print_empty_sources(options.action)
        errors = self._errors()
        return failure_exit_code(errors[0]) if errors else DONE

    def _errors(self) -> list[WebError]:
        """Return the errors in order; the first decides the exit code."""
        errors = [error for _, error in self.failures]
        return [*errors, self.vectors.failure()] if isinstance(self.vectors, Failure) else errors

    def _print_vector_count(self) -> None:
        if isinstance(self.vectors, Failure):
            message = self.vectors.failure().message
            print(f"webseam: kept without all vectors: {message}", file=sys.stderr)
        elif self.vectors is not None:
            print(embedded_passages_line(self.vectors.unwrap()))

    def _print_empty_sources(self, action: str) -> None:
        if not self.empty_sources:
            return
        names = ", ".join(one_line(source, 4096) for source in self.empty_sources)
        pronoun = "it" if len(self.empty_sources) == 1 else "them"
        if action == "refresh":
            print(f"The index has nothing of {names}. webseam index remove forgets {pronoun}.")
        else:
            can = "it can" if pronoun == "it" else "they can"
            again = f"Add {pronoun} again when {can} be read; refresh does not look for {pronoun}."
            print(f"Left out: {names}. {again}")

    def print_stop(self, command: str) -> int:
        """Print the counts of an interrupted run and the command to continue."""
        self._progress.clear_lines()
        look = read_terminal_look(sys.stderr)
        done = sum(self.counts.values()) - self.counts["removed"] + self._skipped_documents
        counts = {**self.counts, "not reached": max(0, self._total - done)}
        shown = [f"{count:,} {outcome}" for outcome, count in counts.items() if count]
        mark, title = Span(f"{look.symbols.care} ", "care"), "Stopped; finished work is stored."
        lines = [
            "",
            *hanging_lines([mark, Span(title, "title")], look, hang=2),
            *hanging_lines([Span(look.symbols.dot.join(shown), "quiet")], look, indent=2),
            "",
            *step_lines([NextStep("Go on", command.rstrip(), "skips what is unchanged")], look),
        ]
        print("\n".join(lines), file=sys.stderr)
        return INTERRUPTED

    def _envelope(self) -> dict[str, object]:
        failures, unread = (
            [{"location": location, **failure_envelope(error)} for location, error in errors]
            for errors in (self.failures, self._unread)
        )
        data: dict[str, object] = {
            **self.counts,
            "skipped": self.skipped,
            "kept": self._kept_documents,
            "passages": self.passages,
            "failures": failures,
            "unreadable": unread,
        }
        if isinstance(self.vectors, Failure):
            data["embedded"] = failure_envelope(self.vectors.failure())
        elif self.vectors is not None:
            data["embedded"] = msgspec.to_builtins(self.vectors.unwrap())
        errors = self._errors()
        return {**(failure_envelope(errors[0]) if errors else {"success": True}), "data": data}


def embedded_passages_line(done: "EmbeddingCount") -> str:
    """Return what was embedded, in a line."""
    tokens = f", {done.tokens:,} tokens" if done.tokens else ""
    return f"{done.passages:,} passages embedded by {done.model}{tokens}."

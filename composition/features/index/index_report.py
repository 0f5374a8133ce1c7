"""The report of ``webseam index add`` and ``refresh``."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result

from webseam.adapters.features.index.ingestion import IngestResult
from webseam.adapters.folder_files import SkipReason, path_text
from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.text.display import one_line
from webseam.ports.errors import WebError

from ...terminal.exit_codes import DONE, INTERRUPTED, failure_exit_code
from ...terminal.output import print_json
from ...terminal.progress import Progress
from ...terminal.styled_lines import NextStep, Span, hanging_lines, step_lines
from ...terminal.terminal_look import read_terminal_look
from .ingest_work import IngestTally

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


class IndexReport:
    """Shows the outcome of each document while it is counted, and the totals."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.tally = IngestTally(self._begin_progress, self._show_document, self._show_skipped_file)
        self.vectors: Result[EmbeddingCount, WebError] | None = None
        self._progress = Progress("Indexing", 0)
        # A pipe gets a line for each document once it is stored.
        self._is_verbose = not options.json and (options.verbose or not sys.stdout.isatty())

    def _begin_progress(self, total: int) -> None:
        self._progress = Progress("Indexing", total).__enter__()

    def _show_skipped_file(self, path: Path, reason: SkipReason) -> None:
        # Folders hold many files of other kinds; only count them.
        if self._is_verbose and reason != "kinds":
            name = one_line(path_text(path), 4096)
            print(f"skipped {name} ({_SKIP_REASONS[reason]})", flush=True)

    def _show_document(self, document: IngestResult) -> None:
        self._progress.count_step(document.item.location)
        is_changed = document.reason is None and document.outcome != "unchanged"
        if self._is_verbose and is_changed:
            print(f"{document.outcome} {one_line(document.item.location, 4096)}", flush=True)

    def print_totals(self, options: argparse.Namespace) -> int:
        """Print the totals and return the exit code of the first failure, else DONE."""
        self._progress.clear_lines()
        tally = self.tally
        skips = [f"{count} {_SKIP_SUMMARIES[key]}" for key, count in tally.skipped.items() if count]
        if options.json:
            print_json(self._envelope(), next(iter(self._errors()), None))
        else:
            for location, error in (*tally.unread, *tally.failures):
                print(f"webseam: {one_line(location, 4096)}: {error.message}", file=sys.stderr)
            print(", ".join(f"{count} {outcome}" for outcome, count in tally.counts.items()) + ".")
            if skips:
                names = "" if self._is_verbose else " --verbose names them."
                print(f"Skipped: {', '.join(skips)}.{names}")
            if tally.kept_documents:
                words = "behind links, as they were (--follow-links reads them again)"
                print(f"Kept: {tally.kept_documents} {words}.")
            self._print_vector_count()
            self._print_empty_sources(options.action)
        errors = self._errors()
        return failure_exit_code(errors[0]) if errors else DONE

    def _errors(self) -> list[WebError]:
        """Return the errors in order; the first decides the exit code."""
        errors = [error for _, error in self.tally.failures]
        return [*errors, self.vectors.failure()] if isinstance(self.vectors, Failure) else errors

    def _print_vector_count(self) -> None:
        if isinstance(self.vectors, Failure):
            message = self.vectors.failure().message
            print(f"webseam: kept without all vectors: {message}", file=sys.stderr)
        elif self.vectors is not None:
            print(embedded_passages_line(self.vectors.unwrap()))

    def _print_empty_sources(self, action: str) -> None:
        sources = self.tally.empty_sources
        if not sources:
            return
        names = ", ".join(one_line(source, 4096) for source in sources)
        pronoun = "it" if len(sources) == 1 else "them"
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
        not_reached = max(0, self.tally.total - self.tally.done)
        counts = {**self.tally.counts, "not reached": not_reached}
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
            for errors in (self.tally.failures, self.tally.unread)
        )
        data: dict[str, object] = {
            **self.tally.counts,
            "skipped": self.tally.skipped,
            "kept": self.tally.kept_documents,
            "passages": self.tally.passages,
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

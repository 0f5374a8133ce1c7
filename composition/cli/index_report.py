"""What ``webseam index add`` and ``refresh`` say about their work."""

import argparse
import sys

from ...adapters.index.intake import Taken
from ...kernel.envelopes import failure_envelope
from ...kernel.text.display import one_line
from ...ports.errors import SourceUnreadable, WebError
from .exits import DONE, exit_code
from .output import say_json
from .progress import Progress


class IndexReport:
    """Counts what became of each document, and says it when it is kept."""

    def __init__(self, options: argparse.Namespace, absent: list[str]) -> None:
        self.counts = dict.fromkeys(("added", "updated", "unchanged", "removed", "failed"), 0)
        self.passages = 0
        missing = SourceUnreadable(reason="there is no such file or folder")
        self.failures: list[tuple[str, WebError]] = [(each, missing) for each in absent]
        self._progress = Progress("Indexing", 0)
        # Whoever reads our output as it comes learns of each document when it is safe.
        self._named = not options.json and (options.verbose or not sys.stdout.isatty())

    def begin(self, total: int) -> None:
        """Be ready for so many documents."""
        self._progress = Progress("Indexing", total).__enter__()

    def __call__(self, taken: Taken) -> None:
        """Count one document that is done with."""
        self.counts[taken.outcome] += 1
        self.passages += taken.passages
        if taken.error is not None:
            self.failures.append((taken.item.location, taken.error))
        self._progress.step(taken.item.location)
        if self._named and taken.outcome != "unchanged":
            print(f"{taken.outcome} {one_line(taken.item.location, 4096)}", flush=True)

    def end(self, options: argparse.Namespace) -> int:
        """Say how it went, and return the exit code: that of the first failure, if any."""
        self._progress.end()
        self.counts["failed"] = len(self.failures)
        if options.json:
            say_json(self._envelope())
        else:
            for location, error in self.failures:
                print(f"webseam: {one_line(location, 4096)}: {error.message}", file=sys.stderr)
            print(", ".join(f"{count} {what}" for what, count in self.counts.items()) + ".")
        return exit_code(self.failures[0][1]) if self.failures else DONE

    def _envelope(self) -> dict[str, object]:
        failures = [
            {"location": location, **failure_envelope(error)} for location, error in self.failures
        ]
        data = {**self.counts, "passages": self.passages, "failures": failures}
        return {"success": not self.failures, "data": data}

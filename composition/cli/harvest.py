"""Pages as they come: counted, and where a folder was named, kept at once.

So an interrupt loses no page that was read, and the same command goes on with the rest.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec
from returns.result import Failure

from ...ports.errors import WebError
from ..tools.stages import CallOutcome
from .output_files import FAILED_URLS_FILE, Destination, write_whole
from .screen.formats import page_body, page_entries


class Harvest:
    """What was read so far, of all that was asked for."""

    def __init__(
        self, urls: Sequence[str], destination: Destination | None, options: str = ""
    ) -> None:
        """Read ``urls``; ``options`` are all else that was typed, to be typed again."""
        self.urls = tuple(urls)
        self.options = options
        self.destination = destination
        self.kept_before = [url for url in urls if destination is not None and destination.has(url)]
        self.calls: dict[str, CallOutcome] = {}
        self.problem: WebError | None = None

    @property
    def wanted(self) -> list[str]:
        """The URLs that are still to be read."""
        known = {*self.kept_before, *self.calls}
        return [url for url in self.urls if url not in known]

    @property
    def errors(self) -> dict[str, WebError]:
        """Why pages were not read, by their URLs."""
        return {url: call.reply.error for url, call in self.calls.items() if call.reply.error}

    @property
    def read(self) -> int:
        """How many pages were read."""
        return len(self.calls) - len(self.errors)

    def kinds(self) -> list[tuple[str, list[str]]]:
        """Return the kinds of failure with their URLs, the most frequent first."""
        kinds = {url: str(type(error).__struct_config__.tag) for url, error in self.errors.items()}
        counted = Counter(kinds.values()).most_common()
        return [(kind, [url for url in kinds if kinds[url] == kind]) for kind, _ in counted]

    def take(self, url: str, called: CallOutcome) -> None:
        """Count a page, and write it where there is a folder for it."""
        self.calls[url] = called
        destination = self.destination
        if destination is None or not destination.folder or called.reply.error is not None:
            return
        entries = page_entries(called.reply.envelope)
        if destination.form == "json":
            text = msgspec.json.format(msgspec.json.encode(called.reply.envelope)).decode()
        else:
            text = "\n\n".join(page_body(entry, destination.form) for entry in entries)
        written = write_whole(destination.file_of(url), f"{text}\n")
        if isinstance(written, Failure):
            self.problem = written.failure()

    def leave_over(self) -> list[str]:
        """Write down which pages may still be read; return their URLs."""
        again = [url for url, error in self.errors.items() if error.retryable] + self.wanted
        if self.destination is None or not self.destination.folder:
            return again
        file = self.destination.path / FAILED_URLS_FILE
        if again:
            write_whole(file, "\n".join(again) + "\n")
        else:
            file.unlink(missing_ok=True)
        return again

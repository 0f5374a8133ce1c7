"""Where pages are written to: one file for all, or a folder with a file for each."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.stores.text_files import os_error_reason
from webseam.kernel.envelopes import envelope_reply, extract_envelope
from webseam.ports.errors import InvalidQuery, StoreFailed, WebError

from ..tools.stages import CallOutcome
from .search_output import Format, formatted_page_text, joined_page_texts, printed_page_entries

# The URLs that are still to be read, as input for ``webseam extract -``.
FAILED_URLS_FILE = "failed.txt"
_FORMAT_SUFFIXES = {"markdown": ".md", "text": ".txt", "json": ".json", "html": ".html"}
# The format of a file name without --format; a name without an ending means markdown.
_FORMAT_BY_SUFFIX: dict[str, Format] = {".txt": "text", ".json": "json", ".jsonl": "jsonl"}
_FORMAT_BY_SUFFIX |= {".csv": "csv", ".html": "html", ".md": "markdown", ".markdown": "markdown"}
# Formats in which pages are texts, one after the other.
_TEXT_FORMATS: tuple[Format, ...] = ("markdown", "text", "html")
_MAX_NAME_CHARS = 80
_UNSAFE_PATTERN = re.compile(r"[^A-Za-z0-9.]+")


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a folder; ``force`` replaces existing files."""

    path: Path
    folder: bool
    form: Format
    force: bool = False

    def file_of(self, url: str) -> Path:
        """Return the file of a page in the folder."""
        return self.path / output_page_name(url, _FORMAT_SUFFIXES[self.form])

    def has_page(self, url: str) -> bool:
        """Tell whether a page is there already, and is to stay."""
        return self.folder and not self.force and self.file_of(url).exists()


def read_output_option(
    path_text: str | None, form: Format | None, *, force: bool
) -> Result[Destination | None, InvalidQuery]:
    """Return the destination, None for standard output, or why it is not usable."""
    if path_text is None:
        return Success(None)
    path = Path(path_text)
    folder = path_text.endswith(("/", os.sep)) or path.is_dir()
    suffix = "" if folder else path.suffix.lower()
    chosen = form or _FORMAT_BY_SUFFIX.get(suffix, "markdown")
    if form is None and suffix and suffix not in _FORMAT_BY_SUFFIX:
        others = ", ".join(_FORMAT_BY_SUFFIX)
        reason = f"{path_text!r} would hold markdown; its name may end in {others}, or add --format"
    elif folder and chosen not in _FORMAT_SUFFIXES:
        reason = f"a folder has a file for each page, and {chosen} is one file for all"
    elif folder and path.exists() and not path.is_dir():
        reason = f"{path_text!r} is no folder"
    elif not folder and path.exists() and not force:
        reason = f"{path_text!r} is there; --force replaces it"
    else:
        reason = _explain_unwritable_output(path_text, path if folder else path.parent)
    if reason:
        return Failure(InvalidQuery(field="--output", reason=reason))
    return Success(Destination(path=path, folder=folder, form=chosen, force=force))


def _explain_unwritable_output(path_text: str, folder: Path) -> str:
    """Return why a path is not writable; checked before pages cost money."""
    existing = next((parent for parent in (folder, *folder.parents) if parent.exists()), folder)
    try:
        with TemporaryFile(dir=existing):
            return ""
    except OSError as error:
        return f"{path_text!r} cannot be written: {os_error_reason(error)}"


def output_page_name(url: str, suffix: str) -> str:
    """Return a name that any file system takes, and that no other page has.

    >>> output_page_name("https://tides.example/ports/brest?day=1", ".md")
    'tides.example-ports-brest-day-1-2bfc1f1e.md'
    """
    spelled = _UNSAFE_PATTERN.sub("-", url.partition("://")[2] or url).strip("-.")[:_MAX_NAME_CHARS]
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{spelled.rstrip('-.') or 'page'}-{digest}{suffix}"


def write_output_file(path: Path, text: str) -> Result[None, StoreFailed]:
    """Write a file whole or not at all; its folder is made when it is needed."""
    unfinished = path.with_name(f".webseam-{os.urandom(8).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_text(text, encoding="utf-8", errors="replace", newline="")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        return Failure(StoreFailed(store=str(path), reason=os_error_reason(error)))
    return Success(None)


class Harvest:
    """The requested pages, and the outcomes so far."""

    def __init__(
        self,
        urls: Sequence[str],
        destination: Destination | None,
        options: str = "",
        form: Format | None = None,
    ) -> None:
        """Read ``urls``; ``options`` is the rest of the command line, to repeat it.

        Without a destination pages are printed in ``form``, or as a person reads them.
        """
        self.urls = tuple(urls)
        self._form = form if destination is None else destination.form
        # The pages that were read, in a format that joins them.
        self.texts: dict[str, str] = {}
        self.options, self.destination = options, destination
        self.kept_before = [
            url for url in urls if destination is not None and destination.has_page(url)
        ]
        self.calls: dict[str, CallOutcome] = {}
        self.problem: WebError | None = None

    @property
    def unread_urls(self) -> list[str]:
        """The URLs that are still to be read."""
        handled = {*self.kept_before, *self.calls}
        return [url for url in self.urls if url not in handled]

    @property
    def errors(self) -> dict[str, WebError]:
        """Why pages were not read, by their URLs."""
        return {url: call.reply.error for url, call in self.calls.items() if call.reply.error}

    @property
    def read(self) -> int:
        """How many pages were read."""
        return len(self.calls) - len(self.errors)

    def failure_kinds(self) -> list[tuple[str, list[str]]]:
        """Return the kinds of failure with their URLs, the most frequent first."""
        kinds = {url: str(type(error).__struct_config__.tag) for url, error in self.errors.items()}
        counted = Counter(kinds.values()).most_common()
        return [(kind, [url for url in kinds if kinds[url] == kind]) for kind, _ in counted]

    def write_page(self, url: str, called: CallOutcome) -> None:
        """Count a page, bring it into its form, and write it where there is a folder for it."""
        self.calls[url] = called = self._format_page(url, called)
        destination = self.destination
        if destination is None or not destination.folder or called.reply.error is not None:
            return
        if destination.form == "json":
            text = msgspec.json.format(msgspec.json.encode(called.reply.envelope)).decode()
        else:
            text = self.texts[url]
        if isinstance(written := write_output_file(destination.file_of(url), f"{text}\n"), Failure):
            self.problem = written.failure()

    def _format_page(self, url: str, called: CallOutcome) -> CallOutcome:
        """Store the text of a page; return its failure if it cannot be brought into its form."""
        form = self._form
        if called.reply.error is not None or form not in _TEXT_FORMATS:
            return called
        texts: list[str] = []
        for entry in printed_page_entries(called.reply.envelope):
            if entry.get("error") is not None:
                continue
            text = formatted_page_text(entry, form)
            if isinstance(text, Failure):
                error = text.failure()
                return CallOutcome(reply=envelope_reply(extract_envelope([url], [text]), error))
            texts.append(text.unwrap())
        self.texts[url] = joined_page_texts(texts, form)
        return called

    def write_failed_urls(self) -> list[str]:
        """Write the URLs that may still be read to a file; return them."""
        again = [url for url, error in self.errors.items() if error.retryable] + self.unread_urls
        if self.destination is None or not self.destination.folder:
            return again
        file = self.destination.path / FAILED_URLS_FILE
        if again:
            write_output_file(file, "\n".join(again) + "\n")
        else:
            file.unlink(missing_ok=True)
        return again

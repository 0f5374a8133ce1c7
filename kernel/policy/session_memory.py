"""Remember what one session has met, so that it follows only URLs that it was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import UrlNotSeen
from webseam.ports.text import lazy_pattern

from ..text.redaction import redact_url
from ..urls.spelling import canonical_url
from ..urls.url_parsing import parse_target

if TYPE_CHECKING:
    from webseam.ports.targets import Target
    from webseam.ports.web import SearchOutcome, WebExtractResult

# About 12,000 URLs of 80 characters; a session keeps each URL and its canonical spelling.
MAX_SEEN_CHARS = 2_000_000
_URL_PATTERN = lazy_pattern(r"(?i)https?://[^\s<>\"`\\^{}]+")
# An inline link of Markdown: its destination may have one level of brackets.
_LINK_PATTERN = lazy_pattern(r"\]\(\s*+<?([^\s<>()]*+(?:\([^\s<>()]*+\)[^\s<>()]*+)*+)")
# Punctuation after a URL in a sentence, a list, a table or emphasis.
_TRAILING_PUNCTUATION = ".,;:!?'*_~|)]"
_MAX_TRAILING_CHARS = 6


def find_text_urls(text: str, base: str = "") -> Iterator[str]:
    """Yield the URLs in a text and in its Markdown links, which are relative to ``base``.

    Where a URL in a sentence ends is not certain, so each of its possible ends is yielded.

    >>> list(find_text_urls("See (https://a.example/x). [More](/y)", "https://b.example/"))
    ['https://a.example/x', 'https://a.example/x)', 'https://a.example/x).', 'https://b.example/y']
    """
    for match in _URL_PATTERN.finditer(text):
        url = match[0]
        ends = {url, url.partition(")")[0], url.partition("]")[0]}
        for _ in range(_MAX_TRAILING_CHARS):
            if url[-1] in _TRAILING_PUNCTUATION:
                url = url[:-1]
                ends.add(url)
        yield from sorted(ends)
    for link in _LINK_PATTERN.finditer(text) if base else ():
        try:
            yield urljoin(base, link[1])
        except ValueError:
            continue


class SeenUrls:
    """URLs by canonical spelling, within a total size; the oldest are forgotten first."""

    def __init__(self, urls: Iterable[str] = (), max_chars: int = MAX_SEEN_CHARS) -> None:
        """Begin with ``urls``."""
        self._spellings: dict[str, str] = {}
        self._room = max_chars
        self.forgotten = 0
        self.add(urls)

    def __contains__(self, url: str) -> bool:
        """Tell whether a URL was added, in any spelling."""
        return any(key in self._spellings for key in _seen_keys(url))

    def add(self, urls: Iterable[str]) -> None:
        """Add URLs as they were spelt; invalid ones are left out."""
        for url in urls:
            for key in _seen_keys(url):
                is_new = key not in self._spellings
                # Renewing an entry moves it behind those that are forgotten first.
                self._spellings[key] = self._spellings.pop(key, url)
                self._room -= (len(key) + len(url)) * is_new
            while self._room < 0:
                key = next(iter(self._spellings))
                self._room += len(key) + len(self._spellings.pop(key))
                self.forgotten += 1

    def judge(self, target: Target) -> Result[str, UrlNotSeen]:
        """Return a target's URL as it was spelt where it was seen, or the refusal.

        The caller's own spelling is not requested: the choice of one could carry a message.
        """
        for key in _seen_keys(target.asked):
            if key in self._spellings:
                return Success(self._spellings[key])
        return Failure(UrlNotSeen(forgotten=self.forgotten, url=redact_url(target.url)))


def _seen_keys(url: str) -> tuple[str, ...]:
    """Return the canonical URL with its fragment, if it has one, and without it."""
    target = parse_target(url).value_or(None)
    if target is None:
        return ()
    key, fragment = canonical_url(target.url), target.asked.partition("#")[2]
    return (f"{key}#{fragment}", key) if fragment else (key,)


_MAX_FINDS = 5_000
_MIN_BARREN_SEARCHES = 2


class SessionMemory:
    """What one session was shown: rows, pages, and the URLs that its user listed."""

    def __init__(self, seeds: Iterable[str] = (), *, has_progress: bool = True) -> None:
        """Begin with the URLs of the user; ``has_progress`` means that one agent asks."""
        self.urls = SeenUrls(seeds)
        self._has_progress = has_progress
        self._found: dict[str, None] = {}
        self._barren_searches = 0

    def note_progress(
        self, outcome: SearchOutcome, notes: Mapping[str, object] | None = None
    ) -> SearchOutcome:
        """Add to the receipt ``notes``, what share of the rows is new, if searches stand still."""
        changes = {**(notes or {}), **(self._record_finds(outcome) if self._has_progress else {})}
        return replace(outcome, receipt=replace(outcome.receipt, **changes)) if changes else outcome

    def _record_finds(self, outcome: SearchOutcome) -> dict[str, object]:
        finds = dict.fromkeys([row.url for row in outcome.rows])
        if outcome.answer is not None and not finds:
            finds = {outcome.answer.text: None}
        known_count = len(self._found)
        self._found |= finds
        new_count = len(self._found) - known_count
        if (excess := len(self._found) - _MAX_FINDS) > 0:
            for find in list(islice(self._found, excess)):
                del self._found[find]
        self._barren_searches = 0 if new_count else self._barren_searches + 1
        return {
            "new_share": new_count / len(finds) if finds else 0.0,
            "no_progress": self._barren_searches >= _MIN_BARREN_SEARCHES,
        }

    def note_search(self, outcome: SearchOutcome) -> None:
        """Note the rows of a search and the texts of pages in them.

        A model can write any URL into its answer, and a text or a model can repeat the query, so
        neither makes a URL seen.
        """
        query = outcome.receipt.query
        self.note_citations(query, (row.url for row in outcome.rows if row.origin == "model"))
        rows = [row for row in outcome.rows if row.origin == "index"]
        self.urls.add(row.url for row in rows)
        asked = SeenUrls(find_text_urls(query))
        self.note_texts((f"{row.title} {row.snippet}" for row in rows), asked)

    def note_citations(self, query: str, urls: Iterable[str]) -> None:
        """Note the URLs that a model cited, except those in the query."""
        asked = SeenUrls(find_text_urls(query))
        self.urls.add(url for url in urls if url not in asked)

    def note_page(self, page: WebExtractResult) -> None:
        """Note a page's links and texts, and where it was redirected to."""
        self.urls.add((page.final_url,))
        texts = dict.fromkeys((page.title, page.content, page.raw_content))
        self.note_texts(texts, base=page.final_url)

    def note_texts(
        self, texts: Iterable[str], ignored: SeenUrls | None = None, base: str = ""
    ) -> None:
        """Note the URLs in texts, except those in ``ignored``."""
        urls = (url for text in texts for url in find_text_urls(text, base))
        self.urls.add(url for url in urls if ignored is None or url not in ignored)

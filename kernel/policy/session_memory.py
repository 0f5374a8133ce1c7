"""Remember what one session has met, so that it follows only URLs that it was shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import UrlNotSeen
from webseam.ports.text import JOINER_CHARS, lazy_pattern, strip_hidden

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
# What may stand around a URL in a sentence.
_WORD_MARKS = "<>()[]{}\"'`*_~|,;:.!?"
# A service decodes what it was asked for in so many ways, one in another.
_DECODE_ROUNDS = 3
_MAX_NAMED_CHARS = 500_000
_TAG_PATTERN = lazy_pattern(r"<[^<>]*>")
_SCHEME_PATTERN = lazy_pattern(r"(?i)^https?://(?:www\.)?")
# Emphasis, quotation marks and joiners, which a renderer takes away or does not show.
_DROPPED = dict.fromkeys(map(ord, "*_`~\\'\"" + JOINER_CHARS))
_SEPARATORS_PATTERN = lazy_pattern(r"\W+")
_MAX_FINDS = 5_000
_MIN_BARREN_SEARCHES = 2


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


class NamedUrls:
    """URLs that texts name, in any spelling: in markup, percent-encoded, without a scheme.

    Only what the other side could have read from the text counts, so only letters and digits are
    compared, and where others stand between them: "ht&#116;p://evil[.]example/?d=S<i></i>3" names
    "evil/example/d/s3". A URL that a named one begins with is named, too.
    """

    def __init__(self, max_chars: int = _MAX_NAMED_CHARS) -> None:
        """Name no URL yet; of more than ``max_chars`` characters the oldest are forgotten."""
        self._max_chars = max_chars
        self._names = ""

    def __contains__(self, url: str) -> bool:
        """Tell whether a text named the URL."""
        spellings = [url, *_seen_keys(url)]
        return any(
            f"/{_url_skeleton(_SCHEME_PATTERN.sub('', form))}/" in self._names
            for spelling in spellings
            for form in _decoded_forms(spelling)
        )

    def add(self, texts: Iterable[str]) -> None:
        """Add what the texts name."""
        for text in texts:
            for name in dict.fromkeys(_text_skeletons(text)):
                line = f"/{name}/\n"
                # Letters and digits alone are no URL.
                if "/" in name and line not in self._names:
                    self._names = (self._names + line)[-self._max_chars :]


def _text_skeletons(text: str) -> Iterator[str]:
    """Yield the skeleton of each word of a text, and of the URL that it is for a browser."""
    for form in _decoded_forms(text):
        for word in form.split():
            yield _url_skeleton(word)
            url = word.strip(_WORD_MARKS)
            if "." not in url:
                continue
            if "://" not in url:
                url = f"https://{url}"
            for key in _seen_keys(url):
                yield _url_skeleton(_SCHEME_PATTERN.sub("", key))


def _decoded_forms(text: str) -> list[str]:
    """Return a text as it is, and as readers that decode it once or more often read it."""
    import html  # noqa: PLC0415  only where a session follows what it saw

    forms = {text: None}
    bare = text
    for _ in range(_DECODE_ROUNDS):
        text = unquote(html.unescape(text))
        bare = _TAG_PATTERN.sub("", unquote(html.unescape(_TAG_PATTERN.sub("", bare))))
        forms |= {text: None, bare: None}
    return list(forms)


def _url_skeleton(text: str) -> str:
    """Return the letters and digits of a text, with a slash where others stood between them."""
    plain = unicodedata.normalize("NFKC", strip_hidden(text)).casefold().translate(_DROPPED)
    return _SEPARATORS_PATTERN.sub("/", plain).strip("/")


class SessionMemory:
    """What one session was shown: rows, pages, and the URLs that its user listed."""

    def __init__(self, seeds: Iterable[str] = (), *, has_progress: bool = True) -> None:
        """Begin with the URLs of the user; ``has_progress`` means that one agent asks."""
        self.urls = SeenUrls(seeds)
        self._named = NamedUrls()
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

    def note_named(self, texts: Iterable[str]) -> None:
        """Note what a model wrote and others read: it does not come back as seen."""
        self._named.add(texts)

    def note_search(self, outcome: SearchOutcome, asked: Iterable[str] = ()) -> None:
        """Note the URLs of the rows of a search for its query and the texts in ``asked``.

        A title, a snippet and an answer can say anything, also what the query said.
        """
        self.note_named((outcome.receipt.query, *asked))
        self.note_urls(row.url for row in outcome.rows)

    def note_urls(self, urls: Iterable[str]) -> None:
        """Note the URLs that the other side gave, except those that were named before."""
        self.urls.add(url for url in urls if url not in self._named)

    def note_page(self, page: WebExtractResult) -> None:
        """Note a page's links and texts, and where it was redirected to."""
        self.urls.add((page.final_url,))
        for text in dict.fromkeys((page.title, page.content, page.raw_content)):
            self.urls.add(find_text_urls(text, page.final_url))

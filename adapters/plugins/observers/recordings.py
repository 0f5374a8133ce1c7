"""Recorded calls in a file of JSON lines, which can be checked in with tests."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from webseam.ports.errors import WebError
from webseam.ports.middleware import CallFailed

MAX_RECORDING_BYTES = 256 * 1024 * 1024
INDEX_NOTE = "Not recorded: these rows are from an index of what was recorded."
_WORD_PATTERN = re.compile(r"\w+")
_MAX_SNIPPET_CHARS = 200
_ROW_FIELDS = ("title", "url", "description")


class Recording(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call: its tool and arguments, and its result or failure.

    ``scope`` is who answered and how it was asked; a recording without one answers for everybody.
    """

    tool: str
    args: Mapping[str, object]
    scope: str = ""
    result: object = None
    failure: WebError | None = None
    at: datetime | None = None

    @staticmethod
    def key_of(tool: str, args: Mapping[str, object], scope: str = "") -> bytes:
        """Return the identity of a call: the tool, its arguments in any order, who answers."""
        call = [tool, dict(args), scope]
        return msgspec.json.encode(call, order="deterministic", enc_hook=str)

    @property
    def key(self) -> bytes:
        """The identity of this call."""
        return self.key_of(self.tool, self.args, self.scope)

    def outcome(self) -> object:
        """Return the result, or raise the recorded failure."""
        if self.failure is not None:
            raise CallFailed(self.failure)
        return self.result


def read_recordings(file: Path, as_of: date | None = None) -> dict[bytes, Recording]:
    """Return the recordings by call, the last for each; raise on a line that is not a recording.

    Recordings after the day ``as_of`` are left out.
    """
    try:
        content = file.read_bytes()[:MAX_RECORDING_BYTES]
    except FileNotFoundError:
        return {}
    lines = [line for line in content.splitlines() if line.strip()]
    recordings = [msgspec.json.decode(line, type=Recording) for line in lines]
    return {
        recording.key: recording
        for recording in recordings
        if not (as_of and recording.at and recording.at.date() > as_of)
    }


def find_recording(
    recordings: Mapping[bytes, Recording], tool: str, args: Mapping[str, object], scope: str
) -> Recording | None:
    """Return the recording of a call, or the one that answers it for everybody."""
    found = recordings.get(Recording.key_of(tool, args, scope))
    return found or recordings.get(Recording.key_of(tool, args))


Fields: TypeAlias = Mapping[str, Any]


class RecordedWeb:
    """The rows and pages of recordings, for calls that were not recorded."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        """Index every row by the words in it, and in its page if that was read."""
        self.rows: dict[str, Fields] = {}
        self._pages: dict[str, tuple[Fields, Fields]] = {}
        for recording in recordings:
            # The result of a tool is its envelope as JSON text; a failed call has none.
            result = recording.result
            envelope: Fields = msgspec.json.decode(result) if isinstance(result, str) else {}
            data, receipt = envelope.get("data") or {}, envelope.get("receipt") or {}
            self.rows |= {row["url"]: row for row in data.get("web") or () if row.get("url")}
            for pair in zip(data.get("results") or (), receipt.get("pages") or (), strict=False):
                if not (page := pair[0]).get("error"):
                    row = {"description": page["content"][:_MAX_SNIPPET_CHARS], **page}
                    self.rows.setdefault(page["url"], {name: row[name] for name in _ROW_FIELDS})
                    if _is_whole(pair[1]):
                        self._pages |= dict.fromkeys((page["url"], page.get("final_url")), pair)
        self._words = {url: self._count_words(url) for url in self.rows}

    def _count_words(self, url: str) -> Counter[str]:
        page, row = self._pages.get(url, ({}, {}))[0], self.rows[url]
        texts = (row.get("title"), row.get("description"), page.get("content"))
        return Counter(_WORD_PATTERN.findall(" ".join(filter(None, texts)).casefold()))

    def add_pages(self, answer: object) -> object:
        """Return a recorded answer of ``web_ask`` with the pages that its claims are made of."""
        if not isinstance(answer, str):
            return answer
        envelope: dict[str, Any] = msgspec.json.decode(answer)
        claims = (envelope.get("data") or {}).get("claims") or ()
        days = [claim.get("read_on", "") for claim in claims]
        pages = [
            {
                "url": page.get("final_url") or page["url"],
                "title": page.get("title") or "",
                "text": page["content"],
                "read_on": next(iter(days), ""),
            }
            for page, _ in self._pages.values()
        ]
        envelope["data"] = {**(envelope.get("data") or {}), "pages": pages}
        return envelope

    def rank(self, query: str) -> list[Fields]:
        """Return the rows that share words with a query, best first; rare words count more."""
        holders = Counter(word for words in self._words.values() for word in words)
        asked = {*_WORD_PATTERN.findall(query.casefold())} & {*holders}
        weights = {word: math.log1p(len(self.rows) / holders[word]) for word in asked}
        scores = {
            url: sum(weights[word] * math.log1p(words[word]) for word in asked)
            for url, words in self._words.items()
        }
        best = sorted(filter(scores.get, scores), key=lambda url: -scores[url])
        return [self.rows[url] for url in best]

    def pages(self, urls: Sequence[str]) -> list[tuple[Fields, Fields]] | None:
        """Return recorded pages with their receipts; None if there is none of a URL."""
        if not {*urls} <= self._pages.keys():
            return None
        return [({**self._pages[url][0], "url": url}, self._pages[url][1]) for url in urls]


def _is_whole(receipt: Fields) -> bool:
    """Tell whether a page was recorded in full: a part answers only the call that asked for it."""
    return not receipt.get("omitted") and not receipt.get("compressed")

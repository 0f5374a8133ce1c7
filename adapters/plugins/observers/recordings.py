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
from webseam.ports.receipts import SearchReceipt

MAX_RECORDING_BYTES = 256 * 1024 * 1024


class Recording(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call: its tool and arguments, and its result or failure."""

    tool: str
    args: Mapping[str, object]
    result: object = None
    failure: WebError | None = None
    at: datetime | None = None

    @staticmethod
    def key_of(tool: str, args: Mapping[str, object]) -> bytes:
        """Return the identity of a call: the tool and its arguments, in any order."""
        return msgspec.json.encode([tool, dict(args)], order="deterministic", enc_hook=str)

    @property
    def key(self) -> bytes:
        """The identity of this call."""
        return self.key_of(self.tool, self.args)

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


INDEX_NOTE = "Not recorded: these rows are from an index of what was recorded."
_WORD_PATTERN = re.compile(r"\w+")
_MAX_SNIPPET_CHARS = 200
_ROW_FIELDS = ("title", "url", "description")
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
                    self._pages |= dict.fromkeys((page["url"], page.get("final_url")), pair)
        self._words = {url: self._count_words(url) for url in self.rows}

    def _count_words(self, url: str) -> Counter[str]:
        page, row = self._pages.get(url, ({}, {}))[0], self.rows[url]
        texts = (row.get("title"), row.get("description"), page.get("content"))
        return Counter(_WORD_PATTERN.findall(" ".join(filter(None, texts)).casefold()))

    def answer(self, tool: str, args: Fields) -> dict[str, object] | None:
        """Return an envelope of what was recorded; None if nothing answers the call."""
        if tool == "web_search" and self.rows:
            return self.search(str(args["query"]), args.get("max_results") or 10)
        return self.extract(args["urls"]) if "urls" in args else None

    def search(self, query: str, max_rows: int) -> dict[str, object]:
        """Return an envelope of the rows that share words with a query; rare words count more."""
        holders = Counter(word for words in self._words.values() for word in words)
        asked = {*_WORD_PATTERN.findall(query.casefold())} & {*holders}
        weights = {word: math.log1p(len(self.rows) / holders[word]) for word in asked}
        scores = {
            url: sum(weights[word] * math.log1p(words[word]) for word in asked)
            for url, words in self._words.items()
        }
        best = sorted(filter(scores.get, scores), key=lambda url: -scores[url])[:max_rows]
        web = [{**self.rows[url], "position": place} for place, url in enumerate(best, 1)]
        receipt = SearchReceipt(
            backend="recording", query=query, asked_max_results=None, max_results=max_rows,
            clamped=False, filters=(), returned=len(web), rejected=0, trimmed=0,
            warnings=(INDEX_NOTE,),
        )  # fmt: skip
        data = {"web": web, "note": INDEX_NOTE}
        return {"success": True, "data": data, "receipt": msgspec.to_builtins(receipt)}

    def extract(self, urls: Sequence[str]) -> dict[str, object] | None:
        """Return an envelope of recorded pages; None if there is none of a URL."""
        if not {*urls} <= self._pages.keys():
            return None
        data = {"results": [{**self._pages[url][0], "url": url} for url in urls]}
        receipt = {"backend": "recording", "pages": [self._pages[url][1] for url in urls]}
        return {"success": True, "data": data, "failed": 0, "receipt": receipt}

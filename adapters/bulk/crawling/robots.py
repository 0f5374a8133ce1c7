"""robots.txt, read once for each host and kept for a day at most (RFC 9309, 2026-11-15)."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import CallRefused, WebError
from ....ports.targets import Target
from ..datasets.whole_files import atomic_file

MAX_ROBOTS_BYTES: Final = 512_000
MAX_AGE_SECONDS: Final = 24 * 3600.0
_MAX_HOSTS: Final = 5_000
_NAME: Final = "robots.txt"
_FOR_WHOM: Final = re.compile(r"\s*user[- ]?agent(?:\s*:|\s)\s*([^#]*)", re.IGNORECASE)
# What protego knows, with what it takes for a misspelling of it.
_KNOWN: Final = re.compile(r"\s*(?:user|d|allow|crawl|request|visit|site-?map|host)", re.IGNORECASE)
_RULE: Final = re.compile(r"\s*(?:d|allow)", re.IGNORECASE)
# Protego knows no comma in a number, and no unit after it.
_DELAY: Final = re.compile(r"\s*crawl[- ]delay\s*:?\s*(\d++)(?:[.,](\d++))?+(?!e)", re.IGNORECASE)
_PRODUCT: Final = re.compile(r"[A-Za-z_-]+")
_ALL: Final = "*"
# No robot can have it: the names of robots are ASCII.
_OTHERS: Final = "\N{SECTION SIGN}"
FetchText: TypeAlias = Callable[[str], Awaitable[Result[bytes, WebError]]]


class RobotsRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a host allows: ``parsed`` by protego, or all or nothing; and its own delay."""

    parsed: Any = None
    closed: str = ""
    delay: float | None = None
    sitemaps: tuple[str, ...] = ()

    def refusal(self, url: str, agent: str) -> CallRefused | None:
        """Return why a page is not to be fetched, None when it may be."""
        if self.closed:
            return CallRefused(by=_NAME, reason=self.closed)
        if self.parsed is None or self.parsed.can_fetch(url, agent):
            return None
        return CallRefused(by=_NAME, reason=f"it does not allow this page to {agent}")


class RobotsFiles:
    """Asks each host for its rules, once for all who want to know."""

    def __init__(
        self,
        fetch: FetchText,
        agent: str,
        closes: Callable[[WebError], bool],
        *,
        most_delay: float,
        now: Callable[[], float],
    ) -> None:
        """Read as ``agent``; ``closes`` tells whether an error shuts the host."""
        self._fetch, self.agent, self._closes = fetch, agent, closes
        self._most_delay, self._now = most_delay, now
        self._kept: dict[str, tuple[float, asyncio.Task[RobotsRules]]] = {}

    async def rules(self, target: Target) -> RobotsRules:
        """Return the rules of a target's host."""
        place = f"{target.scheme}://{target.authority}"
        since, task = self._kept.get(place, (0.0, None))
        if task is None or self._now() - since > MAX_AGE_SECONDS:
            if len(self._kept) >= _MAX_HOSTS:
                self._kept.pop(next(iter(self._kept)))
            task = asyncio.ensure_future(self._read(f"{place}/{_NAME}"))
            self._kept[place] = (self._now(), task)
        # Shielded: one who gives up must not take it from the others.
        return await asyncio.shield(task)

    async def _read(self, url: str) -> RobotsRules:
        body = await self._fetch(url)
        if isinstance(body, Failure):
            closed = self._closes(body.failure())
            return RobotsRules(closed="it cannot be reached" if closed else "")
        return self._parsed(body.unwrap())

    def _parsed(self, body: bytes) -> RobotsRules:
        from protego import Protego  # noqa: PLC0415  an extra

        parsed = Protego.parse(_text(body, self.agent))
        delay = _delay(parsed, self.agent)
        if delay is not None and delay > self._most_delay:
            return RobotsRules(closed=f"it asks for {delay:g} seconds between pages")
        return RobotsRules(parsed=parsed, delay=delay, sitemaps=tuple(parsed.sitemaps))


def _delay(parsed: Any, agent: str) -> float | None:  # noqa: ANN401  protego's
    """Return how many seconds a host asks to have between pages, by whichever line asks more."""
    rate = parsed.request_rate(agent)
    by_rate = rate.seconds / rate.requests if rate is not None and rate.requests else None
    delays = [each for each in (parsed.crawl_delay(agent), by_rate) if each is not None]
    return max(delays, default=None)


def _text(body: bytes, agent: str) -> str:
    """Return the file as protego reads it rightly (0.7.0).

    A byte order mark would hide the first group, a line that is cut off be another rule, a zero
    byte, of which UTF-16 has one in each letter, no rule at all, and a line that is no rule would
    end the list of those whom a group is for (RFC 9309, 2.2.4).
    """
    whole = body if len(body) <= MAX_ROBOTS_BYTES else body[:MAX_ROBOTS_BYTES].rpartition(b"\n")[0]
    is_wide = whole.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = whole.decode("utf-16" if is_wide else "utf-8-sig", "replace")
    lines = text.replace("\0", "").splitlines()
    named = (_named(line, agent) for line in lines if _KNOWN.match(line))
    return "\n".join(_grouped(named))


def _grouped(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, and before the rules of a group once more all whom they are for.

    Those may be parted by a delay, which is for whom is named right before it.
    """
    names: list[str] = []
    is_ruled = False
    for line in lines:
        if _FOR_WHOM.match(line):
            names = [line] if is_ruled else [*names, line]
            is_ruled = False
        elif _RULE.match(line) and not is_ruled:
            yield from names
            is_ruled = True
        yield line


def _named(line: str, agent: str) -> str:
    """Return a line; one that says for whom a group is, names ``agent``, all, or others.

    A delay is written as protego reads numbers.

    A group is for the product it names (RFC 9309, 2.2.1); protego takes one for ``web`` as meant
    for ``webseam`` too, and one for ``webseam/2.0`` not.
    """
    delay = _DELAY.match(line)
    if delay is not None:
        return f"Crawl-delay: {delay[1]}.{delay[2] or 0}"
    for_whom = _FOR_WHOM.match(line)
    name = "" if for_whom is None else for_whom[1].strip()
    if name in ("", _ALL):
        return line
    product = _PRODUCT.match(name)
    is_ours = (product[0] if product else name).lower() == agent.lower()
    return f"User-agent: {agent if is_ours else _OTHERS}"


# Texts that were fetched, or why not, kept for others who need the same within a day.


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    body: bytes = b""
    error: WebError | None = None


_KEPT: Final = msgspec.msgpack.Decoder(_Kept)


class FetchedTexts:
    """Fetches a text unless another one has, in this process or before it."""

    def __init__(
        self,
        folder: Path,
        fetch: FetchText,
        now: Callable[[], float],
        unwanted: Callable[[WebError | None], bool] = lambda _error: False,
    ) -> None:
        """Keep them in a folder that all share, but for what is ``unwanted``."""
        self._folder, self._fetch, self._now = folder, fetch, now
        self._unwanted = unwanted

    async def fetch(self, url: str) -> Result[bytes, WebError]:
        """Return the text at a URL; raises ``OSError``."""
        path = self._folder / hashlib.sha256(url.encode()).hexdigest()
        answer = self._load(path)
        if answer is None:
            text = await self._fetch(url)
            failed = isinstance(text, Failure)
            answer = _Kept(
                at=self._now(),
                body=b"" if failed else text.unwrap(),
                error=text.failure() if failed else None,
            )
            if not self._unwanted(answer.error):
                with atomic_file(path) as stream:
                    stream.write(msgspec.msgpack.encode(answer))
        return Success(answer.body) if answer.error is None else Failure(answer.error)

    def _load(self, path: Path) -> _Kept | None:
        try:
            answer = _KEPT.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        return answer if self._now() - answer.at < MAX_AGE_SECONDS else None

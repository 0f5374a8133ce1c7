"""robots.txt: fetched once for each host and kept for a day at most (RFC 9309, 2026-11-15)."""

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

from webseam.adapters.caches import RecentValues
from webseam.ports.errors import CallRefused, WebError
from webseam.ports.targets import Target

from ..datasets.atomic_files import write_whole_file
from .robots_usage import UsageLine, parse_robots_usage

MAX_ROBOTS_BYTES: Final = 512_000
MAX_AGE_SECONDS: Final = 24 * 3600.0
_MAX_HOSTS: Final = 5_000
_FILE_NAME: Final = "robots.txt"
_USER_AGENT_PATTERN: Final = re.compile(r"\s*user[- ]?agent(?:\s*:|\s)\s*([^#]*)", re.IGNORECASE)
# Directives that protego knows, and what it takes for misspellings of them.
_DIRECTIVE_PATTERN = re.compile(
    r"\s*(?:user|d|allow|crawl|request|visit|site-?map|host)", re.IGNORECASE
)
_RULE_PATTERN: Final = re.compile(r"\s*(?:d|allow)", re.IGNORECASE)
# Protego reads neither a comma in a number nor a unit after it.
_DELAY_PATTERN = re.compile(
    r"\s*+crawl[- ]delay\s*+:?\s*+(\d++)(?:[.,](\d++))?+(?!e)", re.IGNORECASE
)
_PRODUCT_PATTERN: Final = re.compile(r"[A-Za-z_-]+")
# No robot has this name: names of robots are ASCII.
_NONEXISTENT_AGENT: Final = "\N{SECTION SIGN}"
FetchText: TypeAlias = Callable[[str], Awaitable[Result[bytes, WebError]]]


class RobotsRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a host: ``parsed`` by protego, ``closed``, or all allowed; and its delay."""

    parsed: Any = None
    closed: str = ""
    delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    usage: tuple[UsageLine, ...] = ()

    def explain_refusal(self, url: str, agent: str) -> CallRefused | None:
        """Return why a page must not be fetched; None if it may be."""
        if self.closed:
            return CallRefused(by=_FILE_NAME, reason=self.closed)
        if self.parsed is None or self.parsed.can_fetch(url, agent):
            return None
        return CallRefused(by=_FILE_NAME, reason=f"it does not allow this page to {agent}")


class RobotsFiles:
    """Fetch the rules of each host once for all callers."""

    def __init__(
        self,
        fetch: FetchText,
        agent: str,
        closes: Callable[[WebError], bool],
        *,
        max_delay: float,
        now: Callable[[], float],
    ) -> None:
        """Apply the rules for ``agent``; ``closes`` tells whether an error closes the host."""
        self._fetch, self.agent, self._closes = fetch, agent, closes
        self._max_delay = max_delay
        self._cached: RecentValues[str, asyncio.Task[RobotsRules]] = RecentValues(
            _MAX_HOSTS, max_age=MAX_AGE_SECONDS, now=now
        )

    async def host_rules(self, target: Target) -> RobotsRules:
        """Return the rules of a target's host."""
        origin = f"{target.scheme}://{target.authority}"
        task = self._cached.get(origin)
        if task is None:
            task = asyncio.ensure_future(self._read_robots(f"{origin}/{_FILE_NAME}"))
            self._cached.put(origin, task)
        # Shield the task: a cancelled caller must not cancel it for the others.
        return await asyncio.shield(task)

    async def _read_robots(self, url: str) -> RobotsRules:
        body = await self._fetch(url)
        if isinstance(body, Failure):
            closed = self._closes(body.failure())
            return RobotsRules(closed="it cannot be reached" if closed else "")
        return self._parse_robots(body.unwrap())

    def _parse_robots(self, body: bytes) -> RobotsRules:
        from protego import Protego  # noqa: PLC0415  an extra

        text = _decode_file(body)
        usage = parse_robots_usage(text, self.agent)
        parsed = Protego.parse(_protego_text(text, self.agent))
        # The stricter directive gives the seconds between pages that a host requests.
        rate = parsed.request_rate(self.agent)
        by_rate = rate.seconds / rate.requests if rate is not None and rate.requests else None
        delays = [delay for delay in (parsed.crawl_delay(self.agent), by_rate) if delay is not None]
        delay = max(delays, default=None)
        if delay is not None and delay > self._max_delay:
            return RobotsRules(closed=f"it asks for {delay:g} seconds between pages")
        sitemaps = tuple(parsed.sitemaps)
        return RobotsRules(parsed=parsed, delay=delay, sitemaps=sitemaps, usage=usage)


def _decode_file(body: bytes) -> str:
    """Return the file as text.

    A byte order mark would hide the first group, a truncated line would be another rule, and zero
    bytes (from UTF-16 without a mark) would hide rules.
    """
    content = body[:MAX_ROBOTS_BYTES].rpartition(b"\n")[0] if len(body) > MAX_ROBOTS_BYTES else body
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = content.decode("utf-16" if is_utf16 else "utf-8-sig", "replace")
    return text.replace("\0", "")


def _protego_text(text: str, agent: str) -> str:
    """Return the file in a form that protego 0.7.0 reads correctly.

    A line that is not a rule would end the list of agents of a group (RFC 9309, 2.2.4).
    """
    lines = text.splitlines()
    rewritten = (_protego_line(line, agent) for line in lines if _DIRECTIVE_PATTERN.match(line))
    return "\n".join(_repeat_group_agents(rewritten))


def _repeat_group_agents(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, and repeat the agents of a group before its rules.

    A delay may separate them, and protego gives it only to the agent right before it.
    """
    names: list[str] = []
    is_ruled = False
    for line in lines:
        if _USER_AGENT_PATTERN.match(line):
            names = [] if is_ruled else names
            names.append(line)
            is_ruled = False
        elif _RULE_PATTERN.match(line) and not is_ruled:
            yield from names
            is_ruled = True
        yield line


def _protego_line(line: str, agent: str) -> str:
    """Return a line; a user-agent line names ``agent``, all, or a robot that does not exist.

    Delays are rewritten in a form that protego reads. A group is for the product it names (RFC
    9309, 2.2.1), but protego applies one for ``web`` to ``webseam`` and ignores one for
    ``webseam/2.0``.
    """
    delay = _DELAY_PATTERN.match(line)
    if delay is not None:
        return f"Crawl-delay: {delay[1]}.{delay[2] or 0}"
    agent_line = _USER_AGENT_PATTERN.match(line)
    name = "" if agent_line is None else agent_line[1].strip()
    if name in ("", "*"):
        return line
    product = _PRODUCT_PATTERN.match(name)
    is_ours = (product[0] if product else name).lower() == agent.lower()
    return f"User-agent: {agent if is_ours else _NONEXISTENT_AGENT}"


class _StoredText(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    body: bytes = b""
    error: WebError | None = None


_TEXT_DECODER: Final = msgspec.msgpack.Decoder(_StoredText)


class FetchedTexts:
    """Fetch a text unless this or another process fetched it within a day."""

    def __init__(
        self,
        folder: Path,
        fetch: FetchText,
        now: Callable[[], float],
        unwanted: Callable[[WebError | None], bool] = lambda _error: False,
    ) -> None:
        """Store texts in a shared folder, except outcomes with an ``unwanted`` error."""
        self._folder, self._fetch, self._now = folder, fetch, now
        self._unwanted = unwanted

    async def fetch(self, url: str) -> Result[bytes, WebError]:
        """Return the text at a URL; raises ``OSError``."""
        path = self._folder / hashlib.sha256(url.encode()).hexdigest()
        answer = self._read_fresh_text(path)
        if answer is None:
            text = await self._fetch(url)
            error = text.failure() if isinstance(text, Failure) else None
            answer = _StoredText(at=self._now(), body=text.value_or(b""), error=error)
            if not self._unwanted(answer.error):
                write_whole_file(path, msgspec.msgpack.encode(answer))
        return Success(answer.body) if answer.error is None else Failure(answer.error)

    def _read_fresh_text(self, path: Path) -> _StoredText | None:
        try:
            answer = _TEXT_DECODER.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        return answer if self._now() - answer.at < MAX_AGE_SECONDS else None

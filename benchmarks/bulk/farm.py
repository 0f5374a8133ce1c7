"""A farm of hosts on loopback, read politely or not: judged by the hosts' own logs.

    python -m benchmarks.bulk.farm [--hosts 200] [--pages 12] [--delay 0.25] [--sites 20] [--engine local]

Every host has a robots.txt that closes a folder, some ask for a longer delay, some are busy now and
then (503 with Retry-After), drop connections or answer with errors, and pages move: to another page, to
another host, in circles. First a list of all URLs is read, then some of the hosts are crawled, each
of which has a calendar without end, parameters without end and paths that repeat themselves.

It fails when a closed page was asked for, a host was asked sooner than it may be, a page was
asked for twice that had answered, or a trap held the crawl.
"""

import argparse
import asyncio
import collections
import itertools
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.bulk.pages import NUMBER, make_pages
from webseam import bulk
from webseam.kernel.policy.policy_rules import Policy, PolicySettings, make_policy

_ROBOTS = "User-agent: *\nDisallow: /closed/\n"
_SLOW_EVERY, _SLOW = 10, 2.0  # every tenth host asks for so many times the delay
_BUSY_EVERY, _DROPS_EVERY = 7, 11


class LoggedRequest(NamedTuple):
    path: str
    status: int
    began: float
    ended: float


class Host:
    """One host: what it answers, and who asked for what."""

    def __init__(self, number: int, delay: float) -> None:
        self.number, self.port = number, 0
        self.delay = delay * _SLOW if number % _SLOW_EVERY == 0 else delay
        self.log: list[LoggedRequest] = []
        self._seen: collections.Counter[str] = collections.Counter()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str, farm: "list[Host]") -> tuple[int, dict[str, str], bytes] | None:
        """Return status, headers and body; None drops the connection."""
        self._seen[path] += 1
        plain = path.partition("?")[0]
        if self._seen[path] == 1 and plain == "/drops" and self.number % _DROPS_EVERY == 0:
            return None
        if self._seen[path] == 1 and plain == "/busy" and self.number % _BUSY_EVERY == 0:
            return 503, {"Retry-After": "1"}, b"busy"
        slow = f"Crawl-delay: {self.delay}\n" if self.number % _SLOW_EVERY == 0 else ""
        following = farm[(self.number + 1) % len(farm)]
        special: dict[str, tuple[int, dict[str, str], bytes]] = {
            "/robots.txt": (200, {"Content-Type": "text/plain"}, (_ROBOTS + slow).encode()),
            "/sitemap.xml": (404, {}, b""),
            "/broken": (500, {}, b"broken"),
            "/moved": (302, {"Location": "/page/0"}, b""),
            "/away": (302, {"Location": f"{following.root}/page/1"}, b""),
            "/circle": (302, {"Location": "/circle"}, b""),
        }
        return special.get(plain) or (200, {"Content-Type": "text/html"}, self._page(path))

    def _page(self, path: str) -> bytes:
        number = len(self._seen)
        traps = [
            f"/calendar?month={number + 1}",
            f"/calendar/2026/{number}/",
            f"/list?sort={number}&page={number + 1}&session={number * 7919}",
            f"{path.partition('?')[0].rstrip('/')}/again/again/",
            "/closed/secret",
        ]
        pages = [f"/page/{each}" for each in range(6)]
        links = "".join(
            f'<p><a href="{link}">{link} and more of it</a></p>' for link in pages + traps
        )
        kind = _KINDS[self.number % len(_KINDS)].replace(NUMBER, str(number).encode())
        return kind.replace(b"</article>", links.encode() + b"</article>")


_KINDS = make_pages()


@contextmanager
def run_servers(hosts: list[Host]) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def listen() -> None:
        for host in hosts:
            server = await asyncio.start_server(partial(_serve, host, hosts), "127.0.0.1", 0)
            host.port = server.sockets[0].getsockname()[1]
        ready.set()

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(listen(), loop)
    ready.wait()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _serve(
    host: Host, hosts: list[Host], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while line := await reader.readline():
            began = time.monotonic()
            while (await reader.readline()).strip():
                pass
            path = line.split()[1].decode()
            answer = host.answer(path, hosts)
            if answer is None:
                host.log.append(LoggedRequest(path, 0, began, time.monotonic()))
                break
            status, headers, body = answer
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            whole = (
                f"HTTP/1.1 {status} .\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
            )
            host.log.append(LoggedRequest(path, status, began, time.monotonic()))
            writer.write(whole)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def urls(hosts: list[Host], pages: int) -> list[str]:
    """Return what the list holds: of every host pages, what moves, and what fails."""
    others = ["moved", "away", "circle", "broken", "busy", "drops", "closed/secret", "missing%zz"]
    paths = [*(f"page/{number}" for number in range(pages)), *others]
    return [f"{host.root}/{path}" for path in paths for host in hosts]


def faults(hosts: list[Host]) -> list[str]:
    """Return what the logs hold against the reader."""
    problems = []
    for host in hosts:
        log = sorted(host.log, key=lambda asked: asked.began)
        problems += [
            f"{host.number}: {asked.path} is closed" for asked in log if "/closed/" in asked.path
        ]
        # The first question is for robots.txt, before a longer delay can be known.
        for before, after in itertools.pairwise(log[1:]):
            gap = after.began - before.ended
            if gap < host.delay * 0.99:
                problems.append(f"{host.number}: {after.path} after {gap:.3f} s")
    return problems


def repeated_pages(hosts: list[Host], allowed: int) -> list[str]:
    """Return pages that answered and were asked for again more often than may be."""
    counts = collections.Counter(
        (host.number, asked.path)
        for host in hosts
        for asked in host.log
        if asked.status in {200, 404}
    )
    return [
        f"{number}{path}: {count} times"
        for (number, path), count in counts.items()
        if count > allowed
    ]


def main() -> int:
    """Return 0 when nobody has to complain."""
    options = _options()
    hosts = [Host(number, options.delay) for number in range(options.hosts)]
    with run_servers(hosts), tempfile.TemporaryDirectory(prefix="farm-") as folder:
        problems = _list(hosts, Path(folder), options) + _crawl(
            hosts[: options.sites], Path(folder), options
        )
    for problem in problems[:20]:
        print(problem)
    print(f"{len(problems)} complaints")
    return int(bool(problems))


def _policy(hosts: list[Host]) -> Policy:
    entries = tuple(f"127.0.0.1/32:{host.port}" for host in hosts)
    return make_policy(PolicySettings(allow_private=entries)).unwrap()


def _list(hosts: list[Host], folder: Path, options: argparse.Namespace) -> list[str]:
    listed = folder / "urls.txt"
    wanted = urls(hosts, options.pages)
    listed.write_text("\n".join(wanted))
    began = time.monotonic()
    summary = bulk.extract(
        listed,
        folder / "list",
        policy=_policy(hosts),
        delay=options.delay,
        at_once=64,
        engine=options.engine,
    )
    seconds = time.monotonic() - began
    asked = sum(len(host.log) for host in hosts)
    print(
        f"list: {len(wanted):,} URLs of {len(hosts)} hosts, {summary.ok:,} pages, {summary.failed:,} failures"
    )
    print(f"  {summary.errors}")
    print(f"  {asked:,} questions in {seconds:.1f} s, {asked / seconds:.0f} a second")
    problems = faults(hosts) + repeated_pages(hosts, 1)
    if summary.rows != len(wanted):
        problems.append(f"{summary.rows:,} rows")
    return problems


def _crawl(hosts: list[Host], folder: Path, options: argparse.Namespace) -> list[str]:
    problems: list[str] = []
    for host in hosts:
        host.log.clear()
    began, rows = time.monotonic(), 0
    for host in hosts:
        summary = bulk.crawl(
            f"{host.root}/",
            folder / f"site-{host.number}",
            depth=30,
            pages=60,
            delay=min(options.delay, 0.02),
            policy=_policy(hosts),
        )
        rows += summary.rows
        real = [asked.path for asked in host.log if asked.path.startswith("/page/")]
        if len(set(real)) < 6:
            problems.append(f"{host.number}: a trap kept the crawl from {6 - len(set(real))} pages")
    problems += [
        f"{host.number}: {a.path} is closed"
        for host in hosts
        for a in host.log
        if "/closed/" in a.path
    ]
    problems += repeated_pages(hosts, 1)
    print(
        f"crawls: {len(hosts)} sites with traps, {rows:,} pages in {time.monotonic() - began:.1f} s"
    )
    return problems


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks.bulk.farm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--delay", type=float, default=0.25)
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--engine", default="local")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

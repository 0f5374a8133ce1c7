"""Renderings with the machine's own Chromium. Nothing here leaves loopback."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest
from returns.result import Result

from webseam.adapters.features.browser.deps import OnRefused, RenderLimits
from webseam.adapters.pages.fetch.connect import Resolve
from webseam.composition.features.browser.rendering import make_renderer
from webseam.composition.features.testing.faulty_server import FaultyServer
from webseam.ports.errors import (
    DeadlineExceeded,
    ParseFailed,
    ResponseTooLarge,
    TlsFailed,
    UnsupportedContent,
    UrlDenied,
    WebError,
)
from webseam.ports.pages import Fetched

from .hostile import ARRIVING, NOT_LOADED, hostile_page, service_worker
from .support import (
    CANARY,
    PUBLIC,
    Pages,
    ScriptedNames,
    Site,
    always,
    living_in_sight,
    needs_chromium,
    opening,
    page,
    processes_of,
    run,
    serving,
    serving_both,
    survivors,
)

pytestmark = needs_chromium

# Generous: a busy machine may need many seconds just to start a browser.
LIMITS = RenderLimits(deadline=60.0, settle=10.0)
FILL = "document.getElementById('app').textContent = "

MakePages: TypeAlias = Callable[[int], dict[str, bytes]]


@pytest.fixture(autouse=True)
def homes() -> Iterator[Path]:
    with living_in_sight() as folder:
        yield folder


class Asked(NamedTuple):
    """What came of a rendering, which paths were asked for, and how often the canary was reached."""

    rendered: Result[Fetched, WebError]
    paths: list[str]
    canary: int


async def ask(
    pages: MakePages,
    host: str = PUBLIC,
    *,
    limits: RenderLimits = LIMITS,
    resolve: Resolve | None = None,
    on_refused: OnRefused = lambda _: None,
) -> Asked:
    """Render / of a site, with a canary at the same port of 127.0.0.1."""
    site, canary = Pages({}), Site(page(b"INTERNAL SECRET"))
    async with serving_both((site, PUBLIC), (canary, CANARY)) as port:
        site.pages = pages(port)
        policy = opening(f"{PUBLIC}/32:{port}")
        renderer = make_renderer(
            policy, limits=limits, resolve=resolve or always(PUBLIC), on_refused=on_refused
        )
        rendered = await renderer.render(f"http://{host}:{port}/")
        paths = [head.split(b" ")[1].decode() for head in site.heads]
    return Asked(rendered, paths, canary.connections)


def moved(location: str) -> bytes:
    return page(b"", f"Location: {location}", status="302 Found")


def shell(script: str) -> bytes:
    return page(f"<!doctype html><div id=app></div><script>{script}</script>".encode())


def test_a_shell_is_rendered_to_its_text_and_its_final_address() -> None:
    script = (
        "alert('hello'); fetch('/api').then(answer => answer.json()).then(found => {"
        f"{FILL} found.text; history.pushState(0, '', '/route') }})"
    )
    pages = {
        "/": moved("/app"),
        "/app": shell(script),
        "/api": page(b'{"text": "rendered"}', kind="application/json"),
    }

    outcome = run(ask(lambda _: pages))

    fetched = outcome.rendered.unwrap()
    assert b'<div id="app">rendered</div>' in fetched.body
    assert (fetched.final_url.endswith("/route"), fetched.hops, outcome.canary) == (True, 1, 0)


def test_shadow_roots_are_rendered_without_those_of_the_browser() -> None:
    script = (
        "app.innerHTML = '<details open><summary>More</summary>of it</details><input value=typed>';"
        "for (const mode of ['open', 'closed']) app.appendChild(document.createElement('div'))"
        ".attachShadow({mode}).innerHTML = `<p>in the ${mode} shadow</p>`"
    )

    outcome = run(ask(lambda _: {"/": shell(script)}))

    body = outcome.rendered.unwrap().body
    assert b'<template shadowrootmode="open"><p>in the open shadow</p></template>' in body
    assert b"in the closed shadow" in body
    assert body.count(b"<template") == 2


class Datagrams(asyncio.DatagramProtocol):
    """Counts the datagrams that come."""

    def __init__(self) -> None:
        self.count = 0

    def datagram_received(self, data: bytes, addr: object) -> None:
        del data, addr
        self.count += 1


@asynccontextmanager
async def counting_datagrams() -> AsyncIterator[tuple[int, Datagrams]]:
    loop = asyncio.get_running_loop()
    transport, canary = await loop.create_datagram_endpoint(Datagrams, local_addr=(CANARY, 0))
    try:
        yield transport.get_extra_info("sockname")[1], canary
    finally:
        transport.close()


async def inside_or_public(host: str, _port: int) -> Sequence[str]:
    return [CANARY if host == "inside.example.com" else PUBLIC]


def test_scripts_reach_nothing_but_what_is_allowed() -> None:
    async def session() -> tuple[Asked, int, list[UrlDenied]]:
        events: list[UrlDenied] = []
        async with counting_datagrams() as (udp, datagrams):
            outcome = await ask(
                lambda port: {
                    "/": page(hostile_page(port, udp)),
                    "/service.js": page(service_worker(port), kind="text/javascript"),
                    f"/redirect?http://{CANARY}:{port}": moved(f"http://{CANARY}:{port}/"),
                },
                limits=RenderLimits(deadline=90.0, settle=45.0),
                resolve=inside_or_public,
                on_refused=events.append,
            )
        return outcome, datagrams.count, events

    outcome, datagrams, told = run(session())

    assert (outcome.canary, datagrams) == (0, 0)
    assert b"all tried" in outcome.rendered.unwrap().body
    assert set(outcome.paths) >= ARRIVING
    assert NOT_LOADED.isdisjoint(outcome.paths)
    assert {denied.rule for denied in told} >= {"loopback", "local_name", "unspecified"}


@pytest.mark.parametrize(
    "way",
    [
        moved,
        lambda to: page(f'<meta http-equiv=refresh content="0;url={to}">'.encode()),
        lambda to: shell(f"location.href = '{to}'"),
    ],
    ids=["redirect", "meta refresh", "script"],
)
def test_a_page_cannot_go_where_it_must_not(way: Callable[[str], bytes]) -> None:
    outcome = run(ask(lambda port: {"/": way(f"http://{CANARY}:{port}/")}))

    refusal = outcome.rendered.failure()
    assert isinstance(refusal, UrlDenied)
    assert (refusal.rule, refusal.hop, outcome.canary) == ("loopback", 1, 0)


def test_a_name_that_changes_its_mind_stays_where_it_was() -> None:
    names = ScriptedNames([[PUBLIC], [CANARY]])
    script = f"fetch('/again').then(answer => answer.text()).then(text => {{ {FILL} text }})"
    pages = {"/": shell(script), "/again": page(b"still public")}

    outcome = run(ask(lambda _: pages, "rebind.example.com", resolve=names))

    assert b"still public" in outcome.rendered.unwrap().body
    assert (outcome.canary, names.asked) == (0, ["rebind.example.com"])


PLACES = """<!doctype html><link rel=preconnect href=http://preconnect.example.com:@PORT@>
<link rel=dns-prefetch href=//dns.example.com:@PORT@><p id=text>not yet</p>
<script src=http://script.example.com:@PORT@/script></script>
<iframe src=http://frame.example.com:@PORT@/frame></iframe>
<script>
const at = name => `http://${name}.example.com:@PORT@/${name}`;
const code = name => URL.createObjectURL(new Blob(
  [`fetch('${at(name)}', {mode: 'no-cors'}).catch(() => 0)`], {type: 'text/javascript'}));
new Worker(code('worker'));
// Nobody waits for a shared worker, so the page keeps busy until it has heard of it.
const shared = new SharedWorker(URL.createObjectURL(new Blob([`onconnect = event =>
  fetch('${at('shared')}', {mode: 'no-cors'}).finally(() => event.ports[0].postMessage(0))`],
  {type: 'text/javascript'})));
const busy = setInterval(() => fetch('/busy'), 200);
shared.port.onmessage = () => clearInterval(busy);
new WebSocket(at('socket').replace('http', 'ws'));
navigator.sendBeacon(at('beacon'), 'x');
fetch(at('fetch'), {mode: 'no-cors'}).catch(() => 0);
fetch('/moved', {mode: 'no-cors'}).catch(() => 0);
</script>"""


def test_each_place_that_a_page_names_is_let_through_and_no_other() -> None:
    asked_for: list[str] = []

    async def resolve(host: str, _port: int) -> Sequence[str]:
        asked_for.append(host)
        return [PUBLIC]

    def pages(port: int) -> dict[str, bytes]:
        inner = (
            f"<script>fetch('http://inner.example.com:{port}/inner', {{mode: 'no-cors'}})</script>"
        )
        return {
            "/": page(PLACES.replace("@PORT@", str(port)).encode()),
            "/frame": page(inner.encode()),
            "/moved": moved(f"http://redirect.example.com:{port}/redirect"),
        }

    outcome = run(ask(pages, "start.example.com", resolve=resolve))

    named = {
        "beacon",
        "fetch",
        "frame",
        "inner",
        "redirect",
        "script",
        "shared",
        "socket",
        "worker",
    }
    assert {f"/{name}" for name in named} <= set(outcome.paths)
    assert set(asked_for) == {f"{name}.example.com" for name in (*named, "start")}


FRAMES = """<!doctype html><p>frames</p><script>
const fill = '<script>const held = []; for (let i = 0; i < 64; i++)'
  + ' held.push(new Uint8Array(1 << 20).fill(i)); onmessage = () => held<\\/script>';
for (let i = 0; i < 300; i++)
  document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: fill}));
</script>"""


def test_a_page_that_takes_too_much_memory_is_ended_below_its_limit(homes: Path) -> None:
    mebibyte = 1024 * 1024
    limits = RenderLimits(deadline=60.0, settle=30.0)

    highest, over = [0], threading.Event()
    observer = threading.Thread(target=look_at_memory, args=(homes, highest, over))
    observer.start()
    outcome = run(ask(lambda _: {"/": page(FRAMES.encode())}, limits=limits))
    over.set()
    observer.join()

    failure = outcome.rendered.failure()
    assert isinstance(failure, ParseFailed)
    assert failure.reason == "out_of_memory"
    assert 0 < highest[0] < limits.memory_bytes + 128 * mebibyte
    assert_nothing_is_left(homes)


def look_at_memory(homes: Path, highest: list[int], over: threading.Event) -> None:
    """Note the most that a browser's processes take together, by the exact count of the kernel."""
    while not over.wait(0.1):
        highest[0] = max(highest[0], sum(map(proportional_bytes, processes_of(homes))))


def proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def test_a_download_is_no_page() -> None:
    pages = {"/": page(b"PK", "Content-Disposition: attachment; filename=x.zip", kind="text/html")}

    failure = run(ask(lambda _: pages)).rendered.failure()

    assert isinstance(failure, UnsupportedContent)


class Looking(Pages):
    """A site that looks for files when /later is asked for."""

    def __init__(self, pages: dict[str, bytes], homes: Path) -> None:
        super().__init__(pages)
        self.found: list[str] | None = None
        self._homes = homes

    def answer(self, path: str) -> bytes:
        if path == "/later":
            self.found = [file.name for file in self._homes.rglob("*zip*")]
        return super().answer(path)


def test_download_by_a_page_is_not_written(homes: Path) -> None:
    script = (
        "const link = document.createElement('a'); link.href = '/x.zip'; link.download = 'x.zip';"
        "link.click(); setTimeout(() => fetch('/later'), 300)"
    )
    stored = page(b"PK stored", "Content-Disposition: attachment", kind="application/zip")
    site = Looking({"/": shell(script), "/x.zip": stored, "/later": page(b"")}, homes)

    async def session() -> None:
        async with serving(site, PUBLIC) as port:
            renderer = make_renderer(opening(f"{PUBLIC}/32:{port}"), limits=LIMITS)
            await renderer.render(f"http://{PUBLIC}:{port}/")

    run(session())

    assert site.found == []


def test_a_script_without_end_does_not_keep_the_page_from_being_read(homes: Path) -> None:
    pages = {"/": page(b"<p>here is text</p><script>for (;;);</script>")}

    outcome = run(ask(lambda _: pages, limits=RenderLimits(deadline=60.0, settle=2.0)))

    assert b"here is text" in outcome.rendered.unwrap().body
    assert_nothing_is_left(homes)


def test_a_page_that_takes_too_long_is_ended_at_the_deadline(homes: Path) -> None:
    pages = {"/": page(b"<script>for (;;);</script>")}
    limits = RenderLimits(deadline=6.0, settle=60.0)

    failure = run(ask(lambda _: pages, limits=limits)).rendered.failure()

    assert isinstance(failure, DeadlineExceeded)
    assert_nothing_is_left(homes)


def test_cancelling_ends_the_browser(homes: Path) -> None:
    async def session() -> bool:
        site = Asking()
        async with serving(site, PUBLIC) as port:
            renderer = make_renderer(opening(f"{PUBLIC}/32:{port}"), limits=LIMITS)
            task = asyncio.ensure_future(renderer.render(f"http://{PUBLIC}:{port}/"))
            await asyncio.wait_for(site.asked.wait(), 60)
            task.cancel()
            await asyncio.wait({task})
            return task.cancelled()

    assert run(session())
    assert_nothing_is_left(homes)


class Asking(Site):
    """A site that never answers, and tells when it is asked."""

    def __init__(self) -> None:
        super().__init__(None)
        self.asked = asyncio.Event()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del writer
        self.asked.set()
        await reader.read()


def assert_nothing_is_left(homes: Path) -> None:
    assert survivors(homes) == []
    assert list(homes.iterdir()) == []


def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    async def session() -> WebError:
        async with FaultyServer() as server:
            url = server.url("tls_ok", "pinned.example.com")
            port = server.ports["tls"]
            renderer = make_renderer(
                opening(f"{server.host}/32:{port}"), limits=LIMITS, resolve=always(server.host)
            )
            return (await renderer.render(url)).failure()

    assert isinstance(run(session()), TlsFailed)


def test_a_page_that_loads_too_much_is_too_large() -> None:
    pages = {"/": shell("fetch('/much')"), "/much": page(b"x" * 2_000_000)}
    limits = RenderLimits(deadline=60.0, transfer_bytes=1_000_000)

    failure = run(ask(lambda _: pages, limits=limits)).rendered.failure()

    assert isinstance(failure, ResponseTooLarge)
    assert failure.what == "body"

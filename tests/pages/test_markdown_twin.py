"""Markdown versions of pages: which one is read, when the HTML stays, and what the HTML lacks."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, cast

import pytest

import webseam
from tests.doors.cli.run import webseam as run_webseam
from webseam.adapters.call_context import ask_second_look
from webseam.adapters.pages.settings import PagePreference
from webseam.composition.planning.open_backends import close_after
from webseam.composition.wiring.pages import pages_backend
from webseam.kernel import WebDeps, web_extract
from webseam.kernel.pages.markdown_twin import find_markdown_twin
from webseam.kernel.policy import PolicySettings, make_policy
from webseam.ports.errors import InvalidQuery
from webseam.ports.web import WebExtractResult
from webseam.testing import FakeBackend

TIDES = [
    "The tide comes in twice a day, and the moon is the cause of it.",
    "Fishermen of the old harbour read the water better than any table that was printed.",
    "In spring the flood reaches the second step of the customs house, never the third.",
]
OTHER = "This sentence stands in the markdown version alone, so that it can be told apart."
MARKDOWN = f"# Tides\n\n{TIDES[0]}\n\n**{TIDES[1]}** {OTHER}\n\n1. [{TIDES[2]}](/steps)\n"
ALTERNATE = '<link rel=alternate type="text/markdown" href="{}">'


def html(head: str = "", menu: str = "") -> str:
    paragraphs = "".join(f"<p>{text}</p>" for text in TIDES)
    start = f"<html><head><title>Tides</title>{head}</head><body><nav>{menu}</nav>"
    return f"{start}<article><h1>Tides</h1>{paragraphs}</article></body></html>"


class Answer(NamedTuple):
    body: str
    kind: str = "text/html"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Web(NamedTuple):
    port: int
    asked: list[tuple[str, str]]

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def serving(answer: Callable[[str, str], Answer]) -> Iterator[Web]:
    """Answer each path and Accept header."""
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            accept = self.headers.get("accept", "")
            asked.append((self.path, accept))
            reply = answer(self.path, accept)
            body = reply.body.encode()
            self.send_response(reply.status)
            length = ("content-length", str(len(body)))
            for name, value in (("content-type", reply.kind), length, *reply.headers):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Web(server.server_port, asked)
        finally:
            server.shutdown()
            thread.join()


def extract(
    web: Web, prefer: PagePreference = "markdown", *, second_look: float = 0
) -> WebExtractResult:
    policy = make_policy(PolicySettings(allow_private=(f"127.0.0.1/32:{web.port}",))).unwrap()

    async def ask() -> WebExtractResult:
        backend = pages_backend(policy, prefer=prefer, second_look=second_look)
        deps = WebDeps(backend=backend, policy=policy)
        url = f"http://127.0.0.1:{web.port}/tides"
        return (await close_after(backend, web_extract(url, deps))).unwrap()

    return asyncio.run(ask())


def by_path(page: Answer, twin: Answer) -> Callable[[str, str], Answer]:
    return lambda path, _: page if path == "/tides" else twin


TWIN = Answer(MARKDOWN, "text/markdown", headers=(("content-usage", "train-ai=n"),))
LINKED = Answer(
    html(),
    headers=(
        ("link", '</a.css>; rel=preload, </tides.md>; rel="alternate"; type="text/markdown"'),
    ),
)


@pytest.mark.parametrize("page", [LINKED, Answer(html(ALTERNATE.format("tides.md")))])
def test_the_markdown_version_that_a_page_names_is_read(page: Answer) -> None:
    with serving(by_path(page, TWIN)) as web:
        read = extract(web)
        plain = extract(web, "html")
    assert web.paths == ["/tides", "/tides.md", "/tides"]
    assert OTHER in read.content
    assert read.final_url.endswith("/tides")
    assert read.metadata["content_type"] == "text/markdown"
    assert cast("Any", read.metadata["usage"])["train"] == "no"
    assert OTHER not in plain.content


def test_a_page_of_two_requests_has_no_validator_that_would_renew_half_of_it() -> None:
    def tag(answer: Answer) -> Answer:
        return answer._replace(headers=(*answer.headers, ("etag", '"v1"')))

    with serving(by_path(tag(LINKED), tag(TWIN))) as web:
        assert ["etag" in extract(web, prefer).metadata for prefer in ("markdown", "html")] == [
            False,
            True,
        ]
    with serving(by_accept(tag(Answer(html())), tag(TWIN))) as web:
        assert ["etag" in extract(web, second_look=share).metadata for share in (1, 0)] == [
            False,
            True,
        ]


BROKEN = {
    "failed": Answer("gone", status=404),
    "empty": Answer("", "text/markdown"),
    "blank": Answer(" \n", "text/markdown"),
    "html": Answer(html()),
    "elsewhere": Answer("", status=302, headers=(("location", "http://localhost:1/x"),)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_version_that_cannot_be_used_leaves_the_html_with_a_note(name: str) -> None:
    with serving(by_path(LINKED, BROKEN[name])) as web:
        read = extract(web)
    assert web.paths == ["/tides", "/tides.md"]
    assert TIDES[2] in read.content
    assert read.metadata["content_type"] == "text/html"
    assert len(read.notes) == 1


@pytest.mark.parametrize(
    "link", ["http://127.0.0.2/tides.md", "http://127.0.0.1:1/tides.md", "https://127.0.0.1/x"]
)
def test_a_version_on_another_origin_is_not_asked_for(link: str) -> None:
    with serving(by_path(Answer(html(ALTERNATE.format(link))), TWIN)) as web:
        read = extract(web)
    assert web.paths == ["/tides"]
    assert read.notes == ()


@pytest.mark.parametrize("stated", ["http://[", "mailto:a@b.example", "", "https://a.example/x#y"])
def test_markdown_version_that_is_no_other_page_is_ignored(stated: str) -> None:
    header = "</x.md>; rel=alternate; type=text/html, </y.md>; rel=next; type=text/markdown"
    assert find_markdown_twin("https://a.example/x", header, stated) is None


def by_accept(page: Answer, twin: Answer) -> Callable[[str, str], Answer]:
    return lambda path, accept: twin if "text/markdown" in accept and path == "/tides" else page


def look(page: Answer, twin: Answer = TWIN) -> WebExtractResult:
    with serving(by_accept(page, twin)) as web:
        return extract(web, second_look=1)


@pytest.mark.parametrize("answer", [by_path(LINKED, TWIN), by_accept(Answer(html()), TWIN)])
def test_a_second_look_leaves_out_what_the_html_lacks(answer: Callable[[str, str], Answer]) -> None:
    with serving(answer) as web:
        read = extract(web, second_look=1)
    assert len(web.paths) == 2
    assert OTHER in str(read.metadata["agents_only"])
    assert str(read.metadata["agents_only"]).startswith("<untrusted-web-content id=")
    assert OTHER not in read.content
    assert all(text in read.content for text in TIDES)
    assert read.metadata["second_look"] == "compared"
    assert read.left_out is not None
    left_out = read.left_out[-1]
    assert (left_out.kind, left_out.words) == ("agents_only", len(OTHER.split()))
    assert read.title == "Tides"


def test_menus_and_pictures_of_both_versions_are_no_difference() -> None:
    menu = "Harbour master and opening hours <img src=/a.png alt='A boat at low tide'>"
    lines = "[Harbour master and opening hours](/hours)\n\n![A boat at low tide](/a.png)"
    read = look(Answer(html(menu=menu)), Answer(f"{lines}\n\n{TIDES[0]}\n", "text/markdown"))
    assert read.metadata["second_look"] == "compared"
    assert "agents_only" not in read.metadata


def test_text_that_the_html_hides_is_for_agents_only() -> None:
    hidden = html().replace("</article>", f"<p style='display:none'>{OTHER}</p></article>")
    read = look(Answer(hidden))
    assert OTHER in str(read.metadata["agents_only"])
    assert OTHER not in read.content


WALL = "<title>Just a moment...</title><body>Checking your browser before accessing</body>"
ELSEWHERE = Answer("", status=302, headers=(("location", "http://localhost:1/x"),))
UNREADABLE = {
    "http_status": Answer("x", status=404),
    "not_html": TWIN,
    "empty_content": Answer("<body></body>"),
    "blocked_by_remote": Answer(WALL),
    "url_denied": ELSEWHERE,
}


@pytest.mark.parametrize("reason", UNREADABLE)
def test_the_result_says_why_nothing_was_compared(reason: str) -> None:
    read = look(UNREADABLE[reason])
    assert OTHER in read.content
    assert read.metadata["second_look"] == reason
    assert "agents_only" not in read.metadata


def test_html_of_another_origin_is_not_compared() -> None:
    with serving(lambda *_: Answer(html())) as other:
        away = Answer("", status=302, headers=(("location", f"http://127.0.0.1:{other.port}/x"),))
        with serving(by_accept(away, TWIN)) as web:
            ports = (f"127.0.0.1/32:{web.port}", f"127.0.0.1/32:{other.port}")
            settings = {"policy.allow_private": ports, "pages.prefer": "markdown"}
            url = f"http://127.0.0.1:{web.port}/tides"

            async def ask() -> WebExtractResult:
                async with webseam.open(settings=settings) as client:
                    return (await client.extract(url, second_look=True)).unwrap()

            assert asyncio.run(ask()).metadata["second_look"] == "other_origin"


def test_markdown_with_other_text_only_is_replaced_by_the_html() -> None:
    read = look(Answer(html()), Answer(OTHER, "text/markdown"))
    assert TIDES[1] in read.content
    assert OTHER in str(read.metadata["agents_only"])


def test_commands_and_calls_decide_and_the_cache_tells_them_apart() -> None:
    with serving(by_accept(Answer(html()), TWIN)) as web:
        url, allowed = f"http://127.0.0.1:{web.port}/tides", f"127.0.0.1/32:{web.port}"
        settings = {"policy.allow_private": [allowed], "pages.prefer": "markdown"}
        names = ("WEBSEAM_POLICY_ALLOW_PRIVATE", "WEBSEAM_PAGES_PREFER")
        environment = dict(zip(names, (allowed, "markdown"), strict=True))
        ran = run_webseam("extract", url, "--json", "--second-look", **environment)

        async def ask() -> list[bool]:
            async with webseam.open(settings=settings) as client:
                looks = [None, True, False, True]
                pages = [await client.extract(url, second_look=one) for one in looks]
                wrong = await client.extract(url, second_look=cast("Any", "maybe"))
            assert isinstance(error := wrong.failure(), InvalidQuery)
            assert error.field == "second_look"
            return [OTHER in page.unwrap().content for page in pages]

        assert asyncio.run(ask()) == [True, False, True, False]
    page = json.loads(ran.out)["data"]["results"][0]
    assert OTHER in page["metadata"]["agents_only"]
    assert OTHER not in page["content"]


def test_a_look_that_another_reader_cannot_take_is_told() -> None:
    async def ask(**look: bool) -> tuple[str, ...]:
        async with webseam.open(backend=FakeBackend(document="Tides.")) as client:
            page = (await client.extract("https://a.example/", **cast("Any", look))).unwrap()
            return page.receipt.warnings

    warning = ("second_look was not applied: fake read this page.",)
    assert asyncio.run(ask(second_look=True)) == warning
    assert asyncio.run(ask(second_look=False)) == asyncio.run(ask()) == ()
    with ask_second_look(asked=True):
        assert asyncio.run(ask()) == warning

"""Renderings with a browser that follows a script: every way a page can come, or not."""

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from returns.result import Result, Success

from webseam.adapters.features.browser.deps import RenderLimits
from webseam.adapters.features.browser.events import chromium_net_error
from webseam.adapters.pages.settings import BrowserSettings
from webseam.composition.features.browser.rendering import make_renderer
from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.ports.errors import (
    BlockedByRemote,
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    EmptyContent,
    HttpStatus,
    NotConfigured,
    ParseFailed,
    ProtocolError,
    ResponseTooLarge,
    TlsFailed,
    TooManyRedirects,
    UnsupportedCapability,
    UnsupportedContent,
    UpstreamUnavailable,
    UrlDenied,
    WebError,
)
from webseam.ports.pages import Fetched

from .scripts import COMING, GONE, URL, Script, answered, navigated, paused, quiet, script
from .support import (
    PUBLIC,
    ScriptedNames,
    Site,
    always,
    closed_port,
    living_in_sight,
    opening,
    page,
    run,
    scripted_browser,
    serving,
    survivors,
)

POLICY = make_policy(
    PolicySettings(
        allow_private=("127.0.0.2/32:8080", "127.0.0.2/32:443"), deny_domains=("bad.example.com",)
    )
).unwrap()
LIMITS = RenderLimits(deadline=20.0, settle=10.0, html_bytes=10_000)


class Stage:
    """A place for a rendering with a scripted browser; ``told`` is what the browser was told."""

    def __init__(self, folder: Path, homes: Path) -> None:
        self.folder = folder
        self.homes = homes

    def render(
        self, play: Script, url: str = URL, limits: RenderLimits = LIMITS
    ) -> Result[Fetched, WebError]:
        return run(self.rendering(play, url, limits))

    async def rendering(
        self, play: Script, url: str, limits: RenderLimits, policy: Policy = POLICY
    ) -> Result[Fetched, WebError]:
        program = scripted_browser(self.folder, play)
        # Its place is ours alone: as root, nobody could run it there.
        settings = BrowserSettings(browser=program, sandbox=False)
        return await make_renderer(policy, settings, limits=limits, resolve=always(PUBLIC)).render(
            url
        )

    async def visiting(self, port: int, limits: RenderLimits = LIMITS) -> Result[Fetched, WebError]:
        """Render a page for which the browser asks the proxy, with the password it was given."""
        url = f"http://{PUBLIC}:{port}/"
        return await self.rendering(asking(url), url, limits, opening(f"{PUBLIC}/32:{port}"))

    @property
    def told(self) -> list[dict[str, Any]]:
        lines = (self.folder / "told.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def told_of(self, request: str) -> list[tuple[str, dict[str, Any]]]:
        """Return what was said about one request."""
        return [
            (command["method"], command["params"])
            for command in self.told
            if command["params"].get("requestId") == request
        ]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with living_in_sight() as homes:
        yield Stage(tmp_path, homes)


def test_a_page_is_read_when_it_is_quiet(stage: Stage) -> None:
    play = script(
        paused(),
        answered(200, "text/html; charset=latin-1", Content_Language="de"),
        navigated("blank", frame="another"),
        quiet("L0"),
        GONE,
        navigated(),
        quiet(name="load"),
        quiet(frame="another"),
        quiet(),
        html="<p>caf\u00e9 \ud83d half</p>",
        url="http://127.0.0.2:8080/end#part",
    )

    rendered = stage.render(play, URL + "#part")

    assert rendered == Success(
        Fetched(
            url=URL + "#part",
            final_url="http://127.0.0.2:8080/end",
            status=200,
            content_type="text/html; charset=utf-8",
            headers={"content-language": "de"},
            body="<p>caf\u00e9 ? half</p>".encode(),
            hops=0,
        )
    )
    visits = [command for command in stage.told if command["method"] == "Page.navigate"]
    assert visits[0]["params"] == {"url": URL + "#part"}
    assert visits[0]["sessionId"] == "SESSION"


def test_nothing_is_left_of_a_rendering(stage: Stage) -> None:
    stage.render(script())

    assert list(stage.homes.iterdir()) == []
    assert survivors(stage.homes) == []


def test_a_page_that_is_never_quiet_is_read_as_it_is(stage: Stage) -> None:
    play = script(paused(), answered(), GONE, navigated())

    rendered = stage.render(play, limits=RenderLimits(settle=0.1))

    assert rendered.unwrap().body == b"<p>x</p>"
    assert "Runtime.terminateExecution" in [command["method"] for command in stage.told]


def test_downloads_are_denied_before_there_is_a_page(stage: Stage) -> None:
    stage.render(script())

    denied = next(c for c in stage.told if c["method"] == "Browser.setDownloadBehavior")
    assert denied["params"] == {"behavior": "deny", "browserContextId": "CONTEXT"}


def test_pictures_are_answered_with_nothing_to_see_and_fonts_and_films_are_stopped(
    stage: Stage,
) -> None:
    kinds = {"Image": "i", "Font": "f", "Media": "m", "Script": "s", "Document": "iframe"}
    wanted = [paused(url, kind, frame="F2") for kind, url in kinds.items()]

    stage.render(script(*wanted, *COMING))

    said = {url: stage.told_of(url)[0][0] for url in kinds.values()}
    assert said == {
        "i": "Fetch.fulfillRequest",
        "f": "Fetch.failRequest",
        "m": "Fetch.failRequest",
        "s": "Fetch.continueRequest",
        "iframe": "Fetch.continueRequest",
    }


def test_the_proxy_gets_its_password_once_a_request_and_a_site_never(stage: Stage) -> None:
    def asks(request: str, source: str) -> object:
        challenge = {"source": source, "origin": "x", "scheme": "basic", "realm": "webseam"}
        params = {"requestId": request, "authChallenge": challenge}
        return {"method": "Fetch.authRequired", "params": params}

    play = script(asks("a", "Proxy"), asks("a", "Proxy"), asks("b", "Server"), *COMING)

    stage.render(play)

    first, again = (params["authChallengeResponse"] for _, params in stage.told_of("a"))
    assert (first["response"], first["username"]) == ("ProvideCredentials", "webseam")
    assert len(first["password"]) >= 43
    assert again == {"response": "CancelAuth"}
    assert stage.told_of("b")[0][1]["authChallengeResponse"] == {"response": "CancelAuth"}


def test_a_page_that_asks_is_told_no(stage: Stage) -> None:
    asks = {"method": "Page.javascriptDialogOpening", "params": {"type": "confirm"}}

    stage.render(script(asks, *COMING))

    told = next(c for c in stage.told if c["method"] == "Page.handleJavaScriptDialog")
    assert told["params"] == {"accept": False}


def test_events_of_another_shape_are_passed_over(stage: Stage) -> None:
    odd: list[object] = [
        {"method": method, "params": {"frame": 1, "name": 2, "requestId": 3}}
        for method in (
            "Fetch.requestPaused",
            "Fetch.authRequired",
            "Page.frameNavigated",
            "Page.lifecycleEvent",
            "Page.somethingNew",
        )
    ]

    assert isinstance(stage.render(script(*odd, *COMING)), Success)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (
            ["http://127.0.0.1:8080/"],
            UrlDenied(
                rule="loopback",
                stage="address",
                hop=1,
                setting="policy.allow_private: [127.0.0.1/32:8080]",
                url="http://127.0.0.1:8080/",
            ),
        ),
        (
            ["http://bad.example.com/"],
            UrlDenied(
                rule="denied_domain",
                stage="parse",
                hop=1,
                setting="policy.deny_domains without bad.example.com",
                url="http://bad.example.com/",
            ),
        ),
        (
            ["https://127.0.0.2/", "http://127.0.0.2:8080/"],
            UrlDenied(
                rule="downgrade",
                stage="parse",
                hop=2,
                setting="policy.allow_downgrade: true",
                url="http://127.0.0.2:8080/",
            ),
        ),
        ([f"{URL}?{number}" for number in range(20)], TooManyRedirects(hops=10, url=URL)),
    ],
    ids=["address", "domain", "downgrade", "many"],
)
def test_navigation_of_a_page_is_judged_like_a_redirect(
    stage: Stage, moves: list[str], expected: WebError
) -> None:
    steps = [step for url in moves for step in (paused(url), answered(302, "", url))]

    stopped = [{"answer": {"errorText": "net::ERR_BLOCKED_BY_CLIENT"}, "to": "Page.navigate"}]

    # Only when the request was stopped is there an answer at all.
    rendered = stage.render(script(paused(), answered(302, ""), *steps, Fetch_failRequest=stopped))

    assert rendered.failure() == expected


def test_a_page_that_moves_on_by_itself_is_read_where_it_ends(stage: Stage) -> None:
    second = "http://127.0.0.2:8080/second"
    play = script(
        paused(),
        answered(),
        GONE,
        navigated("L1"),
        paused(second),
        quiet("L1"),
        answered(url=second),
        navigated("L2"),
        quiet("L2"),
        url=second,
    )

    fetched = stage.render(play).unwrap()

    assert (fetched.final_url, fetched.hops) == (second, 1)


@pytest.mark.parametrize(
    "answer",
    [
        answered(200, "application/zip"),
        answered(204),
        answered(200, Content_Disposition="attachment"),
    ],
    ids=["zip", "nothing", "download"],
)
def test_a_page_that_stores_a_file_stays_as_it_is(stage: Stage, answer: object) -> None:
    play = script(
        paused(), answered(200), GONE, navigated(), paused(URL + "?file"), quiet(), answer
    )

    fetched = stage.render(play).unwrap()

    assert (fetched.status, fetched.hops, fetched.body) == (200, 0, b"<p>x</p>")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (answered(200, "image/png"), UnsupportedContent(content_type="image/png", url=URL)),
        (
            answered(200, "application/pdf"),
            UnsupportedContent(content_type="application/pdf", url=URL),
        ),
        (
            answered(200, "", Content_Disposition="Attachment; filename=x"),
            UnsupportedContent(content_type="a download", url=URL),
        ),
        (answered(404), HttpStatus(status=404, url=URL)),
        (answered(503), UpstreamUnavailable(status=503, url=URL)),
        (answered(204), EmptyContent(reason="no_body", url=URL)),
        (answered(403, cf_mitigated="challenge"), BlockedByRemote(status=403, url=URL)),
    ],
    ids=["image", "pdf", "download", "404", "503", "204", "challenge"],
)
def test_an_answer_that_is_no_page_is_told_as_what_it_is(
    stage: Stage, answer: object, expected: WebError
) -> None:
    rendered = stage.render(script(paused(), answer, GONE, navigated(), quiet()))

    assert rendered.failure() == expected


def test_a_bot_check_is_known_by_its_words_too(stage: Stage) -> None:
    play = script(
        paused(), answered(403), GONE, navigated(), quiet(), html="<title>Just a moment...</title>"
    )

    assert stage.render(play).failure() == BlockedByRemote(status=403, url=URL)


def test_a_page_that_the_browser_could_not_get_is_told_as_what_it_is(stage: Stage) -> None:
    failed = {"answer": {"errorText": "net::ERR_CERT_AUTHORITY_INVALID"}}

    rendered = stage.render(script(paused(), failed))

    assert rendered.failure() == TlsFailed(reason="cert authority invalid", url=URL)


def test_a_failed_load_without_a_reason_has_none(stage: Stage) -> None:
    gone = paused(responseErrorReason="Failed")
    play = script(paused(), gone, GONE, navigated(), quiet(), url="chrome-error://chromewebdata/")

    assert stage.render(play).failure() == ConnectionLost(url=URL)


def test_a_page_that_made_itself_blank_has_no_text(stage: Stage) -> None:
    assert stage.render(script(url="about:blank")).failure() == EmptyContent(url=URL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("net::ERR_SSL_PROTOCOL_ERROR", TlsFailed(reason="ssl protocol error")),
        ("net::ERR_TOO_MANY_REDIRECTS", TooManyRedirects(hops=20)),
        ("net::ERR_TUNNEL_CONNECTION_FAILED", ConnectFailed()),
        ("net::ERR_INVALID_HTTP_RESPONSE", ProtocolError()),
        ("net::ERR_EMPTY_RESPONSE", ConnectionLost()),
        ("anything else", ConnectionLost()),
    ],
)
def test_network_error_of_chromium_is_a_typed_error(text: str, expected: WebError) -> None:
    assert chromium_net_error(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("net::ERR_UNSAFE_REDIRECT", "bad_redirect"),
        ("net::ERR_CONTENT_DECODING_FAILED", "bad_encoding"),
        ("net::ERR_TIMED_OUT", "timeout"),
    ],
)
def test_network_error_of_chromium_has_its_kind(text: str, kind: str) -> None:
    assert chromium_net_error(text).kind == kind


CRASHED = ParseFailed(reason="crashed", url=URL)


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        (script({"exit": True}), CRASHED),
        (script(paused(), {"exit": True}), CRASHED),
        (script(DOM_getOuterHTML=[{"exit": True}]), CRASHED),
        (script(paused(), answered(), GONE, {"exit": True}), CRASHED),
        (script(paused(), GONE, {"method": "Inspector.targetCrashed"}), CRASHED),
        (script({"method": "Inspector.targetCrashed"}, GONE), CRASHED),
        (script(DOM_getDocument=[{"method": "Inspector.targetCrashed"}, {"exit": True}]), CRASHED),
        (
            script({"raw": "not JSON\0"}),
            ParseFailed(reason="crashed", detail="its message was invalid", url=URL),
        ),
        (
            script({"raw": "[" * 9000 + "\0"}),
            ParseFailed(reason="crashed", detail="its message was invalid", url=URL),
        ),
        (
            script({"raw": '{"id": "one"}\0'}),
            ParseFailed(reason="crashed", detail="its message was invalid", url=URL),
        ),
    ],
)
def test_a_browser_that_breaks_is_a_failed_conversion(
    stage: Stage, play: Script, expected: WebError
) -> None:
    assert stage.render(play).failure() == expected


def test_a_refused_command_tells_why(stage: Stage) -> None:
    failure = stage.render(script({"refusal": "Cannot navigate"})).failure()

    assert failure == ParseFailed(reason="crashed", detail="Cannot navigate", url=URL)


@pytest.mark.parametrize(("times", "read"), [(1, True), (2, True), (3, False)])
def test_a_page_that_moves_while_it_is_read_is_read_again(
    stage: Stage, times: int, *, read: bool
) -> None:
    play = dict(script())
    play["DOM.getOuterHTML"] = [[{"refusal": "no node"}]] * times + [play["DOM.getOuterHTML"]]

    assert isinstance(stage.render(play), Success) is read


def test_more_than_the_pipe_may_hold_is_too_large(stage: Stage) -> None:
    play = script(html="x" * 3_000_000)

    expected = ResponseTooLarge(what="decoded", limit=10_000, url=URL)
    assert stage.render(play).failure() == expected


def test_a_document_beyond_the_limit_is_too_large(stage: Stage) -> None:
    play = script(html="x" * 10_001)

    expected = ResponseTooLarge(what="decoded", limit=10_000, url=URL)
    assert stage.render(play).failure() == expected


def test_a_browser_that_needs_its_sandbox_and_has_none_says_so(stage: Stage) -> None:
    last = {"say": "x\n[1:1:FATAL:zygote_host_impl_linux.cc] No usable sandbox!\n"}

    failure = stage.render({"Target.createBrowserContext": [last, {"exit": True}]}).failure()

    assert isinstance(failure, NotConfigured)
    assert "No usable sandbox!" in failure.reason
    assert failure.settings == ("render.sandbox",)
    assert "set render.sandbox to false" in failure.remedy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts a browser as somebody else")
def test_a_sandbox_that_cannot_be_had_is_an_error(stage: Stage) -> None:
    # Nobody but root can come to where this one is.
    stage.folder.chmod(0o700)
    settings = BrowserSettings(browser=scripted_browser(stage.folder, script()), sandbox=True)

    failure = run(make_renderer(POLICY, settings, limits=LIMITS).render(URL)).failure()

    assert isinstance(failure, NotConfigured)
    assert "its sandbox is not for root, and user 65534 cannot run" in failure.reason
    assert failure.settings == ("render.sandbox",)


@pytest.mark.parametrize(
    "step",
    ["Target.createBrowserContext", "Target.createTarget", "Target.attachToTarget", "Fetch.enable"],
)
def test_a_browser_that_ends_at_once_is_not_one_that_works(stage: Stage, step: str) -> None:
    failure = stage.render({**script(), step: [{"exit": True}]}).failure()

    assert failure == NotConfigured(
        settings=("render.browser",),
        reason="The browser does not start: ",
        remedy="Set render.browser to one that works.",
        url=URL,
    )


def test_a_url_that_is_refused_starts_no_browser(stage: Stage) -> None:
    failure = stage.render(script(), "http://127.0.0.1:8080/").failure()

    assert isinstance(failure, UrlDenied)
    assert not (stage.folder / "told.jsonl").exists()


def test_nothing_goes_around_a_proxy_that_is_set() -> None:
    names = ScriptedNames([[PUBLIC]])
    policy = make_policy(PolicySettings(proxy="http://127.0.0.1:9")).unwrap()

    failure = run(make_renderer(policy, resolve=names).render("http://a.example.com/")).failure()

    assert isinstance(failure, UnsupportedCapability)
    assert failure.capability == "render pages behind policy.proxy"
    assert names.asked == []


def test_without_a_browser_the_page_stays_unread_and_the_fix_is_named() -> None:
    renderer = make_renderer(POLICY, BrowserSettings(browser="no-such-browser"))

    failure = run(renderer.render(URL)).failure()

    assert isinstance(failure, NotConfigured)
    assert failure.url == URL


def test_a_browser_lives_in_a_place_with_a_short_name(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/" + "long" * 20)  # noqa: S108  it is not there

    assert isinstance(stage.render(script()), Success)


def test_without_a_folder_to_live_in_no_browser_starts(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")

    failure = stage.render(script()).failure()

    reason = "The browser could not be started (No such file or directory)"
    assert failure == NotConfigured(settings=("render.browser",), reason=reason, url=URL)


def test_a_browser_that_never_answers_is_ended_at_the_deadline(stage: Stage) -> None:
    failure = stage.render(script(paused()), limits=RenderLimits(deadline=1.0)).failure()

    assert failure == DeadlineExceeded(deadline=1.0, url=URL)
    assert survivors(stage.homes) == []
    assert list(stage.homes.iterdir()) == []


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, 20, 50])
def test_cancelling_a_start_leaves_nothing(stage: Stage, turns: int) -> None:
    async def cancel() -> bool:
        task = asyncio.ensure_future(stage.rendering(script(paused()), URL, LIMITS))
        for _ in range(turns):
            await asyncio.sleep(0)
        return await is_cancelled(task)

    assert run(cancel())
    assert survivors(stage.homes) == []
    assert list(stage.homes.iterdir()) == []


def test_cancelling_a_visit_leaves_nothing(stage: Stage) -> None:
    async def cancel() -> bool:
        site = Visited()
        async with serving(site, PUBLIC) as port:
            task = asyncio.ensure_future(stage.visiting(port))
            await asyncio.wait_for(site.visited.wait(), 60)
            return await is_cancelled(task)

    assert run(cancel())
    assert survivors(stage.homes) == []
    assert list(stage.homes.iterdir()) == []


async def is_cancelled(task: "asyncio.Task[Result[Fetched, WebError]]") -> bool:
    task.cancel()
    await asyncio.wait({task})
    return task.cancelled()


class Visited(Site):
    """A site that never answers, and tells when somebody has come."""

    def __init__(self) -> None:
        super().__init__(None)
        self.visited = asyncio.Event()

    async def _answer(self, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        self.visited.set()
        await reader.read()


def asking(url: str) -> Script:
    return script(
        paused(url),
        {
            "method": "Fetch.authRequired",
            "params": {"requestId": "1", "authChallenge": {"source": "Proxy"}},
        },
        Fetch_continueWithAuth=[
            {"get": url},
            {"answer": {"errorText": "net::ERR_EMPTY_RESPONSE"}, "to": "Page.navigate"},
        ],
    )


def test_a_page_that_loads_too_much_is_too_large(stage: Stage) -> None:
    async def session() -> WebError:
        async with serving(Site(page(b"x" * 200_000)), PUBLIC) as port:
            limits = RenderLimits(transfer_bytes=100_000)
            return (await stage.visiting(port, limits)).failure()

    failure = run(session())

    assert isinstance(failure, ResponseTooLarge)
    assert (failure.what, failure.limit) == ("body", 100_000)


def test_a_site_that_is_not_there_is_known_from_the_proxy(stage: Stage) -> None:
    with closed_port(PUBLIC) as port:
        failure = run(stage.visiting(port)).failure()

    assert failure == ConnectFailed(url=f"http://{PUBLIC}:{port}/")

"""Where a rendering may go: like the fetcher, but a public page stays on the public internet."""

from collections.abc import Sequence

from returns.result import Failure, Success

from webseam.adapters.features.browser.request_guard import ReachableTarget, RenderGuard
from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.ports.errors import UrlDenied, WebError

from .support import PUBLIC, ScriptedNames, Site, make_reach, opening, page, run, serving

WORLD = "93.184.215.14"
INTRANET: Policy = make_policy(
    PolicySettings(allow_private=("10.0.0.0/8",), allow_hosts=("wiki.corp",))
).unwrap()


async def known_names(host: str, _port: int) -> Sequence[str]:
    return ["10.0.0.7"] if host.endswith((".corp", "inside.example.com")) else [WORLD]


def after_beginning_at(url: str, then: str) -> WebError | None:
    async def ask() -> WebError | None:
        reach = make_reach(INTRANET, known_names)
        assert isinstance(await reach.judge_page(url), Success)
        checked = await reach.judge_request(then)
        return checked.failure() if isinstance(checked, Failure) else None

    return run(ask())


def test_a_public_page_reaches_public_places() -> None:
    assert after_beginning_at("https://a.example.com/", "https://cdn.example.net/x.js") is None


def test_a_public_page_does_not_reach_what_is_opened_for_the_user() -> None:
    for inside in ("http://10.0.0.7/", "http://wiki.corp/", "http://inside.example.com/"):
        refusal = after_beginning_at("https://a.example.com/", inside)

        assert isinstance(refusal, UrlDenied)
        assert refusal.setting is None


def test_a_page_of_the_intranet_reaches_the_rest_of_it() -> None:
    assert after_beginning_at("http://wiki.corp/", "http://10.0.0.7/api") is None
    assert after_beginning_at("http://inside.example.com/", "http://wiki.corp/api") is None
    assert after_beginning_at("http://wiki.corp/", "https://cdn.example.net/x.js") is None


def test_metadata_stays_closed_to_every_page() -> None:
    refusal = after_beginning_at("http://wiki.corp/", "http://169.254.169.254/")

    assert isinstance(refusal, UrlDenied)
    assert refusal.rule == "metadata"


def test_a_name_keeps_its_first_addresses() -> None:
    async def ask() -> tuple[list[object], list[str]]:
        names = ScriptedNames([["93.184.215.14"], ["10.0.0.1"]])
        reach = make_reach(Policy(), names)
        found = [await reach.judge_page("https://a.example.com/")]
        found += [
            await reach.judge_request(f"https://a.example.com/{number}") for number in range(3)
        ]
        return [place.unwrap().addresses for place in found], names.asked

    addresses, outcome = run(ask())

    assert addresses == [("93.184.215.14",)] * 4
    assert outcome == ["a.example.com"]


def test_whatever_is_refused_is_told() -> None:
    async def ask() -> list[str]:
        events: list[UrlDenied] = []
        reach = make_reach(Policy(), known_names, on_refused=events.append)
        for url in ("http://10.0.0.1/", "http://a.example.com/", "http://inside.example.com/"):
            await reach.judge_request(url)
        return [f"{denied.rule} {denied.stage}" for denied in events]

    assert run(ask()) == ["private address", "private dns"]


def test_a_place_is_opened_at_the_address_that_was_checked() -> None:
    async def ask() -> tuple[str, str, int]:
        site = Site(page(b"x"))
        async with serving(site, PUBLIC) as port:
            reach = make_reach(opening(f"{PUBLIC}/32:{port}"))
            opened = await open_at(reach, f"http://{PUBLIC}:{port}/", dialled=PUBLIC)
            elsewhere = await open_at(reach, f"http://{PUBLIC}:{port}/", dialled="127.0.0.3")
        return opened, elsewhere, site.connections

    assert run(ask()) == ("open", "connect_failed", 1)


async def open_at(reach: RenderGuard, url: str, dialled: str) -> str:
    place = (await reach.judge_request(url)).unwrap()
    opened = await reach.connect(ReachableTarget(place.target, [dialled]))
    if isinstance(opened, Failure):
        return str(opened.failure().kind)
    opened.unwrap().close()
    return "open"

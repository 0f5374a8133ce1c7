"""Nobody tries out keys in bulk, and nobody is shut out by a neighbour who does."""

import asyncio
from pathlib import Path

from tests.doors.mcp.http_desk import HttpDesk, request as message
from webseam.composition.features.gateway.key_guessing import GuessLimiter
from webseam.composition.wiring.root import open_settings_key_store
from webseam.ports.keys import KeyRecord
from webseam.testing import FakeClock

from .asgi import Answer, Site, request

TOKEN = "a-token-of-twenty-letters"
HOUR = 3_600.0


def search(site: Site, key: str, *, peer: str = "192.0.2.1", **headers: str) -> Answer:
    return asyncio.run(
        request(
            site.gateway,
            "POST",
            "/api/search",
            {"query": "tides"},
            peer=peer,
            authorization=f"Bearer {key}",
            **headers,
        )
    )


def test_after_some_wrong_keys_an_address_has_to_wait_and_the_token_is_not_compared(
    tmp_path: Path,
) -> None:
    site = Site(tmp_path, token=TOKEN)

    wrong = [search(site, f"guess-{number}").status for number in range(25)]
    right = search(site, TOKEN)

    assert wrong == [401] * 20 + [429] * 5
    assert right.status == 429
    assert int(right.headers["retry-after"]) >= 1
    assert "keys of `webseam keys` go on working" in right.json["error"]


def test_a_key_goes_on_working_beside_somebody_who_guesses(tmp_path: Path) -> None:
    site = Site(tmp_path, token=TOKEN)
    record = KeyRecord(id="", name="friend", cache="", made="")
    key = open_settings_key_store(site.environment).unwrap().add(record).unwrap()
    assert key is not None
    for number in range(25):
        search(site, f"guess-{number}")

    assert search(site, key.text).status == 200
    assert search(site, TOKEN, peer="192.0.2.2").status == 200


def test_behind_a_named_proxy_it_is_the_callers_address_that_counts(tmp_path: Path) -> None:
    site = Site(tmp_path, token=TOKEN, proxies=["192.0.2.9"])
    for number in range(25):
        search(site, f"guess-{number}", peer="192.0.2.9", x_forwarded_for="9.9.9.9, 203.0.113.1")

    same = search(site, TOKEN, peer="192.0.2.9", x_forwarded_for="9.9.9.9, 203.0.113.1")
    other = search(site, TOKEN, peer="192.0.2.9", x_forwarded_for="203.0.113.1, 203.0.113.2")

    assert (same.status, other.status) == (429, 200)


def test_each_dialect_says_it_in_its_own_words(tmp_path: Path) -> None:
    site = Site(tmp_path, token=TOKEN)
    for number in range(25):
        search(site, f"guess-{number}", peer="127.0.0.1")

    tavily = site.post("/tavily/search", {"query": "tides"}, authorization="Bearer guess")
    exa = site.post("/exa/search", {"query": "tides"}, x_api_key="guess")
    figures = site.get("/metrics", authorization="Bearer guess")
    mcp = site.post("/mcp", {}, authorization="Bearer guess")

    assert [answer.status for answer in (tavily, exa, figures, mcp)] == [429] * 4
    assert "wrong keys" in tavily.json["detail"]["error"]


def test_a_call_without_a_key_is_no_guess(tmp_path: Path) -> None:
    site = Site(tmp_path, token=TOKEN)

    assert {site.post("/api/search", {"query": "q"}).status for _ in range(30)} == {401}
    assert site.post("/api/search", {"query": "q"}, authorization=f"Bearer {TOKEN}").status == 200


def test_time_gives_guesses_back() -> None:
    clock = FakeClock()
    guesses = GuessLimiter(clock)
    guesses.count_guess("192.0.2.1", 30)

    waiting = guesses.guess_delay("192.0.2.1")
    clock.advance(HOUR)

    assert waiting == 6.0
    assert guesses.guess_delay("192.0.2.1") is None


def test_a_network_of_ipv6_is_one_address_and_memory_is_bounded() -> None:
    guesses = GuessLimiter(FakeClock())
    guesses.count_guess("2001:db8::1", 30)

    assert guesses.guess_delay("2001:db8::ffff") is not None
    assert guesses.guess_delay("2001:db8:0:1::1") is None
    for number in range(5_000):
        guesses.count_guess(f"10.0.{number // 256}.{number % 256}", 30)
    assert guesses.guess_delay("2001:db8::1") is None
    assert guesses.guess_delay("not an address") is None


def test_mcp_alone_throttles_as_well(tmp_path: Path) -> None:
    async def life() -> list[int]:
        desk = HttpDesk(tmp_path, config=f"mcp: {{token: {TOKEN}}}")
        wrong = [
            (await desk.post(message("ping"), authorization=f"Bearer g{number}").ended()).status
            for number in range(25)
        ]
        right = await desk.post(message("ping"), authorization=f"Bearer {TOKEN}").ended()
        await desk.aclose()
        assert int(right.headers["retry-after"]) >= 1
        return [*wrong, right.status]

    assert asyncio.run(life()) == [401] * 20 + [429] * 6

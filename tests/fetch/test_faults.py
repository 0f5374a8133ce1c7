"""Every fault of the catalogue, under the reference limits: the right kind, and nothing left."""

import asyncio

import pytest
from returns.result import Result, Success

from webseam.composition.features.testing.faulty_server import FAULTS, Fault, FaultyServer
from webseam.composition.features.testing.loopback import loopback_only
from webseam.ports import RateLimited, UpstreamUnavailable, UrlDenied, WebError
from webseam.ports.pages import Fetched

from .support import fetcher_for, run, trusting

# A script-only shell is a fine answer to a fetch; the reader says that there is no text in it.
FOR_THE_READER = {"js_shell": ("ok",), "zip": ("ok",)}
# These succeed on the third try, and a fetch is one try.
TRIES = {"flaky_reset": 3, "flaky_503": 3}


class Sweep:
    """What came of fetching every fault, and what the server saw."""

    def __init__(self) -> None:
        self.results: dict[str, Result[Fetched, WebError]] = {}
        self.tried: list[tuple[str, int]] = []
        self.canary_hits = -1
        self.idle = False
        self.sni: list[str | None] = []
        self.unauthorized_hits = 0


async def fetch_all(sweep: Sweep) -> None:
    async with FaultyServer() as server:
        plain = fetcher_for(server)
        trusted = fetcher_for(server, context=trusting(server))

        turns = asyncio.Semaphore(32)

        async def fetch(fault: Fault) -> None:
            fetcher = plain if fault.name == "tls_untrusted" else trusted
            url = server.url(fault.name, fault.host or None)
            async with turns:
                for _ in range(TRIES.get(fault.name, 1)):
                    sweep.results[fault.name] = await fetcher.fetch(url)

        await asyncio.gather(*map(fetch, FAULTS.values()))
        sweep.idle = await server.idle()
        sweep.canary_hits = server.canary_hits
        sweep.sni = list(server.sni)
        sweep.unauthorized_hits = server.hits["status_401"] + server.hits["status_407"]


@pytest.fixture(scope="session")
def sweep() -> Sweep:
    swept = Sweep()
    with loopback_only() as tried:
        run(fetch_all(swept))
        swept.tried = list(tried)
        tried.clear()
    return swept


def body_of(sweep: Sweep, name: str) -> bytes:
    return sweep.results[name].unwrap().body


def kind_of(result: Result[Fetched, WebError]) -> str:
    return "ok" if isinstance(result, Success) else result.failure().kind


def test_a_fault_has_the_right_answer(sweep: Sweep) -> None:
    for name, fault in FAULTS.items():
        assert kind_of(sweep.results[name]) in FOR_THE_READER.get(name, fault.expect), name


def test_nothing_reached_the_canary_or_left_the_machine(sweep: Sweep) -> None:
    assert sweep.canary_hits == 0
    assert sweep.tried == []


def test_no_connection_is_left_open(sweep: Sweep) -> None:
    assert sweep.idle


def test_a_message_never_shows_what_python_or_the_server_called_it(sweep: Sweep) -> None:
    failures = [found.failure() for found in sweep.results.values() if kind_of(found) != "ok"]

    assert all(error.message.endswith(".") for error in failures)
    assert not any("Error(" in error.message or "Errno" in error.message for error in failures)


@pytest.mark.parametrize(
    "name",
    [
        "ok",
        "slow_start_ok",
        "close_delimited",
        "sliced",
        "early_hints",
        "redirect_3_ok",
        "gzip_two_members",
        "deflate_raw",
        "plain_text",
        "json_page",
        "no_type",
        "keepalive_lie",
    ],
)
def test_a_good_page_arrives_whole(name: str, sweep: Sweep) -> None:
    assert b"MARKER-OK" in body_of(sweep, name)


def test_redirects_are_counted_and_the_last_url_is_told(sweep: Sweep) -> None:
    fetched = sweep.results["redirect_3_ok"].unwrap()

    assert fetched.hops == 3
    assert fetched.url.endswith("/redirect_3_ok")
    assert fetched.final_url != fetched.url


def test_a_cookie_that_was_set_does_not_come_back(sweep: Sweep) -> None:
    echoed = body_of(sweep, "redirect_cookie").lower()

    assert b"marker-ok" in echoed
    assert b"cookie" not in echoed


def test_a_challenge_for_credentials_is_not_answered(sweep: Sweep) -> None:
    assert sweep.unauthorized_hits == 2


def test_tls_is_spoken_on_the_name_though_an_address_is_dialled(sweep: Sweep) -> None:
    assert set(sweep.sni) == {"pinned.example.com", "other.example.com"}


@pytest.mark.parametrize(
    "name", [name for name, fault in FAULTS.items() if fault.expect == ("url_denied",)]
)
def test_a_denied_redirect_says_on_which_hop(name: str, sweep: Sweep) -> None:
    refusal = sweep.results[name].failure()

    assert isinstance(refusal, UrlDenied)
    assert refusal.hop == 1
    assert refusal.message.startswith("The page redirects to a URL that is not fetched")


def test_a_server_that_asks_to_wait_is_quoted(sweep: Sweep) -> None:
    def wait(name: str) -> float | None:
        error = sweep.results[name].failure()
        assert isinstance(error, RateLimited | UpstreamUnavailable)
        return error.retry_after

    assert wait("status_429") == 1.0
    assert wait("status_429_date") == 0.0
    assert wait("status_429_garbage") is None
    assert wait("status_503") == 2.0

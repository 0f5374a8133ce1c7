"""Every fault of the catalogue, through the transport, the runner and the kernel."""

import asyncio
import tracemalloc
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

import pytest
from returns.result import Result

from tests.http.driving import KEY, fetch, kind_of, run, search, transport_to, url_of
from tests.http.expected import FETCHED, SEARCHED, by_fault
from tests.http.servers import RACES, SLOW
from webseam.kernel import search_envelope
from webseam.ports import RateLimited, SearchOutcome, UpstreamUnavailable, WebError
from webseam.testing import FAULTS, FaultyServer

BELOW_THE_PAGE = ("timing", "connection", "framing", "coding", "socket", "tls")


class Outcomes(NamedTuple):
    searched: dict[str, Result[SearchOutcome, WebError]]
    quarantined: Result[SearchOutcome, WebError]
    fetched: dict[str, Result[bytes, WebError]]
    canary_hits: int
    all_closed: bool
    names_asked: list[str | None]


async def drive() -> Outcomes:
    async with (
        FaultyServer() as server,
        transport_to(server) as trusting,
        transport_to(server, trusting=False) as wary,
    ):

        async def searched(name: str) -> Result[SearchOutcome, WebError]:
            return await search(server, name, wary if name == "tls_untrusted" else trusting)

        async def fetched(name: str) -> Result[bytes, WebError]:
            return await fetch(url_of(server, name), wary if name == "tls_untrusted" else trusting)

        searches, fetches, quarantined = await asyncio.gather(
            each(searched, FAULTS),
            each(fetched, FAULTS),
            search(server, "api_bad_rows", trusting, rows="quarantine"),
        )
        return Outcomes(
            searches,
            quarantined,
            fetches,
            server.canary_hits,
            await server.idle(),
            list(server.sni),
        )


async def each(do: Callable[[str], Awaitable[Any]], names: Iterable[str]) -> dict[str, Any]:
    """Do the slow ones side by side, and the quick ones one after another beside them."""
    quick = [name for name in names if name not in SLOW]

    async def one_by_one() -> list[Any]:
        return [await do(name) for name in quick]

    async def slow(name: str) -> Any:  # noqa: ANN401
        return await do(name)

    waited, *rest = await asyncio.gather(one_by_one(), *map(slow, SLOW))
    return dict(zip([*quick, *SLOW], [*waited, *rest], strict=True))


@pytest.fixture(scope="session")
def outcomes() -> Outcomes:
    return run(drive())


def test_the_tables_say_something_of_every_fault() -> None:
    assert set(by_fault(SEARCHED)) == set(by_fault(FETCHED)) == set(FAULTS)


def wrong_kinds(ends: dict[str, Any], expected: dict[str, str]) -> dict[str, str]:
    kinds = {name: kind_of(ends[name]) for name in FAULTS}
    return {
        name: kind
        for name, kind in kinds.items()
        if kind != expected[name] and not (name in RACES and kind in FAULTS[name].expect)
    }


def test_a_search_at_a_fault_ends_in_the_right_kind(outcomes: Outcomes) -> None:
    assert wrong_kinds(outcomes.searched, by_fault(SEARCHED)) == {}


def test_a_fetch_at_a_fault_ends_in_the_right_kind(outcomes: Outcomes) -> None:
    assert wrong_kinds(outcomes.fetched, by_fault(FETCHED)) == {}


def test_the_table_agrees_with_what_the_catalogue_expects_of_an_api_client() -> None:
    for name in (name for name in FAULTS if FAULTS[name].expect_api):
        # One bad row fails a strict search; see the next test for the other policy.
        assert name == "api_bad_rows" or by_fault(SEARCHED)[name] in FAULTS[name].expect_api, name


def test_quarantine_keeps_the_good_rows_of_a_bad_answer(outcomes: Outcomes) -> None:
    outcome = outcomes.quarantined.unwrap()

    assert [row.url for row in outcome.rows] == ["http://169.254.169.254/", "https://example.com/"]
    assert [row.index for row in outcome.rejected] == [0]


def test_the_table_agrees_with_what_the_catalogue_expects_below_the_page() -> None:
    for name in (name for name in FAULTS if FAULTS[name].group in BELOW_THE_PAGE):
        kind = by_fault(FETCHED)[name]
        redirected = kind == "bad_redirect" and name in ("slow_redirects", "tls_downgrade")
        without_retries = name == "flaky_reset" and kind == "connection_lost"

        assert kind in FAULTS[name].expect or redirected or without_retries, name


def test_readable_answers_among_the_faults_arrive_whole(outcomes: Outcomes) -> None:
    for name in (name for name, fault in FAULTS.items() if "MARKER-OK" in fault.check):
        body = outcomes.fetched[name].unwrap()

        assert b"MARKER-OK" in body.replace(b"\0", b""), name
        assert body.rstrip(b"\0").endswith(b">"), name


def test_no_failure_shows_the_key(outcomes: Outcomes) -> None:
    shown = [
        f"{result!r} {result} {search_envelope(result)}" for result in outcomes.searched.values()
    ]

    assert [text for text in shown if KEY in text] == []


def test_a_failure_says_which_backend_and_why(outcomes: Outcomes) -> None:
    for name, result in outcomes.searched.items():
        if kind_of(result) != "ok":
            assert result.failure().backend == "json", name
            assert result.failure().message.endswith("."), name


def test_nobody_touched_the_canary(outcomes: Outcomes) -> None:
    assert outcomes.canary_hits == 0


def test_no_connection_is_left_open(outcomes: Outcomes) -> None:
    assert outcomes.all_closed


def test_a_tls_server_is_asked_for_by_name(outcomes: Outcomes) -> None:
    assert "pinned.example.com" in outcomes.names_asked


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("status_429", 1.0),
        ("status_429_date", 0.0),
        ("status_429_garbage", None),
        ("status_429_year", 31_536_000.0),
        ("status_503", 2.0),
        ("api_429", 1.0),
    ],
)
def test_retry_after_is_in_the_error_and_not_waited(
    name: str, seconds: float | None, outcomes: Outcomes
) -> None:
    error = outcomes.searched[name].failure()

    assert isinstance(error, RateLimited | UpstreamUnavailable)
    assert error.retry_after == seconds


def test_a_surplus_never_shows_up_in_a_later_answer() -> None:
    async def main() -> list[bytes]:
        async with FaultyServer() as server, transport_to(server) as transport:
            names = ["cl_too_small", "ok"] * 3
            return [(await fetch(server.url(name), transport)).unwrap() for name in names]

    bodies = run(main())

    assert set(bodies[::2]) == {b"MARKER-OK "}
    assert not any(b"SSS" in body for body in bodies)


def test_a_pooled_client_survives_a_server_that_lies_about_keeping_alive() -> None:
    async def main() -> list[bytes]:
        async with FaultyServer() as server, transport_to(server) as transport:
            url = server.url("keepalive_lie")
            return [(await fetch(url, transport)).unwrap() for _ in range(5)]

    assert all(b"MARKER-OK" in body for body in run(main()))


@pytest.mark.parametrize(
    "name",
    [
        *("chunk_ext_endless", "trailers_endless", "headers_endless", "header_1mib"),
        *("endless_body", "gzip_bomb", "gzip_bomb_nested", "deflate_bomb", "br_bomb", "zstd_bomb"),
    ],
)
def test_endless_answer_takes_little_memory(name: str) -> None:
    async def main() -> int:
        async with FaultyServer() as server, transport_to(server) as transport:
            await fetch(server.url(name), transport)
            tracemalloc.start()
            try:
                await fetch(server.url(name), transport)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    assert run(main()) < 8 << 20

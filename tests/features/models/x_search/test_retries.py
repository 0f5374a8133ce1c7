"""When a search of X is tried again, when it is not, and how long it is waited for."""

import httpx
import pytest

from tests.features.models.x_search.serving import exchange, reply, scripted
from webseam import (
    AuthFailed,
    ConnectFailed,
    DnsUnavailable,
    HttpStatus,
    ModelFailed,
    ModelOverloaded,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)
from webseam.kernel.planner.retry import retry_delay, x_retry_rules

AT_ONCE = {"retry-after": "0"}


def delay(error: WebError, attempt: int = 1, *, retries: int = 2) -> float | None:
    return retry_delay(error, attempt, 0.5, x_retry_rules(retries, max_seconds=180.0))


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_status_that_may_pass_is_tried_again(status: int) -> None:
    outcome, server = exchange(
        {"status": status, "body": {"error": "later"}, "headers": AT_ONCE}, {"body": reply()}
    )

    assert outcome.unwrap().answer == "High tide."
    assert len(server.requests) == 2
    assert server.requests[0].body == server.requests[1].body


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, HttpStatus),
        (401, AuthFailed),
        (402, QuotaExhausted),
        (403, AuthFailed),
        (404, HttpStatus),
        (409, UpstreamUnavailable),
        (410, HttpStatus),
        (422, HttpStatus),
        (501, UpstreamUnavailable),
    ],
)
def test_any_other_status_is_not_tried_again(status: int, kind: type[WebError]) -> None:
    outcome, server = exchange({"status": status, "body": {"error": "no"}, "headers": AT_ONCE})

    assert isinstance(outcome.failure(), kind)
    assert outcome.failure().backend == "xai"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "raised",
    [httpx.ReadTimeout(""), httpx.ConnectTimeout(""), httpx.ConnectError(""), httpx.ReadError("")],
    ids=lambda raised: type(raised).__name__,
)
def test_a_read_timeout_or_a_broken_connection_is_tried_again(raised: Exception) -> None:
    outcome, requests = scripted([raised, raised, httpx.Response(200, json=reply())])

    assert outcome.unwrap().answer == "High tide."
    assert len(requests) == 3


@pytest.mark.parametrize(("retries", "attempts"), [("0", 1), ("2", 3), ("4", 5)])
def test_the_settings_say_how_often(retries: str, attempts: int) -> None:
    outcome, requests = scripted(
        lambda _request: httpx.Response(503, headers=AT_ONCE), WEBSEAM_X_SEARCH_RETRIES=retries
    )

    assert isinstance(outcome.failure(), UpstreamUnavailable)
    assert len(requests) == attempts


def test_missing_model_is_not_reported_as_a_missing_chain() -> None:
    outcome, _ = exchange({"status": 404, "body": {"error": "no such model"}})

    assert "stored" not in outcome.failure().message


def test_an_error_inside_a_success_is_a_failure() -> None:
    for error in ({"code": "server_error", "message": "broke off"}, "broke off"):
        outcome, server = exchange({"body": {**reply(), "error": error}})

        assert isinstance(outcome.failure(), ModelFailed)
        assert "broke off" in outcome.failure().message
        assert len(server.requests) == 1


def test_an_answer_that_says_it_failed_is_a_failure() -> None:
    outcome, server = exchange(
        {"body": {"id": "r", "status": "failed", "error": None, "output": []}}
    )

    error = outcome.failure()
    assert error == ModelFailed(code="failed", backend="xai", attempts=error.attempts)
    assert [attempt.outcome for attempt in error.attempts] == ["model_failed"]
    assert len(server.requests) == 1


def test_a_wait_beyond_the_time_there_is_is_not_begun() -> None:
    outcome, requests = scripted([httpx.Response(429, headers={"retry-after": "3600"})])

    error = outcome.failure()
    assert error == RateLimited(retry_after=3600.0, backend="xai", attempts=error.attempts)
    assert len(requests) == 1


def test_the_wait_that_a_server_names_is_kept_if_it_is_not_too_long() -> None:
    assert delay(RateLimited(retry_after=0.0)) == 0.0
    assert delay(RateLimited(retry_after=180.0)) == 180.0
    assert delay(RateLimited(retry_after=181.0)) is None
    assert delay(UpstreamUnavailable(status=503, retry_after=7.0)) == 7.0


def test_without_one_the_wait_doubles_up_to_a_bound_and_is_drawn() -> None:
    lost = ConnectFailed()

    assert [delay(lost, attempt, retries=6) for attempt in range(1, 8)] == [
        0.375,
        0.75,
        1.5,
        3.0,
        6.0,
        6.0,
        None,
    ]
    assert retry_delay(lost, 1, 0.0, x_retry_rules(1, max_seconds=30.0)) == 0.25


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (Timeout(phase="body"), True),
        (DnsUnavailable(host="api.x.ai"), True),
        (ModelOverloaded(status=503), True),
        (ModelOverloaded(status=529), False),
        (ModelOverloaded(), False),
        (UpstreamUnavailable(status=505), False),
        (ModelFailed(code="server_error"), False),
        (HttpStatus(status=410), False),
    ],
)
def test_only_what_is_known_to_pass_is_tried_again(error: WebError, *, again: bool) -> None:
    assert (delay(error) is not None) is again

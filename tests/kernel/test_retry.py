"""When it is worth trying again."""

import pytest

from webseam.kernel.planner.retry import MODEL_RETRIES, retry_delay
from webseam.ports import (
    ConnectFailed,
    ConnectionLost,
    DnsUnavailable,
    HttpStatus,
    ModelFailed,
    ModelOverloaded,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    UrlDenied,
    WebError,
)


@pytest.mark.parametrize(
    "error",
    [
        ConnectFailed(),
        ConnectionLost(),
        DnsUnavailable(host="h"),
        RateLimited(),
        UpstreamUnavailable(status=503),
    ],
    ids=lambda error: error.kind,
)
def test_passing_errors_are_retried_twice_after_a_random_wait(error: WebError) -> None:
    for chance, first, second in ((0.0, 0.2, 1.0), (0.5, 0.3, 1.5), (1.0, 0.4, 2.0)):
        delays = [retry_delay(error, attempt, chance) for attempt in (1, 2, 3)]
        assert delays == [pytest.approx(first), pytest.approx(second), None]


@pytest.mark.parametrize(
    "error",
    [HttpStatus(status=404), Timeout(phase="body"), UrlDenied(rule="port", stage="parse")],
    ids=lambda error: error.kind,
)
def test_lasting_and_slow_errors_are_not_retried(error: WebError) -> None:
    assert retry_delay(error, 1, 0.5) is None


@pytest.mark.parametrize(
    ("asked", "wait"), [(0.0, 0.0), (2.0, 2.0), (2.1, None), (31_536_000.0, None)]
)
def test_a_server_that_names_a_time_is_waited_for_if_it_is_short(
    asked: float, wait: float | None
) -> None:
    assert retry_delay(RateLimited(retry_after=asked), 1, 0.5) == wait
    assert retry_delay(UpstreamUnavailable(status=503, retry_after=asked), 1, 0.5) == wait


@pytest.mark.parametrize(
    "error",
    [ModelFailed(code="server_error"), ModelOverloaded(), Timeout(phase="headers"), RateLimited()],
    ids=lambda error: error.kind,
)
def test_a_model_is_asked_twice_more_after_longer_waits(error: WebError) -> None:
    assert [retry_delay(error, attempt, 0.5, MODEL_RETRIES) for attempt in (1, 2, 3)] == [
        0.375,
        1.5,
        None,
    ]


@pytest.mark.parametrize(("asked", "wait"), [(0.0, 0.0), (60.0, 60.0), (61.0, None)])
def test_a_provider_that_names_a_time_is_waited_for_up_to_a_minute(
    asked: float, wait: float | None
) -> None:
    assert retry_delay(RateLimited(retry_after=asked), 1, 0.5, MODEL_RETRIES) == wait


def test_refused_model_request_is_not_retried() -> None:
    assert retry_delay(HttpStatus(status=400), 1, 0.5, MODEL_RETRIES) is None

import pytest

from webseam.kernel.middleware.rewritten_requests import PlannedSending, plan_rewritten_sending

BUILT = {"model": "m", "messages": []}


def test_a_request_that_nobody_changed_is_sent_as_it_was_built() -> None:
    built = {**BUILT, "stream": True, "stream_options": {"include_usage": True}}

    assert plan_rewritten_sending(built, built) == PlannedSending(body=built)


def test_an_extra_body_goes_into_the_body() -> None:
    sent = plan_rewritten_sending(
        {**BUILT, "seed": 1, "extra_body": {"seed": 2, "top_k": 3}}, BUILT
    )

    assert sent == PlannedSending(body={**BUILT, "seed": 2, "top_k": 3})


def test_an_extra_body_that_the_provider_has_a_field_for_stays() -> None:
    built = {**BUILT, "extra_body": {"google": {}}}

    assert plan_rewritten_sending(built, built).body == built


@pytest.mark.parametrize("built", [BUILT, {**BUILT, "stream": False}])
def test_whether_the_answer_is_a_stream_is_not_for_plugins_to_say(built: dict[str, object]) -> None:
    assert plan_rewritten_sending({**built, "stream": True}, built).body == built


@pytest.mark.parametrize(
    "header",
    ["Authorization", "HOST", "content-length", "Transfer-Encoding", "x-ours", "a b", "", "x:y", 5],
)
def test_a_header_that_is_not_a_plugins_to_set_is_dropped_by_name(header: object) -> None:
    sent = plan_rewritten_sending(
        {**BUILT, "extra_headers": {header: "v", "x-tag": "t"}}, BUILT, {"x-ours"}
    )

    assert sent.headers == (("x-tag", "t"),)
    assert sent.dropped == (f"extra_headers.{header}",)


@pytest.mark.parametrize("value", ["a\r\nb", "ü", 5, None])
def test_a_header_whose_value_cannot_be_sent_is_dropped(value: object) -> None:
    assert plan_rewritten_sending({"extra_headers": {"x-tag": value}}, {}).dropped == (
        "extra_headers.x-tag",
    )


def test_headers_that_are_no_object_are_dropped() -> None:
    assert plan_rewritten_sending({"extra_headers": ["x"]}, {}).dropped == ("extra_headers",)


@pytest.mark.parametrize(("given", "seconds"), [(3, 3.0), (0.5, 0.5), (3600, 3600.0)])
def test_a_timeout_in_seconds_is_taken(given: object, seconds: float) -> None:
    assert plan_rewritten_sending({"timeout": given}, {}) == PlannedSending(
        body={}, seconds=seconds
    )


@pytest.mark.parametrize("given", [0, -1, True, "3", float("nan"), float("inf"), 10**400, 3601])
def test_a_timeout_that_is_none_is_dropped(given: object) -> None:
    assert plan_rewritten_sending({"timeout": given}, {}) == PlannedSending(
        body={}, dropped=("timeout",)
    )


def test_options_of_client_libraries_are_dropped() -> None:
    sent = plan_rewritten_sending(
        {"extra_query": {"a": "b"}, "http_client": object(), "extra_body": 5}, {}
    )

    assert sent == PlannedSending(body={}, dropped=("extra_query", "http_client", "extra_body"))


def test_none_values_count_as_not_set() -> None:
    empty = {"extra_query": None, "extra_headers": None, "timeout": None, "extra_body": None}

    assert plan_rewritten_sending(empty, {}) == PlannedSending(body={})

"""Refusals: whatever a provider answers instead of an answer is one typed error, in few words."""

from typing import get_args

import httpx
import pytest
from hypothesis import example, given, strategies as st

from webseam.adapters.features.models.declaration.wire import RefusedAnswer, Wire
from webseam.adapters.features.models.refusal_errors import embedded_refusal
from webseam.adapters.features.models.refusal_hints import stated_refusal_wait
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.composition.features.testing.strategies.answers import json_values
from webseam.ports import WebError

WIRES = [load_wire(mode) for mode in ("chat_completions", "bedrock_converse")]
NAMES = st.sampled_from(["error", "message", "detail", "code", "type", "status", "param", "details", "metadata", "raw", "msg", "loc", "__type", "retryDelay"])  # fmt: skip
WORDS = st.sampled_from(["extra_forbidden", "unsupported_parameter", "429", "5s", "x" * 2000, "Please try again in 3s.", "temperature: Extra inputs are not permitted"])  # fmt: skip
payloads = st.recursive(
    json_values() | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
headers = st.dictionaries(
    st.sampled_from(["retry-after", "retry-after-ms", "x-amzn-errortype"]),
    st.sampled_from(["1", "soon", "1e999", "ThrottlingException:x", "ValidationException", ""]),
)


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.api_mode)
@given(status=st.integers(300, 599), payload=payloads, given_headers=headers)
@example(status=400, payload={"error": {"metadata": {"raw": '{"error": []}'}}}, given_headers={})
@example(status=422, payload={"detail": [{"type": "extra_forbidden"}]}, given_headers={})
@example(
    status=422,
    payload={"detail": [{"type": "extra_forbidden", "loc": ["body", "x" * 2000]}]},
    given_headers={},
)
def test_any_refusal_is_a_typed_error_in_few_words(
    wire: Wire, status: int, payload: object, given_headers: dict[str, str]
) -> None:
    error = wire.refusal(
        RefusedAnswer(
            status=status,
            headers=httpx.Headers(given_headers),
            payload=payload,
            model="m",
            now=1000.0,
        )
    )

    assert isinstance(error, get_args(WebError))
    assert len(error.message) < 1000
    wait = getattr(error, "retry_after", None)
    assert wait is None or 0 <= wait < float("inf")


@given(payloads)
@example({"error": {"code": "x" * 2000, "message": "x" * 2000}})
def test_any_error_inside_a_success_is_a_typed_error(payload: object) -> None:
    error = embedded_refusal(payload)

    assert isinstance(error, get_args(WebError))
    assert len(error.message) < 1000


@given(
    st.integers(0, 9), st.integers(0, 59), st.decimals(0, 59, places=2), st.sampled_from(["", "."])
)
def test_a_wait_in_words_is_the_time_that_they_say(
    hours: int, minutes: int, seconds: object, end: str
) -> None:
    words = f"Limit reached. Please try again in {hours}h{minutes}m{seconds}s{end}"

    assert stated_refusal_wait({}, words) == pytest.approx(
        hours * 3600 + minutes * 60 + float(str(seconds))
    )

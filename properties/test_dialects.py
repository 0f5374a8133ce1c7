"""Dialects are total: whatever a caller sends is an ask, a reply or a refusal, never an exception."""

import json
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from webseam.adapters.features.gateway.asks import Dialect, Endpoint, GatewayRequest
from webseam.adapters.features.gateway.replies import Call, Refusal, Reply
from webseam.composition.features.gateway.endpoints import DialectTable, key_in_gateway_path
from webseam.composition.features.gateway.gateway_setup import all_dialects
from webseam.composition.features.gateway.request_heads import (
    host_header_name,
    read_gateway_head,
    split_gateway_query,
)

DIALECTS = all_dialects()
TABLE = DialectTable(DIALECTS)
ENDPOINTS = [(dialect, endpoint) for dialect in DIALECTS for endpoint in dialect.endpoints]
WORDS = st.sampled_from(
    ["query", "q", "url", "urls", "limit", "formats", "tbs", "messages", "input", "tools", "text", "contents", "documents",
     "time_range", "start_date", "country", "sources", "scrapeOptions", "includePaths", "numResults", "freshness", "api_key"]
)  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["qdr:w", "cdr:1,cd_min:9/9/9999,cd_max:99/99/0000", "https://example.com/", "2026-13-45"]
    )
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
BODIES = st.binary(max_size=60) | st.dictionaries(WORDS, VALUES, max_size=6).map(
    lambda value: json.dumps(value).encode()
)
HEADERS = st.dictionaries(
    st.sampled_from(
        [
            "accept",
            "authorization",
            "x-api-key",
            "x-return-format",
            "x-max-tokens",
            "content-type",
            "x-site",
        ]
    ),
    st.text(max_size=20),
    max_size=3,
)


class Sent(NamedTuple):
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})
    search: str = ""
    rest: str = ""


SENT = st.builds(Sent, BODIES, HEADERS, st.text(max_size=30), st.text(max_size=30))


@settings(deadline=None)
@given(st.sampled_from(ENDPOINTS), SENT)
def test_any_call_is_read_without_an_exception(place: tuple[Dialect, Endpoint], sent: Sent) -> None:
    check(*place, sent)


@pytest.mark.parametrize(
    "sent",
    [
        Sent(body=b'{"query":' + b"[" * 100_000),
        Sent(
            body=b'{"query": "\\ud800", "q": "\\ud800"}', search="q=%ff&format=json", rest="\ud800"
        ),
        Sent(body=b'{"url": "https://[::1", "urls": ["https://[::1"]}', rest="https://["),
        Sent(body=b'{"query": "a", "tbs": "cdr:1,cd_min:9/9/9999,cd_max:99/99/0000"}'),
        Sent(body=b'{"query": 1e999, "limit": 1e400}', search="q=a&" * 1000),
        Sent(body=b"[" * 100_000 + b"]" * 100_000, headers={"x-max-tokens": "\u0665" * 9000}),
    ],
)
def test_every_endpoint_reads_known_hostile_bodies(sent: Sent) -> None:
    for dialect, endpoint in ENDPOINTS:
        check(dialect, endpoint, sent)


def check(dialect: Dialect, endpoint: Endpoint, sent: Sent) -> None:
    call = Call(
        method=endpoint.method,
        path=endpoint.path,
        query=split_gateway_query(sent.search) or (),
        search=sent.search,
        headers=sent.headers,
        body=sent.body,
        rest=sent.rest,
        today=date(2026, 11, 15),
        id="7",
    )

    reading = endpoint.read(call)
    keys = dialect.keys(call)

    assert isinstance(reading, GatewayRequest | Reply | Refusal)
    assert all(keys)
    assert endpoint.root is None or endpoint.root(call) in (True, False)


@given(st.text())
def test_any_path_leads_to_one_dialect_or_to_those_that_share_it(path: str) -> None:
    key, rest = key_in_gateway_path(f"/{path}")
    matches = TABLE.find_matches("POST", rest)

    assert isinstance(key, str)
    assert len({match.dialect.name for match in matches}) == len(matches)


@given(
    st.lists(st.tuples(st.binary(max_size=20), st.binary(max_size=20)), max_size=5),
    st.binary(max_size=30),
)
def test_any_head_is_read(headers: list[tuple[bytes, bytes]], path: bytes) -> None:
    head = read_gateway_head(
        {
            "method": "GET",
            "path": "/",
            "raw_path": path,
            "query_string": path,
            "headers": headers,
            "client": None,
        }
    )

    assert isinstance(head.path, str)
    assert host_header_name(head.headers.get("host", "")) is None or head.headers["host"]

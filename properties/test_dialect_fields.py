"""Every field of every dialect is honoured, refused by name and value, or named in the reply."""

import asyncio
import json
from datetime import date
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
import pytest

from tests.serve.asgi import ROWS, Site
from tests.serve.samples import SAMPLES, TEXT, Sample
from webseam.adapters.gateway.gateway_requests import (
    AnswerRequest,
    Endpoint,
    GatewayRequest,
    Page,
    PagesRequest,
    SearchRequest,
    SearchSuccess,
    WrittenAnswer,
)
from webseam.adapters.gateway.refusal import Call, Refusal, Reply
from webseam.adapters.gateway.request_parsing import name_refused_value, unread_fields
from webseam.composition.gateway.endpoints import DialectTable
from webseam.composition.gateway.gateway_setup import all_dialects
from webseam.composition.testing.fakes import FakeBackend
from webseam.kernel import WebDeps, web_extract, web_search

TABLE = DialectTable(all_dialects())
PAGE_URL = "https://example.com/other"
UNKNOWN = "field-that-nobody-has"
PLAYED = [(name, sample) for name, samples in SAMPLES.items() for sample in samples]
# Some of these fit the type of any field, and at least one is not its default.
PROBES: tuple[object, ...] = (
    0, 1, 2, 7, True, False, "", "de", "GB", "off", "news", "day", "qdr:d", "pd", "2025-01-02", "text", "json", "only",
    ["a.example"], [], ["x"], [PAGE_URL], [{"type": "x"}], [{"role": "user", "content": "x"}], [{"role": "user", "content": "y"}],
    {"type": "json_object"}, {"maxCharacters": 5}, {"x": "y"}, {"text": True},
    {"formats": ["links"]}, {"user_location": {"country": "DE"}},
)  # fmt: skip


def find_endpoint(name: str, sample: Sample) -> Endpoint:
    (match,) = TABLE.find_endpoint(sample.method, f"/{name}{urlsplit(sample.path).path}")
    return match.endpoint


def sample_fields(sample: Sample) -> dict[str, object]:
    if isinstance(sample.body, bytes):
        return dict(parse_qsl(sample.body.decode()))
    return dict(sample.body or parse_qsl(urlsplit(sample.path).query))


def make_call(sample: Sample, fields: dict[str, object]) -> Call:
    is_query = sample.body is None
    body = (
        urlencode(fields).encode()
        if isinstance(sample.body, bytes)
        else json.dumps(fields).encode()
    )
    pairs = tuple(
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in fields.items()
    )
    return Call(
        method=sample.method, path=urlsplit(sample.path).path, rest=urlsplit(sample.path).path.rpartition("/")[2],
        query=pairs if is_query else (), body=b"" if is_query else body, today=date(2026, 11, 15), id="7",
    )  # fmt: skip


def reading_digest(reading: GatewayRequest | Reply) -> object:
    """Return what a reading asks for, and what it would answer."""
    if isinstance(reading, Reply):
        return reading
    asked = {
        name: value for name, value in msgspec.structs.asdict(reading).items() if name != "write"
    }
    return type(reading), asked, written_reply(reading)


def written_reply(reading: GatewayRequest) -> object:
    if isinstance(reading, SearchRequest):
        return reading.write(FOUND)
    if isinstance(reading, AnswerRequest):
        return reading.write(WrittenAnswer(results=FOUND, text="High [1].", model="m"))
    return reading.write([PAGE]) if isinstance(reading, PagesRequest) else None


def find_outcomes() -> tuple[SearchSuccess, Page]:
    deps = WebDeps(backend=FakeBackend(ROWS, TEXT))
    outcome = asyncio.run(web_search("tides", deps)).unwrap()
    url = outcome.rows[0].url
    page = Page(url=url, result=asyncio.run(web_extract(url, deps)).unwrap())
    return SearchSuccess(outcome=outcome, pages=(page,)), page


FOUND, PAGE = find_outcomes()
# One sample for each endpoint that declares its fields.
SHAPED = {
    (name, endpoint.method, endpoint.path): (endpoint, sample)
    for name, sample in reversed(PLAYED)
    if (endpoint := find_endpoint(name, sample)).shape is not None
}


def is_honoured_or_refused(endpoint: Endpoint, sample: Sample, field: str) -> bool:
    """Tell whether some value of a field makes a difference, or a refusal that names the field."""
    assert endpoint.shape is not None
    whole = sample_fields(sample)
    leave_one_out = [[name for name in whole if name != left_out] for left_out in whole]
    needed = {part.encode_name for part in msgspec.structs.fields(endpoint.shape) if part.required}
    return any(
        makes_difference(
            endpoint, sample, field, {name: whole[name] for name in names if name != field}
        )
        for names in (list(whole), [name for name in whole if name in needed], *leave_one_out)
    )


def makes_difference(
    endpoint: Endpoint, sample: Sample, field: str, fields: dict[str, object]
) -> bool:
    given = [fields, *({**fields, field: value} for value in PROBES)]
    readings = [endpoint.read(make_call(sample, each)) for each in given]
    taken = [reading for reading in readings if not isinstance(reading, Refusal)]
    refused = [
        reading
        for reading in readings
        if isinstance(reading, Refusal) and is_named(field, reading) and reading.kind != "invalid"
    ]
    digests = [reading_digest(reading) for reading in taken]
    return bool(refused) or any(digest != digests[0] for digest in digests)


def is_named(field: str, refusal: Refusal) -> bool:
    return field in refusal.message or any(field in param for param in refusal.params)


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_every_declared_field_is_honoured_or_refused_by_name(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    names = [field.encode_name for field in msgspec.structs.fields(endpoint.shape)]

    silent = [name for name in names if not is_honoured_or_refused(endpoint, sample, name)]

    assert silent == [], silent


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_refusal_has_the_value_that_is_wrong(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    for field in msgspec.structs.fields(endpoint.shape):
        for value in ("zzz", 987_654):
            call = make_call(sample, {**sample_fields(sample), field.encode_name: value})
            reading = endpoint.read(call)
            if isinstance(reading, Refusal) and reading.params == (field.encode_name,):
                assert str(value) in name_refused_value(reading, call).message, reading


@pytest.mark.parametrize(("name", "sample"), PLAYED)
def test_a_field_that_is_not_declared_is_named_in_the_reply(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    endpoint = find_endpoint(name, sample)
    if endpoint.shape is None:
        assert endpoint.bare or endpoint.method != "POST"
        return
    call = make_call(sample, {**sample_fields(sample), UNKNOWN: "1"})
    assert UNKNOWN in unread_fields(call, endpoint.shape)
    body, headers = call.body or None, {}
    path = f"/{name}{call.path}" + (f"?{urlencode(call.query)}" if call.query else "")
    if isinstance(sample.body, bytes):
        headers = {"content_type": "application/x-www-form-urlencoded"}

    answer = Site(tmp_path, FakeBackend(ROWS, TEXT)).ask(sample.method, path, body, **headers)

    assert (answer.status, UNKNOWN in answer.headers["x-webseam-ignored"]) == (200, True)

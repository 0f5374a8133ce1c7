"""Calls of each endpoint of each dialect."""

import json
from datetime import date
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.features.gateway.samples import SAMPLES, Sample
from webseam.adapters.features.gateway.asks import (
    Endpoint,
)
from webseam.adapters.features.gateway.replies import Call
from webseam.composition.features.gateway.endpoints import DialectTable
from webseam.composition.features.gateway.gateway_setup import all_dialects

TABLE = DialectTable(all_dialects())


PLAYED = [(name, sample) for name, samples in SAMPLES.items() for sample in samples]


def find_endpoint(name: str, sample: Sample) -> Endpoint:
    (match,) = TABLE.find_matches(sample.method, f"/{name}{urlsplit(sample.path).path}")
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
        method=sample.method,
        path=urlsplit(sample.path).path,
        rest=urlsplit(sample.path).path.rpartition("/")[2],
        query=pairs if is_query else (),
        body=b"" if is_query else body,
        today=date(2026, 11, 15),
        id="7",
        headers={"accept": "application/json"},
    )

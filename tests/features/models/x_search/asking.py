"""A search of X on a day that stays the same."""

import asyncio
from datetime import date

from returns.result import Result

from webseam import WebError, XSearchDeps, XSearchOutcome, x_search
from webseam.adapters.values.json_schema import explain_schema_mismatch
from webseam.testing import FakeXSearch

TODAY = date(2026, 11, 15)
POST = "https://x.com/i/status/1990000000000000001"
SCHEMA = {
    "type": "object",
    "properties": {"handle": {"type": "string"}},
    "required": ["handle"],
}


def deps(backend: FakeXSearch | None = None) -> XSearchDeps:
    return XSearchDeps(
        backend=backend or FakeXSearch(), today=lambda: TODAY, check_schema=explain_schema_mismatch
    )


def ask(
    request: object, backend: FakeXSearch | None = None, *, output_type: type | None = None
) -> Result[XSearchOutcome, WebError]:
    return asyncio.run(x_search(request, deps(backend), output_type=output_type))


def found(backend: FakeXSearch | None = None, **fields: object) -> XSearchOutcome:
    return ask({"query": "tides", **fields}, backend).unwrap()


def saying(text: str, **fields: object) -> FakeXSearch:
    return FakeXSearch(answer={"answer": text, **fields})

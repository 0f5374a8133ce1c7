"""The fields of dialects that say how old a cached page may be."""

import json
from collections.abc import Callable
from datetime import date

import pytest

from webseam.adapters.gateway.dialects.exa import _read_exa_contents_call
from webseam.adapters.gateway.dialects.firecrawl.scrape_pages import read_firecrawl_scrape
from webseam.adapters.gateway.dialects.jina import _read_jina_page_body
from webseam.adapters.gateway.gateway_requests import PagesRequest, Reading
from webseam.adapters.gateway.refusal import Call

URL = "https://a.example/"


@pytest.mark.parametrize(
    ("read", "body", "headers", "seconds"),
    [
        (_read_exa_contents_call, {"urls": [URL], "maxAgeHours": 2}, {}, 7200.0),
        (_read_exa_contents_call, {"urls": [URL], "maxAgeHours": 0}, {}, 0.0),
        (_read_exa_contents_call, {"urls": [URL], "maxAgeHours": -1}, {}, None),
        (read_firecrawl_scrape, {"url": URL, "maxAge": 60_000}, {}, 60.0),
        (read_firecrawl_scrape, {"url": URL}, {}, None),
        (_read_jina_page_body, {"url": URL}, {"x-no-cache": "true"}, 0.0),
        (_read_jina_page_body, {"url": URL}, {"x-cache-tolerance": "90"}, 90.0),
        (_read_jina_page_body, {"url": URL, "noCache": True}, {}, 0.0),
    ],
)
def test_a_dialect_says_how_old_a_page_may_be(
    read: Callable[[Call], Reading],
    body: dict[str, object],
    headers: dict[str, str],
    seconds: float | None,
) -> None:
    call = Call(
        method="POST", path="/", headers=headers, body=json.dumps(body).encode(), today=date.min
    )
    asked = read(call)
    assert isinstance(asked, PagesRequest)
    assert asked.wish.max_age == seconds

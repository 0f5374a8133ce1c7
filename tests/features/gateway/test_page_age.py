"""The fields of dialects that say how old a cached page may be."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from returns.result import Success

from tests.features.gateway.samples import PLAYED, send
from webseam.adapters.features.gateway.asks import PagesRequest, Reading
from webseam.adapters.features.gateway.dialects.exa import _read_contents_call
from webseam.adapters.features.gateway.dialects.firecrawl.scrape_pages import read_scrape
from webseam.adapters.features.gateway.dialects.jina import _read_page_body
from webseam.adapters.features.gateway.replies import Call
from webseam.ports.backends import Served
from webseam.testing import FakeBackend

from .asgi import ROWS, Site
from .samples import TEXT

URL = "https://a.example/"


@pytest.mark.parametrize(
    ("read", "body", "headers", "seconds"),
    [
        (_read_contents_call, {"urls": [URL], "maxAgeHours": 2}, {}, 7200.0),
        (_read_contents_call, {"urls": [URL], "maxAgeHours": 0}, {}, 0.0),
        (_read_contents_call, {"urls": [URL], "maxAgeHours": -1}, {}, None),
        (read_scrape, {"url": URL, "maxAge": 60_000}, {}, 60.0),
        (read_scrape, {"url": URL}, {}, None),
        (_read_page_body, {"url": URL}, {"x-no-cache": "true"}, 0.0),
        (_read_page_body, {"url": URL}, {"x-cache-tolerance": "90"}, 90.0),
        (_read_page_body, {"url": URL, "noCache": True}, {}, 0.0),
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


def test_every_dialect_says_the_age_of_its_answer_and_which_use_is_refused(tmp_path: Path) -> None:
    usage = {"search": "yes", "train": "no", "input": "unsaid"}

    def page(url: str) -> Success[Served]:
        served = Served(
            answer={"url": url, "content": TEXT, "metadata": {"usage": usage}},
            cached=True,
            age=90.0,
        )
        return Success(served)

    for number, (name, sample) in enumerate(PLAYED):
        backend = FakeBackend(ROWS, extract=page)
        answer = send(Site(tmp_path / str(number), backend), f"/{name}", sample)
        is_job = "batch" in sample.path or ("crawl" in sample.path and name == "firecrawl")
        if answer.status != 200 or not (backend.searched or backend.extracted) or is_job:
            continue
        expected = ("90", "train=no") if backend.extracted else ("0", None)
        told = tuple(answer.headers.get(f"x-webseam-{field}") for field in ("age", "usage"))
        assert told == expected, (name, sample.path)


def test_exa_and_firecrawl_say_the_date_of_a_page_in_their_own_fields(tmp_path: Path) -> None:
    day = {"published_at": "2026-01-02", "author": "Ann"}
    answer = Served(answer={"url": URL, "content": TEXT, "metadata": day}, cached=True, age=90.0)
    site = Site(tmp_path, FakeBackend(extract=Success(answer)))

    exa = site.post("/exa/contents", {"urls": [URL]}).json["results"][0]
    scraped = site.post("/firecrawl/v2/scrape", {"url": URL}).json["data"]["metadata"]

    assert (exa["publishedDate"], exa["author"]) == ("2026-01-02", "Ann")
    assert (scraped["publishedTime"], scraped["cacheState"]) == ("2026-01-02", "hit")
    assert scraped["cachedAt"].endswith("Z")

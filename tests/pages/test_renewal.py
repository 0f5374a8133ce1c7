"""How old a page may be: stored pages are renewed, fetched again, or too old."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from returns.result import Result

from tests.features.bulk.farm import Answer, Site, sites
from webseam import pages_backend
from webseam.adapters.call_context import limit_cache_age
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.text_files import TextFiles
from webseam.composition.wiring.cache import StoredOnly, with_cache
from webseam.kernel import WebDeps, web_extract
from webseam.kernel.policy import PolicySettings, make_policy
from webseam.ports import TooOld, WebError, WebExtractResult

BODY = (
    b'<html><head><title>Tides</title><script type="application/ld+json">'
    b'{"@type":"Article","datePublished":"2026-01-02","dateModified":"2026-02-03"}</script></head>'
    b"<body><article><h1>Tides</h1>"
    + b"<p>The tide comes in twice a day, and the moon is the cause of it.</p>" * 9
    + b"</article></body></html>"
)
HEADERS = {"ETag": '"v1"', "Last-Modified": "Mon, 05 Jan 2026 00:00:00 GMT"}
HTML = {"Content-Type": "text/html"}
Outcome = Result[WebExtractResult, WebError]
START = 1_795_000_000.0


class House:
    """A site, and a reader with a cache and a clock of its own."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.now, self.folder = site, START, folder

    def read(self, max_age: float | None = None, *, stored_only: bool = False) -> Outcome:
        return asyncio.run(self._read(max_age, stored_only=stored_only))

    async def _read(self, max_age: float | None, *, stored_only: bool) -> Outcome:
        opened = PolicySettings(allow_private=(f"127.0.0.1/32:{self.site.port}",))
        policy = make_policy(opened).unwrap()
        reader = pages_backend(policy)
        backend = with_cache(
            StoredOnly(reader) if stored_only else reader,
            CacheStore(self.folder / "answers.sqlite", lambda: self.now),
            policy=policy,
            now=lambda: self.now,
        )
        texts = TextFiles(self.folder / "texts")
        deps = WebDeps(backend=backend, policy=policy, texts=texts, now=lambda: self.now)
        with limit_cache_age(max_age):
            page = await web_extract(f"{self.site.root}/moved", deps)
        await backend.aclose()
        return page

    @property
    def conditions(self) -> list[str | None]:
        """The If-None-Match of each request for the page itself."""
        asked = [one for one in self.site.asked if one.path == "/page"]
        return [{**one.headers}.get("If-None-Match") for one in asked]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    page = Answer(body=BODY, headers={"Content-Type": "text/html", **HEADERS})
    moved = Answer(body=b"", status=301, headers={"Location": "/page"})
    site = Site({"/moved": moved, "/page": page})
    with sites(site):
        yield House(site, tmp_path)


def test_a_page_says_when_it_was_fetched_and_how_old_it_is(house: House) -> None:
    first = house.read().unwrap().receipt
    house.now += 100
    second = house.read().unwrap().receipt
    assert (first.cached, first.age, first.fetched_at) == (False, 0.0, "2026-11-18T11:06:40Z")
    assert (second.cached, second.age, second.fetched_at) == (True, 100.0, first.fetched_at)


def test_dates_say_their_source(house: House) -> None:
    metadata = house.read().unwrap().metadata
    assert metadata["dates"] == [
        {"kind": "published", "date": "2026-01-02", "source": "linked data"},
        {"kind": "modified", "date": "2026-02-03", "source": "linked data"},
        {"kind": "modified", "date": "2026-01-05", "source": "header"},
    ]


@pytest.mark.parametrize(("seconds", "max_age"), [(100, 50.0), (100, 0.0), (80_000, None)])
def test_an_old_page_is_renewed_without_its_body(
    house: House, seconds: float, max_age: float | None
) -> None:
    first = house.read().unwrap()
    house.now += seconds
    renewed = house.read(max_age).unwrap()
    assert house.conditions == [None, '"v1"']
    assert (renewed.content, renewed.receipt.cached, renewed.receipt.age) == (
        first.content,
        False,
        0.0,
    )
    house.now += 40
    again = house.read(50.0).unwrap()
    assert (again.receipt.cached, again.receipt.age) == (True, 40.0)
    assert len(house.conditions) == 2


def test_a_renewed_page_keeps_what_was_left_out_and_its_handle(tmp_path: Path) -> None:
    menu = b"<nav><a href=/a>Harbours</a> <a href=/b>Lighthouses</a></nav><article>"
    answer = Answer(body=BODY.replace(b"<article>", menu), headers=HTML | HEADERS)
    site = Site({"/moved": answer})
    with sites(site):
        house = House(site, tmp_path)
        first = house.read().unwrap()
        house.now += 100
        stored = house.read().unwrap()
        renewed = house.read(50.0).unwrap()

    assert [entry.kind for entry in first.left_out or ()][:1] == ["menus"]
    assert first.receipt.handle is not None
    for page in (stored, renewed):
        assert (page.complete, page.cuts, page.notes) == (first.complete, first.cuts, first.notes)
        assert (page.left_out, page.receipt.handle) == (first.left_out, first.receipt.handle)
    assert len(site.asked) == 2


def test_an_old_page_that_cannot_be_renewed_is_too_old(house: House) -> None:
    house.read().unwrap()
    house.now += 100
    error = house.read(50.0, stored_only=True).failure()
    assert isinstance(error, TooOld)
    assert (error.age, error.max_age, error.cause) == (100.0, 50.0, "not_stored")
    house.site.pages["/page"] = [Answer(body=b"", status=410)]
    assert house.read(50.0).failure().kind == "too_old"
    assert house.read().unwrap().receipt.cached


def test_a_clock_that_went_back_makes_no_page_young(house: House) -> None:
    house.read().unwrap()
    house.now -= 1000
    receipt = house.read().unwrap().receipt
    assert (receipt.cached, receipt.age) == (False, 0.0)


def read_twice(house: House, renewal: dict[str, str]) -> WebExtractResult:
    """Read the page, then again a minute later; the site answers a condition with ``renewal``."""
    first = Answer(body=BODY, headers={"Content-Type": "text/html", **HEADERS})
    second = Answer(body=BODY.replace(b"twice", b"thrice"), headers=first.headers)
    house.site.pages["/page"] = [first, Answer(status=304, headers=renewal), second]
    house.read().unwrap()
    house.now += 60
    return house.read(0.0).unwrap()


@pytest.mark.parametrize(
    ("renewal", "is_renewed"),
    [
        ({"ETag": '"v1"'}, True),
        ({"ETag": 'W/"v1"'}, True),
        ({"ETag": '"v1"', "Last-Modified": "Tue, 06 Jan 2026 00:00:00 GMT"}, True),
        ({"ETag": '"v2"'}, False),
        ({"Last-Modified": "Tue, 06 Jan 2026 00:00:00 GMT"}, False),
        # What the publisher says about use may change while the page does not.
        ({"ETag": '"v1"', "Content-Usage": "train-ai=n"}, False),
    ],
)
def test_only_a_304_for_the_stored_page_renews_it(
    house: House, renewal: dict[str, str], *, is_renewed: bool
) -> None:
    page = read_twice(house, renewal)
    assert ("thrice" in page.content) is not is_renewed


@pytest.mark.parametrize(
    "written",
    [
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Sat, 01 Jan 0000 00:00:00 GMT",
        "yesterday",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Fri, 01 Jan 2999 00:00:00 GMT",
    ],
)
def test_a_header_with_an_impossible_date_states_none(house: House, written: str) -> None:
    headers = {"Content-Type": "text/html", "Last-Modified": written}
    house.site.pages["/page"] = [Answer(body=BODY, headers=headers)]
    dates = cast("list[dict[str, str]]", house.read().unwrap().metadata["dates"])
    assert [date["source"] for date in dates] == ["linked data", "linked data"]

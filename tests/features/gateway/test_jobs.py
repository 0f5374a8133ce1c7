"""Jobs: they go on while nobody waits, are seen by their owner alone, and can be stopped."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from returns.result import Success

from tests.doors.cli.run import webseam
from tests.features.gateway.jobs import run, until_done
from webseam.adapters.features.gateway.asks import CrawlPlan, JobView, Page
from webseam.composition.features.gateway.request_performer import is_in_crawl_plan
from webseam.composition.features.gateway.running_jobs import RunningJobs
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.ports.jobs import JobName, JobRecord

from .asgi import ROWS, Site

SITE = {
    "https://example.com/": "[a](/a) [b](/b) [elsewhere](https://other.example/) [again](/a#x)",
    "https://example.com/a": "[deep](/a/deep) [secret](http://10.0.0.1/)",
    "https://example.com/b": "[up](/)",
    "https://example.com/a/deep": "the end",
}


def pages() -> FakeBackend:
    return FakeBackend(
        ROWS, extract=lambda url: Success({"url": url, "content": SITE.get(url, "nothing")})
    )


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("batch/scrape", {"urls": ["http://10.0.0.1/", "http://10.0.0.2/"]}),
        ("crawl", {"url": "http://10.0.0.1/"}),
    ],
)
def test_a_job_whose_every_page_failed_has_failed(
    tmp_path: Path, version: str, path: str, body: object
) -> None:
    site = Site(tmp_path, pages())

    async def life() -> Any:  # noqa: ANN401
        started = (await site.asked("POST", f"/{version}/{path}", body)).json
        return await until_done(site, f"/{version}/{path}/{started['id']}")

    view = run(life)

    assert (view["status"], view["data"]) == ("failed", [])
    assert "10.0.0.1" in view["error"]


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_batch_is_read_and_what_failed_is_listed(tmp_path: Path, version: str) -> None:
    site = Site(tmp_path, pages())

    async def life() -> Any:  # noqa: ANN401
        urls = ["https://example.com/a", "nonsense", "http://10.0.0.1/"]
        started = (await site.asked("POST", f"/{version}/batch/scrape", {"urls": urls})).json
        path = f"/{version}/batch/scrape/{started['id']}"
        view = await until_done(site, path)
        return started, view, (await site.asked("GET", f"{path}/errors")).json

    started, view, errors = run(life)

    assert (started["success"], started["invalidURLs"]) == (True, ["nonsense"])
    assert started["url"] == f"http://127.0.0.1:8787/{version}/batch/scrape/{started['id']}"
    assert (view["status"], view["completed"], view["total"]) == ("completed", 2, 2)
    assert [one["metadata"]["sourceURL"] for one in view["data"]] == ["https://example.com/a"]
    assert ("next" in view) is (version == "v2")
    assert [one["url"] for one in errors["errors"]] == ["http://10.0.0.1/"]


def test_a_crawl_follows_links_of_its_own_site(tmp_path: Path) -> None:
    site = Site(tmp_path, pages())

    async def life() -> Any:  # noqa: ANN401
        started = (
            await site.asked(
                "POST",
                "/firecrawl/v2/crawl",
                {"url": "https://example.com/", "excludePaths": ["^/b"]},
            )
        ).json
        assert started["url"].startswith("http://127.0.0.1:8787/firecrawl/v2/crawl/")
        return await until_done(site, f"/firecrawl/v2/crawl/{started['id']}")

    view = run(life)

    assert [one["metadata"]["sourceURL"] for one in view["data"]] == [
        "https://example.com/",
        "https://example.com/a",
        "https://example.com/a/deep",
    ]


def test_a_crawl_that_waits_for_its_caller_has_a_limit(tmp_path: Path) -> None:
    answer = Site(tmp_path, pages()).post(
        "/tavily/crawl", {"url": "https://example.com/", "limit": 2, "max_depth": 3}
    )

    assert [one["url"] for one in answer.json["results"]] == [
        "https://example.com/",
        "https://example.com/a",
    ]


def test_a_job_is_cancelled_once_and_its_owner_alone_sees_it(tmp_path: Path) -> None:
    site = Site(tmp_path, FakeBackend(extract=lambda _url: asyncio.Event().wait()))
    home = str(tmp_path / "data")
    ann, eve = (
        f"Bearer {json.loads(webseam('keys', 'add', name, '--json', XDG_DATA_HOME=home).out)['data']['key']}"
        for name in ("ann", "eve")
    )

    async def life() -> list[int | str]:
        asked = {"urls": ["https://example.com/a"]}
        started = (
            await site.asked(
                "POST", "/v2/batch/scrape", asked, authorization=ann, x_idempotency_key="one"
            )
        ).json
        again = (
            await site.asked(
                "POST", "/v2/batch/scrape", asked, authorization=ann, x_idempotency_key="one"
            )
        ).json
        path = f"/v2/batch/scrape/{started['id']}"
        others = [await site.asked(method, path, authorization=eve) for method in ("GET", "DELETE")]
        wrong_kind = await site.asked("GET", f"/v2/crawl/{started['id']}", authorization=ann)
        stopped = await site.asked("DELETE", path, authorization=ann)
        view = await until_done(site, path, authorization=ann)
        twice = await site.asked("DELETE", path, authorization=ann)
        await site.gateway._jobs.aclose()  # noqa: SLF001  as the server does at its end
        assert again["id"] == started["id"]
        return [
            *(each.status for each in others),
            wrong_kind.status,
            stopped.status,
            view["status"],
            twice.status,
        ]

    assert run(life) == [404, 404, 404, 200, "cancelled", 409]


def test_a_caller_has_only_so_many_jobs_at_once(tmp_path: Path) -> None:
    site = Site(tmp_path, FakeBackend(extract=lambda _url: asyncio.Event().wait()))

    async def life() -> list[int]:
        statuses = [
            (await site.asked("POST", "/v2/crawl", {"url": f"https://example.com/{number}"})).status
            for number in range(21)
        ]
        active = (await site.asked("GET", "/v2/crawl/active")).json["crawls"]
        await site.gateway._jobs.aclose()  # noqa: SLF001  as the server does at its end
        return [*statuses, len(active)]

    assert run(life) == [200] * 20 + [429, 20]


@pytest.mark.parametrize(
    ("link", "plan", "verdict"),
    [
        ("https://www.example.com/x", {}, True),
        ("https://docs.example.com/x", {}, False),
        ("https://docs.example.com/x", {"subdomains": True}, True),
        ("https://notexample.com/x", {"subdomains": True}, False),
        ("https://example.com/guide/a", {"below": True}, True),
        ("https://example.com/other", {"below": True}, False),
        ("https://example.com/other", {"include": ("^/other",)}, True),
        ("https://example.com/guide/a", {"include": ("^/other",)}, False),
        ("https://example.com/", {}, True),
    ],
)
def test_a_link_belongs_to_a_site_by_its_host_and_path(
    link: str, plan: dict[str, Any], *, verdict: bool
) -> None:
    assert (
        is_in_crawl_plan(link, CrawlPlan(url="https://example.com/guide/start", limit=5, **plan))
        is verdict
    )


def test_a_job_with_a_bug_in_it_has_failed(caplog: pytest.LogCaptureFixture) -> None:
    async def life() -> str:
        jobs = RunningJobs()

        async def work(_done: Callable[[Page], None]) -> None:
            raise ZeroDivisionError

        record = JobRecord(name=JobName("ann", "1"), kind="batch", total=1, expires=4e9)
        started = jobs.start_job(record, "batch", work)
        assert isinstance(started, JobView)
        await asyncio.sleep(0)
        view = jobs.find_job("ann", "batch", started.id)
        assert isinstance(view, JobView)
        return view.state

    assert run(life) == "failed"
    assert "a job failed" in caplog.text

"""The HTML of a page as its server sent it: Firecrawl's format ``rawHtml``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.answering import Asked, Reply, answering
from tests.features.gateway.jobs import run, until_done
from webseam.adapters.pages.fetch.content import decode_fetched_html

from .asgi import Site

TEXT = "<html><head><title>Приливы</title></head><body><h1>Приливы</h1><p>В полдень вода стоит высоко.</p></body></html>"
PAGES = {
    "/html": Reply(TEXT.encode("windows-1251"), "text/html; charset=windows-1251"),
    "/text": Reply(b"High at noon.", "text/plain"),
    "/huge": Reply(TEXT.encode() + b" " * 5_000_000, "text/html"),
}


class Served(NamedTuple):
    site: Site
    url: str
    fetched: list[str]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Yield a gateway that reads the pages of a server on this machine itself."""
    fetched: list[str] = []

    def answer(asked: Asked) -> Reply:
        fetched.append(asked.path)
        return PAGES.get(asked.path, Reply(b"", "text/plain", 404))

    with answering(answer) as url:
        port = urlsplit(url).port
        config = f"policy: {{allow_private: ['127.0.0.1/32:{port}']}}\n"
        (tmp_path / "config.yaml").write_text(config)
        yield Served(Site(tmp_path, "settings"), url, fetched)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_page_comes_with_the_html_that_was_served(served: Served, version: str) -> None:
    body = {"url": f"{served.url}/html", "formats": ["rawHtml", "markdown"]}

    document = served.site.post(f"/{version}/scrape", body).json["data"]

    assert document["rawHtml"] == TEXT
    assert "В полдень" in document["markdown"]


def test_the_html_has_its_own_place_in_the_cache(served: Served) -> None:
    url = f"{served.url}/html"
    for _ in range(2):
        (plain,) = served.site.post("/api/extract", {"urls": [url]}).json["data"]["results"]
        page = served.site.post("/v2/scrape", {"url": url, "formats": ["rawHtml"]}).json["data"]
        assert "raw_content" not in plain
        assert page["rawHtml"] == TEXT
    assert served.fetched.count("/html") == 2


def test_a_job_keeps_the_html_of_its_pages(served: Served) -> None:
    urls = [f"{served.url}{path}" for path in ("/html", "/text")]

    async def life() -> Any:  # noqa: ANN401  JSON is anything
        body = {"urls": urls, "formats": ["rawHtml"]}
        started = (await served.site.asked("POST", "/v2/batch/scrape", body)).json
        return await until_done(served.site, f"/v2/batch/scrape/{started['id']}")

    assert [page["rawHtml"] for page in run(life)["data"]] == [TEXT]


@pytest.mark.parametrize("path", ["/text", "/huge"])
def test_a_page_without_html_is_refused_by_the_name_of_the_field(served: Served, path: str) -> None:
    body = {"url": served.url + path, "formats": ["markdown", "rawHtml"]}

    refused = served.site.post("/v2/scrape", body)

    assert (refused.status, refused.json["success"]) == (400, False)
    assert "formats: rawHtml" in refused.json["error"]


def test_html_is_decoded_by_what_it_is_and_else_by_what_is_declared() -> None:
    for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be", "koi8-r"):
        for content_type in ("text/html", "text/html; charset=hex", "text/html; charset=none"):
            text = f"<meta charset={codec}><title>Tides</title>" + "<p>Высокая вода.</p>\n" * 3
            assert decode_fetched_html(text.encode(codec), content_type) == text, codec
    assert decode_fetched_html(b"\xff<p>", "text/html") == "�<p>"

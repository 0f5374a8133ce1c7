"""What robots.txt, headers and pages say about use, in the rows of a run."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import cast

import pytest
from returns.result import Success

from tests.features.bulk.farm import Site, crawl, linked, meta, page, sites, text
from tests.features.bulk.samples import rows, run
from webseam import pages_backend
from webseam.adapters.features.bulk.crawling.robots_usage import (
    parse_robots_usage,
    robots_statements,
)
from webseam.composition.planning.open_backends import close_after
from webseam.kernel import WebDeps, web_extract
from webseam.kernel.features.bulk.bulk_rows import RowRules, bulk_filter_columns, make_bulk_row
from webseam.kernel.features.bulk.filters import make_bulk_row_filter
from webseam.kernel.policy import PolicySettings, make_policy
from webseam.ports.bulk import BulkItem
from webseam.ports.pages import ReadPage
from webseam.ports.usage import UsageStatement

ROBOTS = """
License: https://a.example/license.xml
User-agent: otherbot
Content-Usage: train-ai=y
User-agent: *
Sitemap: https://a.example/map.xml
User-agent: third
Allow: /
Content-Signal: search=yes,ai-train=no
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Content-Usage: /*.pdf$ search=n  # of files
"""


@pytest.mark.parametrize(
    ("agent", "path", "usage"),
    [
        ("webseam", "/", ["train-ai=n"]),
        ("webseam", "/open/x", ["train-ai=y"]),
        ("webseam", "/open.pdf", ["search=n"]),
        ("webseam", "/open.pdf?x", ["train-ai=n"]),
        ("third", "/", ["train-ai=n"]),
        ("OtherBot", "/", ["train-ai=y"]),
    ],
)
def test_the_longest_path_of_the_group_counts(agent: str, path: str, usage: list[str]) -> None:
    statements = robots_statements(parse_robots_usage(ROBOTS, agent), path)
    assert [one.value for one in statements if one.name == "content-usage"] == usage
    signals = [one.value for one in statements if one.name == "content-signal"]
    assert signals == ([] if agent == "OtherBot" else ["search=yes,ai-train=no"])
    assert statements[0] == ("robots.txt", "license", "https://a.example/license.xml")


ITEM = BulkItem(
    source="s",
    offset=0,
    url="https://a.example/",
    robots=("noai",),
    statements=(UsageStatement("robots.txt", "content-signal", "search=yes"),),
    body=b"x",
)
PAGE = ReadPage(title="T", content="words")


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("usage.train!=no", False),
        ('usage.train != "no"', False),
        ("usage.search == yes and usage.input == unsaid", True),
        ("usage.train in (yes, unsaid)", False),
    ],
)
def test_rows_are_filtered_by_their_use(where: str, kept: bool) -> None:  # noqa: FBT001
    keep = make_bulk_row_filter(where, bulk_filter_columns({})).unwrap()
    row = make_bulk_row(0, ITEM, Success(PAGE), RowRules(language=lambda _: "en", keep=keep))
    assert row.kept is kept
    assert '"source":"header x-robots-tag"' in row.metadata


def test_a_page_without_statements_is_unsaid() -> None:
    keep = make_bulk_row_filter("usage.train == unsaid", bulk_filter_columns({})).unwrap()
    item = BulkItem(source="s", offset=0, body=b"x")
    row = make_bulk_row(0, item, Success(PAGE), RowRules(language=lambda _: "en", keep=keep))
    assert row.kept is True
    assert "usage" not in row.metadata


def test_no_other_attribute_or_bare_word_is_a_column() -> None:
    for where in ("usage.price == yes", "title.upper == no", "language == en", "a.b.c == no"):
        assert not isinstance(make_bulk_row_filter(where, bulk_filter_columns({})), Success), where


def test_a_page_that_says_no_to_the_purpose_is_an_error_row() -> None:
    rules = RowRules(language=lambda _: "en", purpose="train")
    row = make_bulk_row(0, ITEM, Success(PAGE), rules)
    assert (row.error, row.content) == ("call_refused", None)
    other = RowRules(language=lambda _: "en", purpose="search")
    assert make_bulk_row(0, ITEM, Success(PAGE), other).error is None


def test_a_crawl_tells_and_obeys_what_publishers_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(
        {
            "/robots.txt": text(
                "User-agent: *\nContent-Signal: search=yes\nContent-Usage: /c train-ai=n\n"
                "License: https://a.example/rsl.xml"
            ),
            "/": page("Home", "/a", "/b", "/c"),
            "/a": linked(page("A"), Content_Usage="train-ai=n"),
            "/b": meta(page("B"), "tdm-reservation", "1"),
            "/c": page("C"),
        }
    )
    with sites(site):
        assert crawl(site, tmp_path / "all", monkeypatch, "--where", "usage.train!=no") == 0
        asked = len(site.asked)
        assert crawl(site, tmp_path / "obeyed", monkeypatch, "--purpose", "train") == 0
        assert "/c" not in {one.path for one in site.asked[asked:]}
    told = rows(tmp_path / "all")
    usage = {str(row["url"]): json.loads(str(row["metadata"]))["usage"] for row in told}
    sources = {
        url.removeprefix(site.root): {one["source"] for one in value["sources"]}
        for url, value in usage.items()
    }
    common = "robots.txt content-signal"
    assert sources == {
        "/": {common},
        "/a": {common, "header content-usage"},
        "/b": {common, "page tdm-reservation"},
        "/c": {common, "robots.txt content-usage"},
    }
    assert {value["licence"] for value in usage.values()} == {"https://a.example/rsl.xml"}
    assert [row["title"] for row in told if row["kept"]] == ["Home"]
    obeyed = rows(tmp_path / "obeyed")
    assert [row["error"] for row in obeyed] == [None, *["call_refused"] * 3]


def test_a_page_says_the_same_alone_and_in_a_dataset(tmp_path: Path) -> None:
    """Two lines of one header, and an address that is relative to the page."""
    body = page("Tides").body.replace(b"<head>", b'<head><meta name="webseam" content="noindex">')
    lines = ("X-Robots-Tag: otherbot: nosnippet", "X-Robots-Tag: noai", "Link: </l>; rel=license")
    head = "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html", *lines))
    answer = head.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    with raw_site(answer) as port:
        policy = make_policy(PolicySettings(allow_private=(f"127.0.0.1/32:{port}",))).unwrap()
        (tmp_path / "urls.txt").write_text(f"http://127.0.0.1:{port}/x/y\n")
        run(tmp_path / "out", tmp_path / "urls.txt", policy=policy, robots=False).unwrap()
        reader = pages_backend(policy)
        deps = WebDeps(backend=reader, policy=policy)
        read = asyncio.run(close_after(reader, web_extract(f"http://127.0.0.1:{port}/x/y", deps)))

    usage = cast("dict[str, str]", read.unwrap().metadata["usage"])
    assert (usage["train"], usage["search"], usage["input"]) == ("no", "no", "unsaid")
    assert usage["licence"] == f"http://127.0.0.1:{port}/l"
    metadata = str(rows(tmp_path / "out")[0]["metadata"])
    assert json.loads(metadata)["usage"] == usage


@contextmanager
def raw_site(answer: bytes) -> Iterator[int]:
    """Send the same bytes to each request."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()

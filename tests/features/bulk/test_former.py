"""Pages of an earlier run: asked about, and taken from there when they have not changed."""

import hashlib
import io
import json
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites
from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import Here, rows, run
from webseam.composition.features.bulk.conversion import RunWatch


def _tagged(title: str) -> Answer:
    return Answer(body=page(title).body, headers={"ETag": f'"{title}"'})


def _run(folder: Path, site: Site, *urls: str, former: Path | None = None) -> None:
    listed = folder.with_suffix(".txt")
    listed.write_text("\n".join(urls))
    since = None if former is None else str(former)
    run(folder, listed, policy=local_policy(site), delay=0.0, robots=False, former=since).unwrap()


def test_every_spelling_of_an_unchanged_page_is_taken_from_the_former_run(tmp_path: Path) -> None:
    site = Site({"/a": _tagged("First"), "/b": _tagged("Second")})
    with sites(site):
        loud = site.root.replace("http", "HTTP")
        urls = [f"{site.root}/a", f"{site.root}/a#part", f"{loud}/a", f"{site.root}/b#part"]
        _run(tmp_path / "one", site, *urls)
        site.asked.clear()
        _run(tmp_path / "two", site, *urls, former=tmp_path / "one")
        _run(tmp_path / "three", site, *urls, former=tmp_path / "two")

    for name in ("one", "two", "three"):
        read = rows(tmp_path / name)
        assert [row["url"] for row in read] == urls
        assert [row["title"] for row in read] == ["First", "First", "First", "Second"]
    assert [each.headers.get("If-None-Match") for each in site.asked] == ['"First"', '"Second"'] * 2


def test_a_304_for_another_version_takes_nothing_from_the_former_run(tmp_path: Path) -> None:
    site = Site({"/a": _tagged("First")})
    with sites(site):
        _run(tmp_path / "one", site, f"{site.root}/a")
        site.pages["/a"] = [Answer(304, headers={"ETag": '"Second"'}), _tagged("Second")]
        _run(tmp_path / "two", site, f"{site.root}/a", former=tmp_path / "one")

    assert [row["title"] for row in rows(tmp_path / "two")] == ["Second"]
    assert [asked.headers.get("If-None-Match") for asked in site.asked] == [None, '"First"', None]


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_redirect_to_an_unchanged_page_is_not_fetched(engine: str, tmp_path: Path) -> None:
    moved = Answer(302, headers={"Location": "/a"})
    site = Site({"/a": _tagged("First"), "/old": moved})
    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text(f"{site.root}/a\n{site.root}/old\n")
        for name, former in (("one", None), ("two", "one"), ("three", "two")):
            run(
                tmp_path / name,
                listed,
                policy=local_policy(site),
                delay=0.0,
                robots=False,
                at_once=1,
                former=former and str(tmp_path / former),
                engine=engine,
                watch=RunWatch(converter=Here(), nodes=None if engine == "local" else FakeNodes()),
            ).unwrap()

    kept = ("title", "status", "content_type", "final_url", "body_sha256")
    for name in ("one", "two", "three"):
        first, second = rows(tmp_path / name)
        assert {key: first[key] for key in kept} == {key: second[key] for key in kept}
        assert first["title"] == "First"
    assert site.paths.count("/a") == 3


def test_a_damaged_page_of_the_former_run_is_fetched_again(tmp_path: Path) -> None:
    # So long that its head is read before what is wrong with its end.
    noise = hashlib.shake_256(b"").hexdigest(200_000).encode()
    long = Answer(body=page("Page 1").body + b"<!--" + noise + b"-->", headers={"ETag": '"1"'})
    site = Site({"/0": _tagged("Page 0"), "/1": long, "/2": _tagged("Page 2")})
    with sites(site):
        urls = [f"{site.root}/{number}" for number in range(3)]
        _run(tmp_path / "one", site, *urls)
        path = next((tmp_path / "one" / "_warc").glob("*.gz"))
        whole = path.read_bytes()
        members = whole.split(b"\x1f\x8b\x08")
        # The checksum at the end of its record.
        members[5] = members[5][:-8] + bytes(4) + members[5][-4:]
        path.write_bytes(b"\x1f\x8b\x08".join(members))
        site.asked.clear()
        _run(tmp_path / "two", site, *urls, former=tmp_path / "one")

    assert path.read_bytes() != whole
    assert [row["title"] for row in rows(tmp_path / "two")] == ["Page 0", "Page 1", "Page 2"]
    assert {each.path: each.headers.get("If-None-Match") for each in site.asked} == {
        "/0": '"Page 0"',
        "/1": None,
        "/2": '"Page 2"',
    }


@pytest.mark.parametrize("then", [None, "other"])
def test_resumed_run_without_the_former_run_fetches_the_page(
    then: str | None, tmp_path: Path
) -> None:
    others = [f"/{number}" for number in range(9)]
    site = Site({"/a": _tagged("First"), **{path: page("Other") for path in others}})
    with sites(site):
        # So many that the last of them is not begun with when the first has come.
        urls = [f"{site.root}{path}" for path in ("/a", *others, "/a#part")]
        _run(tmp_path / "other", site, f"{site.root}/a")
        site.pages["/a"] = [_tagged("New")]
        _run(tmp_path / "one", site, f"{site.root}/a")
        site.asked.clear()
        listed = tmp_path / "two.txt"
        listed.write_text("\n".join(urls))
        stop = RunWatch(converter=Here(), is_stopping=lambda: "/a" in site.paths)
        for watch, former in ((stop, "one"), (None, then)):
            run(
                tmp_path / "two",
                listed,
                watch=watch,
                policy=local_policy(site),
                delay=0.0,
                per_shard=1,
                robots=False,
                at_once=1,
                former=None if former is None else str(tmp_path / former),
            ).unwrap()

    read = rows(tmp_path / "two")
    assert [row["error"] for row in read] == [None] * 11
    assert [row["title"] for row in read] == ["New", *["Other"] * 9, "New"]


def test_records_that_are_taken_over_have_names_of_their_own(tmp_path: Path) -> None:
    site = Site({"/a": _tagged("First")})
    with sites(site):
        urls = [f"{site.root}/a", f"{site.root}/a#part", f"{site.root}/a"]
        _run(tmp_path / "one", site, *urls[:1])
        _run(tmp_path / "two", site, *urls, former=tmp_path / "one")

    names = [
        record.record_id
        for folder in ("one", "two")
        for path in (tmp_path / folder / "_warc").iterdir()
        for record in ArchiveIterator(io.BytesIO(path.read_bytes()))
    ]
    # With who wrote each file: a question and a page, a question and three pages.
    assert len(names) == len(set(names)) == 1 + 2 + 1 + 2 + 3


def _pages_of(folder: Path) -> list[tuple[str, int | None, str | None, bytes]]:
    """Return type, status, rules for robots and body of what a run keeps of its answers."""
    content = (folder / "_warc" / "part-000000.warc.gz").read_bytes()
    kept = []
    for record in ArchiveIterator(io.BytesIO(content), parse_http=False):
        assert record.verify_block_digest()
        kind = record.headers["WARC-Type"]
        if kind in ("response", "revisit"):
            record.parse_http()
            head = record.http_headers
            wish = head.get("X-Robots-Tag")
            kept.append((kind, head.status_code, wish, record.reader.read()))
    return kept


def test_an_unchanged_page_has_the_headers_of_the_answer_that_said_so(tmp_path: Path) -> None:
    old = Answer(body=page("First").body, headers={"ETag": '"1"', "X-Robots-Tag": "all"})
    told = {"ETag": '"1"', "x-robots-tag": "noindex", "Content-Type": "image/png"}
    moved = Answer(302, headers={"Location": "/a"})
    site = Site({"/a": [old, old._replace(headers=told)], "/old": moved})
    with sites(site):
        listed = [f"{site.root}/a", f"{site.root}/a#part", f"{site.root}/old"]
        _run(tmp_path / "one", site, listed[0])
        _run(tmp_path / "two", site, *listed, former=tmp_path / "one")
        _run(tmp_path / "three", site, *listed, former=tmp_path / "two")

    body = old.body
    assert _pages_of(tmp_path / "one") == [("response", 200, "all", body)]
    unchanged, known = ("revisit", 304, "noindex", b""), ("response", 200, "noindex", body)
    for name in ("two", "three"):
        kept = _pages_of(tmp_path / name)
        assert kept == [unchanged, known, known, ("response", 302, None, b""), known]
        assert [json.loads(str(row["metadata"]))["robots"] for row in rows(tmp_path / name)] == [
            ["noindex"]
        ] * 3
        assert {row["content_type"] for row in rows(tmp_path / name)} == {"text/html"}
    assert [each.headers.get("If-None-Match") for each in site.asked if each.path == "/a"] == [
        None,
        '"1"',
        '"1"',
    ]

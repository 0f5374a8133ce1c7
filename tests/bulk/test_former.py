"""Pages of an earlier run: asked about, and taken from there when they have not changed."""

import hashlib
from pathlib import Path

from tests.bulk.farm import Answer, Site, local_policy, page, sites
from tests.bulk.samples import run
from tests.bulk.test_extract import rows


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


def test_a_damaged_page_of_the_former_run_is_fetched_again(tmp_path: Path) -> None:
    # So long that its head is read before what is wrong with its end.
    noise = hashlib.shake_256(b"").hexdigest(200_000).encode()
    long = Answer(body=page("Page 1").body + b"<!--" + noise + b"-->", headers={"ETag": '"1"'})
    site = Site({"/0": _tagged("Page 0"), "/1": long, "/2": _tagged("Page 2")})
    with sites(site):
        urls = [f"{site.root}/{number}" for number in range(3)]
        _run(tmp_path / "one", site, *urls)
        path = next((tmp_path / "one" / "warc").glob("*.gz"))
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

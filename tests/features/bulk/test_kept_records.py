"""What was fetched, as WARC that other tools can check: digests, and who wrote it."""

import io
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites
from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import Here, run
from webseam.adapters.features.bulk.crawling.warc_records import (
    warc_failure_record,
    warc_info_record,
)
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.ports.errors import EmptyContent


def _pages() -> Site:
    return Site({"/a": page("First"), "/moved": Answer(302, headers={"Location": "/a"})})


def _fetched(folder: Path, site: Site, engine: str = "local") -> Path:
    listed = folder / "urls.txt"
    listed.write_text("\n".join(f"{site.root}/{path}" for path in ("a", "moved", "gone")))
    watch = RunWatch(nodes=FakeNodes()) if engine == "ray" else RunWatch(converter=Here())
    run(
        folder / "out",
        listed,
        policy=local_policy(site),
        delay=0.0,
        robots=False,
        user_agent="MyBot/2.0",
        engine=engine,
        watch=watch,
    ).unwrap()
    return folder / "out" / "_warc" / "part-000000.warc.gz"


def test_every_record_has_the_digest_of_its_block_and_an_answer_that_of_its_body(
    tmp_path: Path,
) -> None:
    with sites(site := _pages()):
        path = _fetched(tmp_path, site)

    checked = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, parse_http=False):
            record.freeze()
            whole = record.verify_block_digest()
            record.parse_http()
            answered = record.record_type == WarcRecordType.response
            checked.append((whole, record.verify_payload_digest() == answered))
    assert checked == [(True, True)] * 8


def test_a_file_begins_with_who_wrote_it_and_how(tmp_path: Path) -> None:
    with sites(site := _pages()):
        path = _fetched(tmp_path, site)

    with path.open("rb") as stream:
        first, *others = [
            (record.record_type, record.headers.get("WARC-Filename"), record.reader.read())
            for record in ArchiveIterator(stream, parse_http=False)
        ]
    lines = dict(line.split(": ", 1) for line in first[2].decode().splitlines())
    assert first[:2] == (WarcRecordType.warcinfo, path.name)
    assert lines.pop("software").startswith("webseam/")
    assert lines == {
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "http-header-user-agent": "MyBot/2.0",
        "robots": "ignore",
    }
    assert WarcRecordType.warcinfo not in [kind for kind, _, _ in others]


def test_warc_info_record_depends_on_its_records_only() -> None:
    first = warc_failure_record("https://a.example/", EmptyContent(), finished_at=86_400.0)
    head = warc_info_record(first, "part-0.warc.gz", {})

    (record,) = ArchiveIterator(io.BytesIO(head))
    others = warc_failure_record("https://a.example/", EmptyContent(), finished_at=86_400.0)
    assert record.headers["WARC-Date"] == "1970-01-02T00:00:00Z"
    assert warc_info_record(first, "part-0.warc.gz", {}) == head
    assert warc_info_record(first, "part-1.warc.gz", {}) != head
    assert warc_info_record(others, "part-0.warc.gz", {}) != head


def test_a_cluster_says_so_too(tmp_path: Path) -> None:
    with sites(site := _pages()):
        path = _fetched(tmp_path, site, "ray")

    with path.open("rb") as stream:
        kinds = [record.record_type for record in ArchiveIterator(stream, parse_http=False)]
    assert kinds[0] == WarcRecordType.warcinfo
    assert kinds.count(WarcRecordType.warcinfo) == 1

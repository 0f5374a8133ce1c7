"""The WARC records of what was fetched."""

import gzip
import re
from pathlib import Path

from tests.features.bulk.farm import Site, local_policy, page, sites, text
from tests.features.bulk.samples import run
from webseam.adapters.features.bulk.crawling.warc_records import warc_failure_record
from webseam.ports.errors import InvalidQuery
from webseam.ports.targets import MAX_URL_CHARS


def test_every_record_has_a_name_of_its_own(tmp_path: Path) -> None:
    site = Site({"/a": page("A"), "/robots.txt": text("")})
    with sites(site):
        urls = tmp_path / "urls.txt"
        urls.write_text(f"{site.root}/a\n" * 2 + "nonsense\n" * 2)
        run(tmp_path / "out", urls, policy=local_policy(site), delay=0.0).unwrap()

    content = gzip.decompress((tmp_path / "out" / "_warc" / "part-000000.warc.gz").read_bytes())
    names = re.findall(rb"WARC-Record-ID: (\S+)", content)
    assert (len(names), len(set(names))) == (7, 7)


def test_an_address_of_any_length_leaves_a_record_that_can_be_read() -> None:
    error = InvalidQuery(field="url", reason="too long")

    written = gzip.decompress(
        warc_failure_record("http://a.example/" + "x" * 100_000, error, finished_at=0.0)
    )

    assert max(map(len, written.splitlines())) < MAX_URL_CHARS + 100

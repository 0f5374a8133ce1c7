"""The folder of a run as one dataset, for whoever reads folders: what is fetched is no part."""

from pathlib import Path

import pyarrow.parquet as pq

from tests.features.bulk.farm import Site, local_policy, page, sites
from tests.features.bulk.samples import rows, run


def test_a_folder_of_fetched_pages_is_one_dataset(tmp_path: Path) -> None:
    site = Site({f"/{number}": page(f"Page {number}") for number in range(3)})
    with sites(site):
        urls = [f"{site.root}/{number}" for number in range(3)]
        run(tmp_path / "out", *urls, policy=local_policy(site), delay=0.0, per_shard=2).unwrap()

    assert [path.name for path in sorted((tmp_path / "out" / "_warc").iterdir())] == [
        "part-000000.warc.gz",
        "part-000001.warc.gz",
    ]
    whole = pq.read_table(tmp_path / "out")
    assert whole.column("title").to_pylist() == ["Page 0", "Page 1", "Page 2"]


def test_a_run_whose_pages_have_the_name_of_before_goes_on_with_them(tmp_path: Path) -> None:
    site = Site({f"/{number}": page(f"Page {number}") for number in range(3)})
    with sites(site):
        urls = [f"{site.root}/{number}" for number in range(3)]
        run(tmp_path / "out", *urls, policy=local_policy(site), delay=0.0, per_shard=2).unwrap()
        (tmp_path / "out" / "_warc").rename(tmp_path / "out" / "warc")
        (tmp_path / "out" / "warc" / "part-000001.warc.gz").unlink()
        for path in (tmp_path / "out").glob("part-*"):
            path.unlink()
        site.asked.clear()
        run(tmp_path / "out", *urls, policy=local_policy(site), delay=0.0, per_shard=2).unwrap()

    assert site.paths == ["/robots.txt", "/2"]
    assert [row["title"] for row in rows(tmp_path / "out")] == ["Page 0", "Page 1", "Page 2"]
    assert not (tmp_path / "out" / "_warc").exists()

"""A sample of the markdown pages of a run is compared with their HTML."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.features.bulk.farm import Answer, Site, local_policy, sites
from tests.features.bulk.samples import rows, run
from webseam.adapters.features.bulk.datasets.warc import read_warc_input_records, read_warc_inputs
from webseam.composition.features.bulk.conversion import RunWatch, WorkerConverter

TIDES = "The tide comes in twice a day, and the moon is the cause of it."
MORE = "Fishermen of the old harbour read the water better than any table."
OTHER = "This sentence stands in the version for agents alone, and nowhere else."
HTML = f"<html><body><article><h1>Tides</h1><p>{TIDES}</p><p>{MORE}</p></article></body></html>"


class TwoVersions(Site):
    """Sends markdown to whoever takes it; ``html`` is the answer to all others."""

    html = Answer(body=HTML.encode())

    def answer(self, path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/html" or "text/markdown" not in headers["Accept"]:
            return self.html
        text = f"# Tides\n\n{TIDES}\n\n{MORE}\n\n{OTHER}\n"
        return Answer(body=text.encode(), headers={"Content-Type": "text/markdown"})


def read_rows(folder: Path, site: Site, *paths: str) -> list[dict[str, Any]]:
    with sites(site):
        listed = folder / "urls.txt"
        listed.write_text("\n".join(f"{site.root}{path}" for path in paths))
        watch = RunWatch(converter=WorkerConverter(1))
        policy = local_policy(site)
        run(folder / "out", listed, policy=policy, delay=0.0, robots=False, watch=watch).unwrap()
    return [{**row, **json.loads(str(row["metadata"]))} for row in rows(folder / "out")]


def set_share(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    monkeypatch.setenv("WEBSEAM_PAGES_SECOND_LOOK", str(share))


def test_text_for_agents_alone_is_left_out_of_the_rows_of_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_share(monkeypatch, 1)
    site = TwoVersions({})
    first, html, last = read_rows(tmp_path, site, "/a", "/html", "/b")

    assert site.paths.count("/a") == site.paths.count("/b") == 2
    assert site.paths.count("/html") == 1
    for row in (first, last):
        assert (OTHER in row["content"], row["second_look"]) == (False, "compared")
        assert TIDES in row["content"]
        assert OTHER in row["agents_only"]
    assert "second_look" not in html

    # The file of the run gives the same rows again, and its pieces hold their looks.
    (warc,) = (tmp_path / "out" / "_warc").iterdir()
    assert [item.look is not None for item in read_warc_inputs(warc, 0, "")] == [True, False, True]
    pieces = [piece for _, piece in read_warc_input_records(warc)]
    assert warc.read_bytes().endswith(b"".join(pieces))
    watch = RunWatch(converter=WorkerConverter(1))
    run(tmp_path / "again", warc, policy=local_policy(site), watch=watch).unwrap()
    assert [row["content"] for row in rows(tmp_path / "again")] == [
        row["content"] for row in (first, html, last)
    ]


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (Answer(404), "http_status"),
        (Answer(302, headers={"Location": "/html"}), "http_status"),
        (Answer(body=b"plain", headers={"Content-Type": "text/plain"}), "not_html"),
        (Answer(body=b"x", headers={"Content-Type": "video/mp4"}), "unsupported_content"),
    ],
)
def test_a_look_that_fails_is_told(
    html: Answer, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_share(monkeypatch, 1)
    site = TwoVersions({})
    site.html = html
    (row,) = read_rows(tmp_path, site, "/a")
    assert (row["second_look"], OTHER in row["content"]) == (reason, True)


def test_without_a_share_each_page_is_fetched_once(tmp_path: Path) -> None:
    site = TwoVersions({})
    (row,) = read_rows(tmp_path, site, "/a")
    assert (site.paths, "second_look" in row) == (["/a"], False)

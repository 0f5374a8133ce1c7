"""Files of a run that somebody damaged or took away afterwards: noticed, and written again."""

import json
from pathlib import Path

import msgspec
import pytest
from returns.result import Result

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites
from tests.features.bulk.samples import digests, html, packed, run
from webseam.composition.doors.cli import main
from webseam.composition.features.bulk import library
from webseam.composition.features.bulk.bulk_run import RunEnd
from webseam.ports.errors import InvalidQuery, WebError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(packed(number) for number in range(6)))
    return path


def parts(out: Path) -> dict[str, str]:
    return {name: digest for name, digest in digests(out).items() if not name.startswith("_")}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def test_a_part_of_another_size_or_none_is_told_and_written_again(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["bulk", "extract", str(source), "-o", str(out), "--per-shard", "2"]
    main(command)
    whole = parts(out)
    (out / "part-000000.parquet").unlink()
    cut(out / "part-000002.parquet")
    capsys.readouterr()

    main(["bulk", "status", str(out)])
    status = capsys.readouterr().out
    main(["bulk", "status", str(out), "--json"])
    as_json = json.loads(capsys.readouterr().out)
    again = main(command)
    told = capsys.readouterr().err
    main(["bulk", "status", str(out)])
    mended = capsys.readouterr().out

    assert "done" not in status.splitlines()[0]
    assert "2 files are missing or damaged" in status
    assert "part-000000.parquet, part-000002.parquet" in status
    assert as_json["data"]["lost"] == ["part-000000.parquet", "part-000002.parquet"]
    assert as_json["data"]["over"] is False
    assert again == 0
    assert "2 files are missing or damaged, and written again" in told
    assert parts(out) == whole
    assert mended.splitlines()[0].endswith(", done")


def test_a_part_of_the_same_size_is_looked_into_when_that_is_asked_for(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["bulk", "extract", str(source), "-o", str(out), "--per-shard", "2"]
    main(command)
    whole = parts(out)
    flip(out / "part-000001.parquet")
    capsys.readouterr()

    codes = [main(["bulk", "status", str(out)])]
    unseen = capsys.readouterr().out
    codes.append(main(["bulk", "status", str(out), "--check"]))
    seen = capsys.readouterr().out
    main([*command, "--check"])
    codes.append(main(["bulk", "status", str(out), "--check"]))

    assert "damaged" not in unseen
    assert "1 file is missing or damaged" in seen
    assert codes == [0, 1, 0]
    assert library.status(out, check=True).lost == []
    assert parts(out) == whole


def test_a_run_whose_plan_is_gone_is_not_mixed_with_another(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, other = tmp_path / "out", tmp_path / "b.warc.gz"
    other.write_bytes(packed(8))
    main(["bulk", "extract", str(source), "-o", str(out)])
    (out / "_plan.json").write_bytes(b"{")

    code = main(["bulk", "extract", str(other), "-o", str(out)])

    assert code == 2
    assert "its plan is gone; take another folder." in capsys.readouterr().err


@pytest.mark.parametrize("lost", ["_shards.jsonl", "_inputs.jsonl"])
@pytest.mark.parametrize("content", [None, b"", b'{"number":0'])
def test_lists_of_a_plan_that_are_lost_are_made_again(
    lost: str, content: bytes | None, tmp_path: Path
) -> None:
    warc, pages, out = tmp_path / "a.warc.gz", tmp_path / "pages", tmp_path / "out"
    warc.write_bytes(b"".join(map(packed, range(5))))
    pages.mkdir()
    for number in range(5):
        (pages / f"{number}.html").write_bytes(html(f"Page {number}"))
    inputs = (warc, pages, warc)
    run(out, *inputs, per_shard=2).unwrap()
    whole, plan = parts(out), (out / "_plan.json").read_bytes()
    (out / "part-000003.parquet").unlink()
    (out / lost).unlink() if content is None else (out / lost).write_bytes(content)

    assert library.status(out).lost == ["part-000003.parquet"]
    again = run(out, *inputs, per_shard=2).unwrap()

    assert again.summary is not None
    assert parts(out) == whole
    assert (out / "_plan.json").read_bytes() == plan


def test_a_list_of_shards_is_made_again_by_what_a_sitemap_listed_then(tmp_path: Path) -> None:
    listed = b"<urlset>" + b"".join(
        b"<url><loc>ROOT/%d</loc></url>" % number for number in range(5)
    )
    site = Site(
        {
            "/sitemap.xml": [
                Answer(body=listed + b"</urlset>", headers={"Content-Type": "application/xml"}),
                Answer(500),
            ],
            **{f"/{number}": page(f"Page {number}") for number in range(5)},
        }
    )
    out = tmp_path / "out"
    with sites(site):

        def go() -> Result[RunEnd, WebError]:
            inputs = (f"sitemap:{site.root}/sitemap.xml", f"{site.root}/0")
            return run(out, *inputs, policy=local_policy(site), delay=0.0, per_shard=2)

        go().unwrap()
        whole, asked = parts(out), len(site.asked)
        (out / "_shards.jsonl").unlink()
        assert library.status(out).over
        go().unwrap()
        assert parts(out) == whole
        assert len(site.asked) == asked

        (out / "_shards.jsonl").unlink()
        (out / "_inputs.jsonl").unlink()
        refused = go().failure()

    assert isinstance(refused, InvalidQuery)
    assert "its inputs have changed" in refused.reason
    assert parts(out) == whole


def test_a_list_of_shards_is_not_made_of_other_inputs(tmp_path: Path) -> None:
    out, pages = tmp_path / "out", tmp_path / "urls.txt"
    pages.write_text("http://a.invalid/\nhttp://b.invalid/\n")
    run(out, pages).unwrap()
    plan = msgspec.json.decode((out / "_plan.json").read_bytes())
    (out / "_plan.json").write_bytes(msgspec.json.encode({**plan, "rows": 3}))

    for _ in range(2):
        assert isinstance(run(out, pages).failure(), InvalidQuery)

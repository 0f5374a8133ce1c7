"""Options that no run can be made with: said at once, by a dry run too, and nothing is written."""

from pathlib import Path

import msgspec
import pytest

from tests.features.bulk.farm import Site, local_policy, page, sites
from tests.features.bulk.samples import packed, run
from webseam import bulk
from webseam.composition.doors.cli import main
from webseam.composition.features.bulk.checks import check_bulk_options
from webseam.composition.features.bulk.options import BulkOptions
from webseam.errors import WebseamError


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--where", "colour > 1"], "--where: names no column 'colour'"),
        (["--since", "gone"], "--since: gone holds no run that fetched pages"),
        (["--engine", "spark"], "--engine: 'spark' is not local, ray or ray:HOST:PORT"),
        (["--user-agent", "a\r\nX: y"], "--user-agent: must be one line"),
        (["--user-agent", "\u00fc"], "--user-agent: must be one line"),
        (["--user-agent", " "], "--user-agent: must be one line"),
    ],
)
@pytest.mark.parametrize("dry", [["--dry-run"], []], ids=["dry", "real"])
def test_an_option_that_cannot_be_kept_to_is_refused(
    words: list[str],
    problem: str,
    dry: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1))
    out = tmp_path / "out"

    code = main(["bulk", "extract", str(source), "-o", str(out), *words, *dry])

    assert code == 2
    assert problem in capsys.readouterr().err
    assert not list(out.glob("*"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("per_shard", 0),
        ("at_once", 0),
        ("per_host", 0),
        ("workers", -1),
        ("compress", 0),
        ("delay", -1.0),
        ("delay", float("inf")),
        ("form", "csv"),
    ],
)
def test_from_python_the_same_is_refused(name: str, value: object) -> None:
    options = msgspec.structs.replace(BulkOptions(inputs=(), folder="out"), **{name: value})

    refusal = check_bulk_options(options)

    assert refusal is not None
    assert refusal.kind == "invalid_query"


def test_a_crawl_and_another_run_do_not_share_a_folder(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1))
    site = Site({"/": page("Home")})
    with sites(site):
        policy = local_policy(site)
        run(tmp_path / "run", source).unwrap()
        with pytest.raises(WebseamError, match="holds a run that is no crawl"):
            bulk.crawl(f"{site.root}/", tmp_path / "run", policy=policy)
        asked = len(site.asked)
        bulk.crawl(f"{site.root}/", tmp_path / "crawl", policy=policy, depth=0, delay=0.0)

    assert asked == 0
    assert "holds a crawl" in run(tmp_path / "crawl", source).failure().message

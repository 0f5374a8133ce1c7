"""The planner's benchmark still runs: a few calls of one scene, no judgement."""

from pathlib import Path

import pytest

from benchmarks.index_collection import make
from benchmarks.planner.__main__ import main
from benchmarks.planner.fusion import measure


def test_a_scene_is_played_printed_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--calls", "200", "--only", "hung", "--svg", str(tmp_path / "plots")]

    code = main([*arguments, "--json", str(tmp_path / "figures.json")])

    out = capsys.readouterr().out
    assert code == 0
    assert [line.split()[1] for line in out.splitlines()[1:]] == [
        "single",
        "naive",
        "LiteLLM",
        "fan-out",
        "webseam",
    ]
    assert (tmp_path / "plots" / "p95.svg").read_text().startswith("<svg")
    assert (tmp_path / "figures.json").stat().st_size > 100


def test_engines_are_fused() -> None:
    assert {one.weights for one in measure(make(60, 10), cuts=1)} == {"none", "quality squared"}

"""The planner's benchmark still runs: a few calls of one scene, no judgement."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.index.collection import make
from benchmarks.planner.__main__ import main
from benchmarks.planner.flaky import ERRORS, RATES, compare_success
from benchmarks.planner.fusion import ROUTE, lines_of, measure
from benchmarks.planner.memory import held_bytes
from benchmarks.planner.ours import Fold
from benchmarks.planner.races import race
from benchmarks.planner.run import RATE, play
from benchmarks.planner.scenes import scenes
from webseam.ports.errors import WebError


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
    assert (tmp_path / "plots" / "planner-p95.svg").read_text().startswith("<svg")
    assert (tmp_path / "figures.json").stat().st_size > 100


@pytest.mark.parametrize(("scene", "calls"), [("flapping", 4000)])
def test_a_dead_backend_is_asked_once_a_cooldown(scene: str, calls: int) -> None:
    seconds = calls / RATE

    world, _ = play(Fold, scenes(seconds)[scene], calls)

    assert set(world.probes.values()) == {1}


def test_pieces_of_a_run_are_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = [tmp_path / "1.json", tmp_path / "2.json"]
    for piece, scene in zip(pieces, ("outage", "hung"), strict=True):
        main(["--calls", "100", "--jobs", "1", "--only", scene, "--json", str(piece)])
    capsys.readouterr()

    main(["--only", "outage", "hung", "--join", *map(str, pieces), "--table"])

    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line.split(" | ")[0] for line in table[2:]] == ["| hung", "| outage"]


def test_engines_are_fused() -> None:
    fused = measure(make(60, 10), cuts=1)

    assert {one.weights for one in fused} == {"none", "quality squared", ROUTE}
    assert len(lines_of(fused)) == 2 + len(fused)


def test_processes_race_for_money_and_are_killed_and_nothing_is_spent_twice(tmp_path: Path) -> None:
    figures = race(tmp_path, processes=3, tries=600, kills=2, cap=300)

    assert figures.overspent == 0
    assert figures.booked == 300
    assert figures.billed in range(298, 301)


def test_memory_is_flat_over_many_calls(tmp_path: Path) -> None:
    sizes = asyncio.run(held_bytes(600, tmp_path))

    # Writes that pile up behind the calls would leave eight hundred bytes a call.
    assert max(sizes) - sizes[1] < 480 * 300


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.kind)
def test_a_route_succeeds_as_often_as_its_best_member_and_as_a_walk(error: WebError) -> None:
    calls = 1000
    for rates in RATES:
        ours, walk, alone = compare_success(rates, error, calls)
        # Three standard errors of a share of so many calls, at most.
        assert ours >= max(walk, alone) - 3 * 0.5 / calls**0.5, (rates, ours, walk, alone)

"""A frozen web: a run is recorded, and replayed with the same and with other questions."""

import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import webseam
from webseam.adapters.plugins.observers.recordings import INDEX_NOTE, Recording, read_recordings

PAGE = "<title>Tides</title><article><p>" + "Spring tides come with the new moon. " * 20 + "</p>"
AGENT = """
import json, sys, webseam
from returns.result import Success

question, url = sys.argv[1:]
with webseam.open_blocking() as web:
    try:
        found = web.search(question)
        rows, notes = [row.url for row in found], list(found.receipt.warnings)
    except webseam.WebseamError as error:
        rows, notes = [error.error.kind], []
    try:
        text = web.extract(url or rows[0]).content[:12]
    except webseam.WebseamError as error:
        text = error.error.kind
print(json.dumps([rows, notes, text]))
"""

ASKER = """
import json, sys, webseam

with webseam.open_blocking() as web:
    try:
        answer = web.ask(sys.argv[1])
        print(json.dumps([claim.text for claim in answer.claims]))
    except webseam.WebseamError as error:
        print(json.dumps([error.error.kind]))
"""


class World:
    """A search service and pages on loopback, and an agent that asks them."""

    def __init__(self, home: Path, address: str) -> None:
        self.home, self.address, self.asked = home, address, list[str]()
        self.environment = {"WEBSEAM_CONFIG": str(home / "config.yaml"), "HOME": str(home)}
        port = address.rpartition(":")[2]
        (home / "agent.py").write_text(AGENT)
        (home / "asker.py").write_text(ASKER)
        (home / "config.yaml").write_text(
            f"services: {{tavily: {{api_key: k, base_url: '{address}'}}}}\nsearch_backend: tavily\n"
            f"extract_backend: pages\ncache: false\nask: {{offer: true}}\n"
            f"policy: {{allow_private: ['127.0.0.1/32:{port}']}}\n"
        )

    def run(self, question: str, url: str = "", *options: str, agent: str = "agent") -> Any:
        command = [sys.executable, str(self.home / f"{agent}.py"), question, url]
        out = self.home / "out.json"
        shell = ["/bin/sh", "-c", 'out="$1"; shift; "$@" > "$out"', "sh", str(out), *command]
        ran = webseam("record", *options, "--", *shell, **self.environment)
        assert ran.code == 0, ran.err
        return json.loads(out.read_text())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    worlds: list[World] = []

    def answer(call: Asked) -> Reply:
        worlds[0].asked.append(call.path)
        if call.path == "/search":
            base = worlds[0].address
            rows = [("Tides", "/tides", "When is the water high?"), ("Bread", "/bread", "Crust")]
            results = [{"title": t, "url": base + u, "content": c} for t, u, c in rows]
            return Reply({"results": results})
        return Reply(PAGE.encode(), "text/html")

    with answering(answer) as address:
        worlds.append(World(tmp_path, address))
        yield worlds[0]


def test_an_agent_is_replayed_with_the_same_and_with_other_words(world: World) -> None:
    file = str(world.home / "run.jsonl")
    live = world.run("tide tables", "", "--file", file)
    assert live == [[f"{world.address}/tides", f"{world.address}/bread"], [], "Spring tides"]
    world.asked.clear()

    assert world.run("tide tables", "", "--replay", file) == live
    other = world.run("water in spring and new moon?", "", "--replay", file)
    unread = world.run("crust", "", "--replay", file)

    assert other == [[f"{world.address}/tides"], [INDEX_NOTE], "Spring tides"]
    assert unread[0][0] == f"{world.address}/bread"
    assert unread[2] == "not_configured"
    assert world.asked == []


def test_the_searches_and_pages_of_an_answer_are_recorded_and_replayed(world: World) -> None:
    file = str(world.home / "run.jsonl")
    live = world.run("When do spring tides come?", "", "--file", file, agent="asker")
    assert {recording.tool for recording in read_recordings(Path(file)).values()} == {
        "web_ask",
        "web_search",
        "web_extract",
    }
    assert "new moon" in str(live)
    world.asked.clear()

    assert world.run("When do spring tides come?", "", "--replay", file, agent="asker") == live
    other = world.run("What comes with the new moon?", "", "--replay", file, agent="asker")
    direct = world.run("tides", f"{world.address}/tides", "--replay", file)

    assert "new moon" in str(other)
    assert direct[2] == "Spring tides"
    assert world.asked == []


def test_later_recordings_are_left_out_as_of_a_day(world: World) -> None:
    file = str(world.home / "run.jsonl")
    world.run("tide tables", "", "--file", file)

    rows, _, text = world.run(
        "tide tables", f"{world.address}/tides", "--replay", file, "--as-of", "2020-01-01"
    )

    assert (rows, text) == (["not_configured"], "not_configured")
    assert all(recording.at for recording in read_recordings(Path(file)).values())


def test_a_replay_of_no_file_or_as_of_no_day_runs_nothing(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for wrong in (["--replay", str(tmp_path / "none.jsonl")], ["--as-of", "tomorow"]):
        outcome = webseam("record", *wrong, "--", "/bin/sh", "-c", f"touch {ran}")
        assert (outcome.code, ran.exists()) == (2, False), outcome.err
        assert wrong[0] in outcome.err


def test_a_command_that_cannot_be_run_is_an_error(tmp_path: Path) -> None:
    assert webseam("record", "--", str(tmp_path / "none")).code == 2
    assert webseam("record", "--", "/bin/sh", "-c", "exit 7").code == 7
    assert webseam("record", "--", "/bin/sh", "-c", "kill -9 $$").code == 137


def test_a_recording_without_a_time_is_older_than_any_day(tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl"
    file.write_bytes(msgspec.json.encode(Recording(tool="t", args={})) + b"\n")

    assert len(read_recordings(file, date(2020, 1, 1))) == 1

"""The supervisor alone, over workers that refuse, die and hang as the settings tell them to."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surroundings import STARTING

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
# Settings are "ACTION NUMBER": what the worker with this number does when it makes ready for them.
SCRIPT = """
import asyncio, json, os, signal, socket, sys
from pathlib import Path
from returns.result import Failure, Success
from webseam.composition.features.gateway.supervisor import Supervisor
from webseam.composition.features.gateway.worker_channel import Listening
from webseam.ports.errors import InvalidSetting

folder, script = Path(sys.argv[1]), json.loads(sys.argv[2])
def say(line):
    with (folder / "told").open("a") as file:
        file.write(line + "\\n")

class Source:
    accepted, unread = "first", list(script)
    def read(self):
        self.next = self.unread.pop(0)
        if self.next == "broken":
            return Failure(InvalidSetting(setting="s", place="p", reason="is broken"))
        return Success(self.next.encode())
    def accept(self):
        self.accepted = self.next

class Target:
    def __init__(self, number):
        self.number, self.next = number, ""
    async def prepare(self, settings):
        self.next = settings.decode()
        action, _, number = self.next.partition(" ")
        if number == str(self.number):
            mark = folder / f"{action}-{number}"
            if action == "dies" or (action == "dies-once" and not mark.exists()):
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            if action == "refuses":
                return "not here"
            if action == "fails":
                raise ZeroDivisionError
        return ""
    def take(self):
        say(f"{self.number} takes {self.next}")
    def drop(self):
        self.next = ""

def work(number, channel):
    say(f"{number} starts with {source.accepted}")
    async def life():
        channel.begin_to_obey(Target(number))
        channel.report(Listening())
        await asyncio.Event().wait()
    asyncio.run(life())

def journal(line):
    if line["event"] in ("reloaded", "reload refused"):
        say(line["event"])
        go_on()

def go_on():
    os.kill(os.getpid(), signal.SIGHUP if source.unread else signal.SIGTERM)

source = Source()
code = Supervisor(
    work, source, count=2, journal=journal, drain=1.0, listener=socket.socket(),
    print_failure=lambda error: 3,
).run(go_on)
sys.exit(code)
"""


def told(folder: Path, *settings: str) -> list[str]:
    """Return what workers and supervisor did, from start to end, while they got these settings."""
    ran = subprocess.run(
        (sys.executable, "-c", SCRIPT, str(folder), json.dumps(settings)),
        env={**STARTING, "PATH": "", "HOME": str(folder)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return (folder / "told").read_text().splitlines()


STARTS = ["0 starts with first", "1 starts with first"]


@pytest.mark.parametrize("bad", ["refuses 1", "fails 0", "dies 0", "broken"])
def test_settings_refused_by_one_worker_are_taken_by_none(tmp_path: Path, bad: str) -> None:
    lines = told(tmp_path, bad, "good")

    takes = sorted(line for line in lines if " takes " in line)
    assert {line for line in lines if " starts " in line} == set(STARTS)
    assert takes == ["0 takes good", "1 takes good"]
    assert lines.index("reload refused") < min(map(lines.index, takes))
    assert lines[-1] == "reloaded"


def test_a_worker_that_dies_while_it_makes_ready_is_asked_again(tmp_path: Path) -> None:
    lines = told(tmp_path, "dies-once 1")

    assert sorted(lines[:3]) == [
        "0 starts with first",
        "1 starts with first",
        "1 starts with first",
    ]
    assert sorted(lines[3:]) == ["0 takes dies-once 1", "1 takes dies-once 1", "reloaded"]
    assert lines[-1] == "reloaded"


def test_each_of_many_reloads_is_taken_in_its_turn(tmp_path: Path) -> None:
    lines = told(tmp_path, "one", "two", "three")

    assert sorted(lines[:2]) == STARTS
    assert [line for line in lines if line.startswith("0 takes")] == [
        "0 takes one",
        "0 takes two",
        "0 takes three",
    ]
    assert lines.count("reloaded") == 3

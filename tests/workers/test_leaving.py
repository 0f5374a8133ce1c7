"""Nobody stays behind when the interpreter ends, by itself or by force."""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watches processes through pidfd")
ROOT = Path(__file__).parents[2]
START = """
import asyncio, os, signal, sys
from tests.workers.observe import hostile, run
workers = hostile(2)
async def ask(body):
    return (await workers.convert(body)).unwrap().content
print(run(ask(b"pid")), flush=True)
"""
FORK = """
child = os.fork()
if child == 0:
    print(run(ask(b"after the fork")), flush=True)
    sys.exit()
os.waitpid(child, 0)
print(run(ask(b"pid")), flush=True)
"""
BUSY = """
async def leave():
    asyncio.ensure_future(workers.convert(b"block"))
    await asyncio.sleep(0)
run(leave())
"""


def started(script: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        # Workers import nothing from the working folder, and these converters are the tests'.
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def has_ended(pid: int) -> bool:
    """Wait up to a minute for a process that is not ours to end."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 60)[0])
    finally:
        os.close(watched)


@pytest.mark.parametrize("script", [START, START + BUSY], ids=["idle", "busy"])
def test_workers_end_with_an_interpreter_that_did_not_close_them(script: str) -> None:
    with started(script) as process:
        output, _ = process.communicate(timeout=120)

    assert process.returncode == 0
    assert has_ended(int(output))


def test_workers_end_when_their_parent_is_killed() -> None:
    with started(START + "sys.stdin.read()") as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()

        assert has_ended(pid)


def test_a_fork_starts_workers_of_its_own_and_leaves_its_parents_alone() -> None:
    with started(START + FORK) as process:
        output, _ = process.communicate(timeout=120)

    before, forked, after = output.split("\n")[:3]
    assert (forked, after) == ("after the fork", before)

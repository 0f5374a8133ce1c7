"""The memory of a browser is counted over all its processes, and has an end."""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from webseam.adapters.features.browser.renderer import (
    MemoryWatch,
    estimate_resident_bytes,
    session_processes,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
MEBIBYTE = 1024 * 1024
# A family: a parent that starts a child, and each holds 40 MiB.
FAMILY = """
import subprocess, sys
held = b"x" * (40 << 20)
child = [sys.executable, "-c", 'held = b"x" * (40 << 20); print(flush=True); input()']
with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
    other.stdout.readline()
    print(flush=True)
    input()
"""


@contextmanager
def family() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process


def test_all_processes_of_a_session_are_counted() -> None:
    with family() as process:
        members = list(session_processes(process.pid))
        taken = estimate_resident_bytes(members)

        assert (len(members), process.pid in members) == (2, True)
        assert taken > 80 * MEBIBYTE


def test_a_family_that_takes_too_much_is_killed_as_a_whole() -> None:
    with family() as process:
        child = next(member for member in session_processes(process.pid) if member != process.pid)
        handle = os.pidfd_open(child)
        with MemoryWatch(process.pid, 60 * MEBIBYTE) as watch:
            process.wait(60)

        assert (watch.is_exceeded, process.returncode) == (True, -9)
        assert select.select([handle], [], [], 60)[0]
        os.close(handle)


def test_a_family_within_its_limit_is_left_alone() -> None:
    with family() as process:
        with MemoryWatch(process.pid, 1024 * MEBIBYTE) as watch:
            pass

        assert (watch.is_exceeded, process.poll()) == (False, None)


def test_processes_that_are_gone_take_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()

    assert estimate_resident_bytes([process.pid]) == 0
    assert os.getpid() not in session_processes(process.pid)

"""Where a memory cgroup may be made, the kernel keeps a browser's processes to it."""

import subprocess
import sys
from pathlib import Path

import pytest

from webseam.adapters.features.browser import process as cgroup
from webseam.adapters.features.browser.process import MemoryGroup

MEBIBYTE = 1024 * 1024
# Waits to be put into a group, then takes far more than that allows, in a child of its own.
GREEDY = """
import subprocess, sys
input()
code = "held = b'x' * (400 << 20)"
sys.exit(subprocess.run([sys.executable, "-c", code]).returncode != 0)
"""


def test_process_over_its_memory_is_killed_and_its_group_removed() -> None:
    command = [sys.executable, "-c", GREEDY]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        group = MemoryGroup.open(100 * MEBIBYTE, process.pid)
        process.communicate(b"\n")
    if group is None:
        pytest.skip("no memory cgroup may be made here")

    killed = group.has_oom_kill()

    assert (process.returncode != 0, killed, group.remove_if_empty()) == (True, True, True)
    assert (group.has_oom_kill(), group.remove_if_empty()) == (False, True)


@pytest.mark.parametrize(
    ("mounts", "groups"),
    [
        ("", "0::/a/b\n"),
        ("tmpfs /tmp tmpfs rw 0 0\n", "0::/\n"),
        ("cgroup {root} cgroup rw,memory 0 0\n", "0::/\n"),
        ("cgroup {root}/none cgroup rw,memory 0 0\n", "4:memory:/own\n"),
        ("cgroup2 {root} cgroup2 rw 0 0\n", "0::/a/b\n"),
    ],
    ids=["nothing", "no cgroups", "not in one", "not writable", "no controller"],
)
def test_without_a_place_for_one_there_is_no_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: str, groups: str
) -> None:
    (tmp_path / "mounts").write_text(mounts.format(root=tmp_path), "utf-8")
    (tmp_path / "groups").write_text(groups, "utf-8")
    monkeypatch.setattr(cgroup, "_MOUNTS_FILE", tmp_path / "mounts")
    monkeypatch.setattr(cgroup, "_CGROUP_FILE", tmp_path / "groups")

    assert MemoryGroup.open(MEBIBYTE, 1) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["groups", "mounts"]


def test_a_group_of_the_second_version_stands_beside_its_maker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(f"cgroup2 {tmp_path} cgroup2 rw 0 0\n", "utf-8")
    (tmp_path / "groups").write_text("0::/slice/ours\n", "utf-8")
    (tmp_path / "slice").mkdir()
    (tmp_path / "slice" / "cgroup.subtree_control").write_text("cpu memory\n", "utf-8")
    monkeypatch.setattr(cgroup, "_MOUNTS_FILE", tmp_path / "mounts")
    monkeypatch.setattr(cgroup, "_CGROUP_FILE", tmp_path / "groups")

    group = MemoryGroup.open(MEBIBYTE, 4321)

    assert group is not None
    [folder] = (path for path in (tmp_path / "slice").iterdir() if path.is_dir())
    written = {path.name: path.read_text("ascii") for path in folder.iterdir()}
    assert written == {
        "memory.max": str(MEBIBYTE),
        "memory.swap.max": "0",
        "cgroup.procs": "4321",
    }
    (folder / "memory.events").write_text("low 0\noom_kill 2\n", "ascii")
    assert (group.has_oom_kill(), group.remove_if_empty()) == (True, False)

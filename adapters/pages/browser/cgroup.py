"""A memory cgroup for one browser, where one may be made: the kernel's own bound on all of it.

It holds also between two looks of ``MemoryWatch``. That one stays on: the kernel may count pages of
the program's own files elsewhere, and kills a renderer where the rendering as a whole has failed.

https://docs.kernel.org/admin-guide/cgroup-v2.html and cgroup-v1/memory.html (read 2026-11-15)
"""

import contextlib
import secrets
from pathlib import Path
from typing import NamedTuple, Self

_MOUNTS, _OWN_GROUPS = Path("/proc/self/mounts"), Path("/proc/self/cgroup")


class _Files(NamedTuple):
    """How one version of cgroups calls things; the last says how often the kernel has killed."""

    limit: str
    swap: str
    kills: str


_FIRST = _Files("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control")
_SECOND = _Files("memory.max", "memory.swap.max", "memory.events")


class MemoryGroup:
    """A group of processes with a limit on what they take together."""

    def __init__(self, folder: Path, files: _Files) -> None:
        """Take a group that is there."""
        self._folder = folder
        self._files = files

    @classmethod
    def make(cls, limit: int, process: int) -> Self | None:
        """Put a process, and what it starts from now on, into a group of at most ``limit`` bytes.

        None where that is refused or not to be had.
        """
        try:
            folder, files = _place()
            folder /= f"webseam-{process}-{secrets.token_hex(4)}"
            folder.mkdir()
        except (OSError, LookupError):
            return None
        group = cls(folder, files)
        try:
            group._bound(limit)
            group._write("cgroup.procs", str(process))
        except OSError:
            group.is_removed()
            return None
        return group

    def _bound(self, limit: int) -> None:
        self._write(self._files.limit, str(limit))
        # Swap is not memory that anybody promised; not every kernel counts it.
        with contextlib.suppress(OSError):
            self._write(self._files.swap, "0" if self._files is _SECOND else str(limit))

    def has_killed(self) -> bool:
        """Tell whether the kernel has killed one of its processes for want of memory."""
        try:
            words = (self._folder / self._files.kills).read_text(encoding="ascii").split()
            return int(words[words.index("oom_kill") + 1]) > 0
        except (OSError, ValueError, IndexError):
            return False

    def is_removed(self) -> bool:
        """Remove the group; False while there are processes in it."""
        try:
            self._folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="ascii")


def _place() -> tuple[Path, _Files]:
    """Return where a group may be made. Raises OSError or LookupError where there is none."""
    own = [line.split(":", 2) for line in _OWN_GROUPS.read_text(encoding="utf-8").splitlines()]
    for line in _MOUNTS.read_text(encoding="utf-8").splitlines():
        _, mounted, kind, options, *_ = line.split()
        if kind == "cgroup" and "memory" in options.split(","):
            paths = [path for _, names, path in own if "memory" in names.split(",")]
            return Path(mounted + paths[0]), _FIRST
        if kind == "cgroup2":
            # Beside ourselves: a group that has processes hands no controller down.
            paths = [path for number, _, path in own if number == "0"]
            beside = Path(mounted + paths[0]).parent
            if _hands_memory_down(beside):
                return beside, _SECOND
    raise LookupError


def _hands_memory_down(folder: Path) -> bool:
    control = folder / "cgroup.subtree_control"
    return control.exists() and "memory" in control.read_text(encoding="ascii").split()

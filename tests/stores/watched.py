"""Run ``webseam``, or a line of Python, and report each store that is opened by anything but SQLite.

``python -m tests.stores.watched REPORT COMMAND...`` is ``webseam COMMAND...``. SQLite opens its
files in C, where no audit event is raised; ``open`` and ``os.open`` raise one, in every library.
The hook holds for the life of the process and for those that it forks, so nothing escapes it.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

STORE_ENDINGS = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")


def watch_opens(report: Path) -> None:
    """Write each path of a store that is opened, and who opens it, to ``report``."""
    watching = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal watching
        if (
            event != "open"
            or not watching
            or not isinstance(arguments[0], str | bytes | os.PathLike)
        ):
            return
        path = os.fsdecode(arguments[0])
        if not path.endswith(STORE_ENDINGS) and not _is_linked_store(path):
            return
        watching = False
        frame = sys._getframe(1)  # noqa: SLF001  who opens it
        caller = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        with report.open("a", encoding="utf-8") as file:
            file.write(f"{path} by {caller}\n")
        watching = True

    sys.addaudithook(hook)


def _is_linked_store(path: str) -> bool:
    """Tell whether a path leads to a store under another name: a link, or a second name of it."""
    with suppress(OSError):
        return os.path.realpath(path).endswith(STORE_ENDINGS)
    return False


if __name__ == "__main__":
    watch_opens(Path(sys.argv[1]))
    from webseam.composition.doors.cli import main

    sys.exit(main(sys.argv[2:]))

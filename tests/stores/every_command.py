"""Run every command in one process that has every store open: no store may lose a lock.

``python -m tests.stores.every_command REPORT HOME`` has the environment of ``beside.Machine``. What
is opened by anything but SQLite is written to REPORT; a lock that is gone at the end is an error.
"""

import os
import sys
import time
from contextlib import ExitStack, closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from .watched import watch_opens

# Each command, with arguments that bring it to its stores. A new command needs a line here.
COMMANDS: dict[str, tuple[str, ...]] = {
    "ask": ("ask", "When is high tide?"),
    "backends": ("backends", "--all"),
    "bulk": ("bulk", "search", "{home}/questions.jsonl", "-o", "{home}/run"),
    "cache": ("cache", "clear"),
    "completion": ("completion", "bash"),
    "config": ("config", "show"),
    "crawl": ("crawl", "http://127.0.0.1:9/", "-o", "{home}/crawl"),
    "demo": ("demo", "{home}/notes"),
    "doctor": ("doctor",),
    "extract": ("extract", "http://127.0.0.1:9/"),
    # A second name of the index is the index, and the index must not be read.
    "index": ("index", "add", "{home}/notes", "{home}/index.sqlite"),
    "data": ("data", "http://127.0.0.1:9/", "--like", "article"),
    "keys": ("keys", "add", "zoe"),
    "map": ("map", "http://127.0.0.1:9/"),
    "mcp": ("mcp",),
    "model": ("model", "ask", "Tides"),
    "models": ("models",),
    "more": ("more", "0" * 24),
    "plugins": ("plugins", "list"),
    "policy": ("policy", "check", "https://example.com/"),
    "read": ("read", "{home}/ledger.sqlite"),
    "record": ("record", "--file", "{home}/record.jsonl", "--", sys.executable, "-c", "0"),
    "search": ("search", "tides"),
    # It serves until it is ended: test_beside.py watches it.
    "serve": ("serve", "--help"),
    "setup": ("setup", "brave"),
    "spend": ("spend",),
    "trust": ("trust", "--list"),
    "x": ("x", "tides"),
}  # fmt: skip


def main(report: Path, home: Path) -> None:
    """Open every store, run every command, and look at the locks."""
    notes = home / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("# Tides\n\nHigh at noon.")
    (home / "questions.jsonl").write_text('{"query": "tides"}\n')
    watch_opens(report)
    with ExitStack() as stack:
        open_all_stores(home, stack)
        # A file of ours under a name of the user's.
        os.link(home / "index.sqlite", notes / "linked.md")
        (notes / "pointing.md").symlink_to(home / "ledger.sqlite")
        before = locked_stores(home)
        from webseam.composition.doors.cli import find_commands, main as run  # noqa: PLC0415

        missing = find_commands().keys() ^ COMMANDS.keys()
        assert not missing, missing
        for arguments in COMMANDS.values():
            for _ in range(2):
                with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                    try:
                        run([argument.format(home=home) for argument in arguments])
                    except SystemExit:
                        continue
        assert before <= locked_stores(home), (before, locked_stores(home))


def open_all_stores(home: Path, stack: ExitStack) -> None:
    """Open one of each kind, and use it."""
    from webseam.adapters.features.index.documents import IndexDocument  # noqa: PLC0415  watched
    from webseam.adapters.features.index.store import DocumentIndex  # noqa: PLC0415
    from webseam.adapters.plugins.observers.counter import UseCounter  # noqa: PLC0415
    from webseam.adapters.stores.cache_table import CacheStore  # noqa: PLC0415
    from webseam.adapters.stores.keys import KeyFile  # noqa: PLC0415
    from webseam.adapters.stores.ledger import Ledger  # noqa: PLC0415
    from webseam.ports.keys import KeyRecord  # noqa: PLC0415

    keys = stack.enter_context(closing(KeyFile(home / "keys.sqlite")))
    keys.add(KeyRecord(id="", name="ann", cache="", made="")).unwrap()
    stack.enter_context(closing(Ledger(home / "ledger.sqlite"))).spendings(time.time()).unwrap()
    stack.enter_context(closing(CacheStore(home / "answers.sqlite"))).statistics().unwrap()
    index = stack.enter_context(closing(DocumentIndex.open_writer(home / "index.sqlite").unwrap()))
    index.add([IndexDocument(url="https://a.example/", text="tides")]).unwrap()
    UseCounter(home / "uses.sqlite", time.time).take(("a",), 5, 60.0)


def locked_stores(home: Path) -> set[str]:
    """Return the stores and their shared memory on which this process has locks."""
    file = Path("/proc/locks")
    lines = file.read_text().splitlines() if file.exists() else []
    inodes = {
        int(line.split()[5].rpartition(":")[2])
        for line in lines
        if int(line.split()[4]) == os.getpid()
    }
    return {path.name for path in home.glob("*.sqlite*") if path.stat().st_ino in inodes}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

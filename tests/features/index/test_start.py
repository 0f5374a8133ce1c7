"""What a search of the index loads: every module that it does not need is waited for."""

import os
import subprocess
import sys
from pathlib import Path

_MAIN = (
    "import sys; from webseam.composition.doors.cli.program import main; sys.argv = ['webseam', *sys.argv[1:]]\n"
    "try: main()\n"
    "finally: print(*sys.modules, file=sys.stderr)"
)


def test_a_search_of_the_index_loads_no_http_client(tmp_path: Path) -> None:
    (tmp_path / "bread.md").write_text("# Bread\n\nFlour, water and time.\n", encoding="utf-8")
    environment = {**os.environ, "HOME": str(tmp_path), "WEBSEAM_INDEX": str(tmp_path / "i.sqlite")}

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", _MAIN, *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
        )

    assert run("index", "add", str(tmp_path / "bread.md")).returncode == 0
    done = run("search", "--backend", "index", "--no-cache", "bread")

    loaded = set(done.stderr.split())
    assert "Bread" in done.stdout, done.stderr
    assert not loaded & {"httpx", "httpcore", "h11", "rich", "yaml", "lxml"}

"""What the program does that a library may not."""

import subprocess
import sys
from pathlib import Path

from tests.surroundings import STARTING

from .run import webseam_process

_LOADED = """
import sys
from webseam.composition.doors.cli.program import main
sys.argv = ["webseam", "--version"]
main()
import httpx
print("rich" in sys.modules, httpx.__version__ != "")
"""


def test_httpx_does_not_bring_its_own_command_line() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True
    )

    assert ended.stdout.splitlines()[-1] == "False True"


_SEARCHED = """
import sys
calls = []
sys.setprofile(lambda frame, event, _: calls.append((event, frame.f_code.co_name)))
from webseam.composition.doors.cli.program import main
sys.argv = ["webseam", "search", "tides", "--backend", "index"]
main()
sys.setprofile(None)
patterns = calls.count(("call", "_compile_info"))
ours = [name for name in sys.modules if name.partition(".")[0] == "webseam"]
unused = {
    "difflib", "email.utils", "hashlib", "httpx", "httptools", "idna", "rich", "shutil", "yaml"
}
print(len(ours), patterns, sorted(unused & sys.modules.keys()))
"""


def test_a_search_of_the_index_imports_and_compiles_little(tmp_path: Path) -> None:
    """A module costs a third of a millisecond, a pattern up to one; counted 2026-11-19: 194, 52."""
    document = tmp_path / "tides.md"
    document.write_text("# Tides\n\nThe moon pulls the sea.\n")
    index = {"WEBSEAM_INDEX": str(tmp_path / "index.sqlite")}
    assert webseam_process("index", "add", str(document), **index).code == 0

    ended = subprocess.run(
        [sys.executable, "-c", _SEARCHED],
        env={**STARTING, "HOME": str(tmp_path), **index},
        capture_output=True,
        text=True,
        check=True,
    )
    modules, patterns, unused = ended.stdout.splitlines()[-1].split(" ", 2)

    assert "tides.md" in ended.stdout
    assert int(modules) <= 194
    assert int(patterns) <= 60
    assert unused == "[]"

"""What the program does that a library may not."""

import subprocess
import sys

_LOADED = """
import sys
from webseam.composition.cli.program import main
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

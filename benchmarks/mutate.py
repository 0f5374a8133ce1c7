"""Break the kernel on purpose, one small change at a time, and count what the tests notice.

Works on a copy of the tree; prints the score and each change that nothing noticed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPY = ROOT / ".mutants"
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".bench", ".wheel", ".mutants", ".hypothesis", "__pycache__", ".*_cache"
)
CONFIG = """
[cosmic-ray]
module-path = {modules}
timeout = 60.0
excluded-modules = ["**/__init__.py"]
test-command = "{python} -m pytest -x -q -p no:cacheprovider tests/kernel tests/policy tests/test_errors.py properties"

[cosmic-ray.distributor]
name = "local"
"""
STEPS = (
    ["baseline", "mutation.toml"],
    ["init", "mutation.toml", "all.sqlite"],
    ["exec", "mutation.toml", "all.sqlite"],
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=["kernel"], help="files or folders to break")
    parser.add_argument("--least", type=float, default=90.0, help="per cent that must be noticed")
    options = parser.parse_args()
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT, COPY, symlinks=True, ignore=LEFT_OUT)
    config = CONFIG.format(modules=json.dumps(options.modules), python=sys.executable)
    (COPY / "mutation.toml").write_text(config)
    for step in STEPS:
        cosmic_ray(step)
    return report(options.least)


def cosmic_ray(arguments: list[str], *, capture: bool = False) -> str:
    # The copy's own package must win over the installed one.
    ours = {"PYTHONPATH": str(COPY / ".namespace"), "HYPOTHESIS_PROFILE": "mutation"}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "cosmic-ray"), *arguments],
        cwd=COPY,
        env={**os.environ, **ours},
        check=True,
        text=True,
        stdout=subprocess.PIPE if capture else None,
    )
    return done.stdout or ""


def report(least: float) -> int:
    lines = cosmic_ray(["dump", "all.sqlite"], capture=True).splitlines()
    pairs = [json.loads(line) for line in lines]
    survivors = [work for work, result in pairs if result and result["test_outcome"] == "survived"]
    for work in survivors:
        change = work["mutations"][0]
        where = f"{change['module_path']}:{change['start_pos'][0]}"
        print(f"survived: {where} {change['operator_name']} #{change['occurrence']}")
    done = [result for _, result in pairs if result]
    score = 100 * (1 - len(survivors) / len(done))
    print(f"{len(done)} mutants, {len(survivors)} survived: {score:.1f} % killed")
    return 0 if score >= least else 1


if __name__ == "__main__":
    sys.exit(main())

"""Break the kernel on purpose, one small change at a time, and count what the tests notice.

Works on a copy of the tree; prints the score and each change that nothing noticed.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import sqlite3
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
test-command = "{python} -m pytest -x -q -p no:cacheprovider {tests}"

[cosmic-ray.distributor]
name = "local"
"""
# The examples first, since they are quick; then the laws that speak of the kernel.
TESTS = "tests/kernel tests/test_errors.py tests/policy " + " ".join(
    f"properties/test_{law}.py"
    for law in ("limits", "text", "trim", "rows", "documents", "totality", "url_policy")
)
SEED = 20261115


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=["kernel"], help="files or folders to break")
    parser.add_argument("--least", type=float, default=90.0, help="per cent that must be noticed")
    parser.add_argument("--sample", type=int, help="only so many, drawn with a fixed seed")
    options = parser.parse_args()
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT, COPY, symlinks=True, ignore=LEFT_OUT)
    modules = json.dumps(options.modules)
    config = CONFIG.format(modules=modules, python=sys.executable, tests=TESTS)
    (COPY / "mutation.toml").write_text(config)
    cosmic_ray(["baseline", "mutation.toml"])
    cosmic_ray(["init", "mutation.toml", "all.sqlite"])
    if options.sample is not None:
        draw(options.sample)
    cosmic_ray(["exec", "mutation.toml", "all.sqlite"])
    return report(options.least)


def draw(many: int) -> None:
    """Leave only so many of the mutants to be tried."""
    with contextlib.closing(sqlite3.connect(COPY / "all.sqlite")) as database:
        jobs = sorted(row[0] for row in database.execute("SELECT job_id FROM work_items"))
        random.Random(SEED).shuffle(jobs)
        for table in ("mutation_specs", "work_items"):
            spared = [(job,) for job in jobs[many:]]
            database.executemany(f"DELETE FROM {table} WHERE job_id = ?", spared)
        database.commit()


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

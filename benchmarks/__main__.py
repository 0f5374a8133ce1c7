"""Run everything: ``python -m benchmarks [--quick] [--json FILE]``.

The exit code says whether the run was sound: every call of ours answered and every page read. Targets are printed;
a machine that is busy with other things can miss them.
"""

import argparse
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from .bulk.measuring import measure as measure_bulk
from .imports import measure
from .processes import output_of
from .rounds import FULL, QUICK, play
from .tables import report_text
from .targets import OURS, judge

_PACKAGES = (
    "webseam",
    "httpx",
    "msgspec",
    "httptools",
    "aiohttp",
    "tavily-python",
    "litellm",
    "trafilatura",
)


def main() -> int:
    """Measure, print, write the JSON file; 0 when no call of ours failed."""
    options = _options()
    plan = QUICK if options.quick else FULL
    starts = measure(plan.import_rounds)
    printed = output_of("benchmarks.kernel", str(plan.kernel_rounds))
    kernel = msgspec.json.decode(printed, type=dict[int, float])
    played = play(plan, lambda text: print(text, file=sys.stderr, flush=True))
    bulk = measure_bulk(plan.pages, plan.pages_at_once, 1)
    verdicts = judge(played, kernel, starts, bulk)
    print(report_text(played, kernel, starts, bulk, verdicts))
    if options.json is not None:
        result = {
            "about": _about(),
            "plan": plan,
            "played": played,
            "kernel": kernel,
            "starts": starts,
            "bulk": bulk,
            "targets": verdicts,
        }
        encoded = msgspec.json.encode(result)
        options.json.write_bytes(msgspec.json.format(encoded) + b"\n")
    failed = any(cell.failures for cell in played.cells if cell.client == OURS)
    return int(failed or any(part.whole < part.pages for part in bulk if part.reader == OURS))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description="Our search path and peers.")
    parser.add_argument("--quick", action="store_true", help="a few calls only, to see it work")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    return parser.parse_args()


def _about() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "versions": {name: _version(name) for name in _PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())

"""Find what Windows or macOS does not have: ``make platforms``.

mypy reads the sources as on those systems. A use of what is missing there stands behind a check
of ``sys.platform``, or in a module that is listed here with what keeps other systems out of it.
"""

import re
import subprocess
import sys

from release.urls import ROOT

POSIX_ONLY = {
    "adapters/features/browser/launcher.py": "render.browser is refused: UnsupportedCapability",
    "adapters/features/browser/process.py": "render.browser is refused: UnsupportedCapability",
    "adapters/features/browser/renderer.py": "render.browser is refused: UnsupportedCapability",
    "adapters/pages/workers/child.py": "without fork each worker is started",
    "adapters/pages/workers/process.py": "without fork each worker is started",
    "composition/features/gateway/server.py": "without resource the limit of open files stays",
    "composition/features/gateway/supervisor.py": "two serve.workers are refused: InvalidSetting",
}
_LINUX_ONLY = {"adapters/features/browser/launcher.py"}
_ERROR = re.compile(r"^\.namespace/webseam/(\S+?):(\d+): error: (.*)$", re.MULTILINE)


def find_missing(platform: str) -> list[tuple[str, str, str]]:
    """Return file, line and message of each use of what a platform does not have."""
    cache = f"--cache-dir=.mypy_cache/{platform}"
    command = (sys.executable, "-m", "mypy", "--platform", platform, "--no-warn-unreachable", cache)
    ended = subprocess.run(
        (*command, "-p", "webseam"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    if ended.returncode not in {0, 1}:
        raise SystemExit(ended.stdout + ended.stderr)
    return _ERROR.findall(ended.stdout)


def main() -> None:
    """Check both platforms; fail on a use outside of the list, and on a row that nothing needs."""
    faults: list[str] = []
    for platform, listed in (("win32", set(POSIX_ONLY)), ("darwin", _LINUX_ONLY)):
        missing = find_missing(platform)
        faults += [f"{platform}: {p}:{n}: {text}" for p, n, text in missing if p not in listed]
        unused = listed - {path for path, _, _ in missing}
        faults += [f"{platform}: {path} is listed and needs nothing" for path in sorted(unused)]
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"{len(POSIX_ONLY)} modules are for POSIX only; each refuses or goes on without.")


if __name__ == "__main__":
    main()

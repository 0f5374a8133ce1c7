"""Compare every pinned package with the advisories about unsafe releases: ``make audit``.

``pip-audit`` asks the database of the registry. A mirror without one answers nothing for any
package, which ``pip-audit`` counts as skipped and passes; those packages are held against
``advisories.json`` instead, and the last line says how many of each.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec
from packaging.version import Version

ROOT = Path(__file__).parents[2]
_ADVISORIES = Path(__file__).with_name("advisories.json")
_PINNED = re.compile(r"^([\w.-]+)==([\w.!+]+)", re.MULTILINE)
_LONGEST = 120
_SLOWEST_ANSWER = 5


class Advisory(msgspec.Struct, frozen=True, kw_only=True):
    """A package is unsafe before the version that ``fixed`` it."""

    id: str
    package: str
    fixed: str


class Advisories(msgspec.Struct, frozen=True, kw_only=True):
    """The advisories that come with the sources, and the day they were written."""

    written: str
    advisories: tuple[Advisory, ...]


def pinned_in(requirements: str) -> dict[str, str]:
    """Return each package with its version."""
    return {name.lower(): version for name, version in _PINNED.findall(requirements)}


def known_advisories() -> Advisories:
    """Return the advisories that come with the sources."""
    return msgspec.json.decode(_ADVISORIES.read_bytes(), type=Advisories)


def unsafe(pinned: dict[str, str], advisories: Iterable[Advisory]) -> list[str]:
    """Return a line for each package that an advisory names in this version or an older one."""
    return [
        f"{each.package} {pinned[each.package]}: {each.id}, fixed in {each.fixed}"
        for each in advisories
        if each.package in pinned and Version(pinned[each.package]) < Version(each.fixed)
    ]


def asked(report: bytes) -> tuple[set[str], list[str]]:
    """Return the packages that the database knows, and a line for each advisory it has."""
    known: set[str] = set()
    lines: list[str] = []
    for package in json.loads(report)["dependencies"]:
        if "skip_reason" not in package:
            known.add(package["name"].lower())
            lines += [f"{package['name']}: {each['id']}" for each in package["vulns"]]
    return known, lines


def _database(requirements: Path) -> tuple[set[str], list[str]]:
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(requirements)]
    options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    try:
        done = subprocess.run(
            [*command, *options, "--timeout", str(_SLOWEST_ANSWER)],
            capture_output=True,
            timeout=_LONGEST,
            check=False,
        )
        return asked(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        # Nobody answered, so nothing is known from there.
        return set(), []


def main() -> int:
    """Audit ``requirements.txt``; return 1 when a package is unsafe."""
    requirements = ROOT / "requirements.txt"
    pinned = pinned_in(requirements.read_text())
    known, lines = _database(requirements)
    local = known_advisories()
    unknown = {name: version for name, version in pinned.items() if name not in known}
    lines += unsafe(unknown, local.advisories)
    for line in lines:
        print(f"unsafe: {line}")
    print(
        f"audit: {len(known)} packages by the registry's database, {len(unknown)} by "
        f"{_ADVISORIES.relative_to(ROOT)} ({len(local.advisories)} advisories, {local.written})"
    )
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the package asks for, and what every test runs with."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = dict(
    re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
)
REACHED_INTO = ("httptools", "httpx", "jsonschema-rs", "msgspec", "pypdfium2", "turbohtml")
BOUND = re.compile(r"([\w.-]+)>=([\d.]+)(?:,<([\d.]+))?")


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_libraries_with_private_use_have_an_upper_bound() -> None:
    bounded = {
        line[1] for each in PROJECT["dependencies"] if (line := BOUND.match(each)) and line[3]
    }

    assert bounded >= set(REACHED_INTO)


@pytest.mark.parametrize("line", PROJECT["dependencies"])
def test_the_upper_bound_is_the_next_release_after_the_tested_one(line: str) -> None:
    bound = BOUND.match(line)
    pinned = numbers(PINNED[(bound[1] if bound else line).lower()])
    if bound is None:
        return

    assert numbers(bound[2]) <= pinned
    if bound[3]:
        *before, last = numbers(bound[3])
        assert (*before, last - 1) == pinned[: len(before) + 1]


def test_every_pin_file_names_packages_by_hash_and_no_registry() -> None:
    pins = ROOT / "pins"
    assert {path.stem for path in pins.glob("*.txt")} == {path.stem for path in pins.glob("*.in")}
    for path in (ROOT / "requirements.txt", *pins.glob("*.txt")):
        lines = path.read_text().splitlines()
        odd = [line for line in lines if not re.match(r"    --hash=sha256:|[\w.\[\],-]+==", line)]
        assert not odd, (path.name, odd)


def test_every_environment_of_the_makefile_has_a_pin_file() -> None:
    named = set(
        re.findall(r"wheel-in-([a-z-]+)|\.envs/([a-z-]+)/bin", (ROOT / "Makefile").read_text())
    )
    assert named
    for name in {first or second for first, second in named}:
        assert (ROOT / "pins" / f"{name}.txt").exists(), name


def test_an_environment_for_the_wheel_has_every_package_that_it_needs() -> None:
    # pip is told not to look for what a pin file lacks.
    needed = {re.split(r"[<>=]", line)[0].lower() for line in PROJECT["dependencies"]}
    for path in (ROOT / "pins").glob("*.in"):
        if "pyproject.toml" in path.read_text():
            pinned = re.findall(r"^([\w.-]+)==", path.with_suffix(".txt").read_text(), re.MULTILINE)
            assert needed - set(pinned) == set(), path.name

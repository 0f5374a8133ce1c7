"""What goes out with a wheel."""

import json
import re
from importlib.metadata import distribution
from pathlib import Path

import pytest
from cyclonedx.output.json import JsonV1Dot6

import webseam
from release.audit import Advisory, asked, known_advisories, pinned_in, unsafe
from release.bom import bill_of, needs

ROOT = Path(__file__).parents[3]
PINNED = pinned_in((ROOT / "requirements.txt").read_text())
PACKAGE = Path(webseam.__file__).parent


def test_no_test_of_ours_is_in_the_package() -> None:
    names = {
        path.name
        for room in ("kernel", "ports", "adapters", "composition")
        for path in (PACKAGE / room).rglob("*")
    }

    assert not [
        name for name in names if name.startswith("test_") or name in ("tests", "conftest.py")
    ]


def test_no_pinned_package_is_on_the_local_list() -> None:
    assert unsafe(PINNED, known_advisories().advisories) == []


@pytest.mark.parametrize(
    ("version", "count"), [("0.9", 1), ("0.15.99", 1), ("0.16.0", 0), ("1", 0)]
)
def test_a_package_is_unsafe_before_the_version_that_mended_it(version: str, count: int) -> None:
    advisory = Advisory(id="CVE-1", package="h11", fixed="0.16.0")

    assert len(unsafe({"h11": version, "other": "0"}, [advisory])) == count


def test_a_package_that_the_database_skipped_is_not_known_to_it() -> None:
    report = {
        "dependencies": [
            {"name": "H11", "version": "0.9", "vulns": [{"id": "CVE-1"}]},
            {"name": "idna", "version": "3", "vulns": []},
            {"name": "ours", "skip_reason": "not found"},
        ]
    }

    assert asked(json.dumps(report).encode()) == ({"h11", "idna"}, ["H11: CVE-1"])


def test_the_bill_lists_what_the_package_needs_in_the_pinned_versions(tmp_path: Path) -> None:
    wheel = tmp_path / "webseam.whl"
    wheel.write_bytes(b"wheel")

    bill = json.loads(JsonV1Dot6(bill_of(wheel)).output_as_string())

    listed = {
        each["name"].lower().replace("_", "-"): each["version"] for each in bill["components"]
    }
    assert {name.lower() for name in needs(distribution("webseam"))} <= listed.keys()
    assert {name: PINNED[name] for name in listed} == listed
    assert bill["metadata"]["component"]["hashes"][0]["alg"] == "SHA-256"
    assert {"hypothesis", "pytest"}.isdisjoint(listed)


def test_every_promise_names_tests_that_are_there() -> None:
    page = (ROOT / "properties/promises.md").read_text()
    named = re.findall(r"`((?:tests|properties)/[\w/]+\.py)::(\w+)`", page)

    assert len(named) > 30
    assert [f"{file}::{name}" for file, name in named if not _has(ROOT / file, name)] == []


def _has(file: Path, name: str) -> bool:
    return (
        file.is_file() and re.search(rf"^def {name}\(", file.read_text(), re.MULTILINE) is not None
    )

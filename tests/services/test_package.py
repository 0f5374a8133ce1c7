"""A service from outside: the example package, built, installed into a folder, and found there."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.support import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "webseam-service-example"
LOOK = """
import json
from webseam.composition.wiring.service_backends import broken_services, find_service, installed_services
print(json.dumps([find_service("tidepool").unwrap().title, "tidepool" in installed_services(),
                  len(installed_services()), broken_services()]))
"""
# Two announcements of a package that are no services.
BROKEN = "[webseam.services]\ntidepool = nowhere:SERVICE\nstring = os:sep\n"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    source = shutil.copytree(EXAMPLE, folder / "source")
    target = folder / "packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, *offline, "--target", target, source], check=True, timeout=300)
    return target


def test_an_installed_package_brings_its_service(installed: Path) -> None:
    title, listed, count, broken = json.loads(run(installed, "-c", LOOK))

    assert (title, listed, broken) == ("Tidepool", True, {})
    assert count > 1


def test_the_tests_of_the_example_pass_where_it_is_installed(installed: Path) -> None:
    source = installed.parent / "source"

    replies = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=source)

    assert "4 passed" in replies


def test_the_command_line_knows_an_installed_service(installed: Path) -> None:
    answer = json.loads(run(installed, "-m", "webseam.composition.doors.cli", "backends", "--json"))
    (outcome,) = [one for one in answer["data"]["backends"] if one["name"] == "tidepool"]

    assert outcome["filters"]["include_domains"] == "emulated"
    assert "TIDEPOOL_API_KEY" in outcome["problem"]


def test_a_package_that_brings_no_service_is_told_of_and_harms_nobody(tmp_path: Path) -> None:
    announced = tmp_path / "broken-1.0.dist-info"
    announced.mkdir()
    (announced / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (announced / "entry_points.txt").write_text(BROKEN)
    look = LOOK.replace('find_service("tidepool").unwrap().title', '"-"')

    _, listed, count, broken = json.loads(run(tmp_path, "-c", look))

    assert not listed
    assert count > 1
    assert set(broken) == {"tidepool", "string"}
    assert broken["string"] == "it is not a Service"

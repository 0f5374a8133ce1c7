"""The example package: installed, it is found by itself, and its own tests pass."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "webseam-provider-example"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder)]
    subprocess.run([*command, str(EXAMPLE)], check=True, capture_output=True)
    return folder


def run(installed: Path, *arguments: str, **environment: str) -> str:
    around = {"PYTHONPATH": str(installed), "PATH": "", "HOME": str(installed), **environment}
    command = [sys.executable, *arguments]
    ended = subprocess.run(
        command, env=around, cwd=installed, capture_output=True, text=True, check=True
    )
    return ended.stdout


def test_an_installed_provider_is_listed_and_set_up_by_its_variable(installed: Path) -> None:
    module = ["-m", "webseam.composition.doors.cli", "models"]

    listed = run(installed, *module, "--configured", ACME_API_KEY="k")

    assert "\u203a acme " in listed
    assert "https://api.acme.example/v1" in listed
    assert "set ACME_API_KEY" in run(installed, *module)


def test_the_examples_own_tests_pass(installed: Path) -> None:
    tests = EXAMPLE / "test_webseam_provider_example.py"

    ended = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests))

    assert "2 passed" in ended

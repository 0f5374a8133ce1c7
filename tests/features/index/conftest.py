import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.run import Ran
from tests.features.index.commands import Command
from webseam.composition.doors.cli import main

from .shelf import put_back


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    yield
    put_back()


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line in this process, with an index and a cache of its own; nobody else is asked."""
    for name in [name for name in os.environ if name.startswith("WEBSEAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WEBSEAM_KEYLESS", "false")
    monkeypatch.setenv("WEBSEAM_INDEX", str(tmp_path / "index.sqlite"))
    monkeypatch.setenv("WEBSEAM_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str, **environment: str) -> Ran:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            code = main(arguments)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "cats.md").write_text("# Cats\n\nA cat purrs when it is content.")
    (folder / "dogs.txt").write_text("Dogs\n\nA dog barks.")
    return folder

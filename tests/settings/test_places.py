"""Where files are kept, on machines where there is no such place."""

import json
from pathlib import Path

import pytest

from tests.cli.run import webseam
from webseam.composition.places import config_file, is_file, is_there

# Asking the system about this name is an error, not an answer.
TOO_LONG = "/" + "x" * 300


def homeless() -> Path:
    message = "Could not determine home directory."
    raise RuntimeError(message)


def test_a_user_whom_the_machine_does_not_know_has_no_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "home", homeless)

    ran = webseam("backends", HOME="")

    assert config_file({}) == Path("/nonexistent/.config/webseam/config.yaml")
    assert (ran.code, ran.err) == (0, "")


def test_what_cannot_be_looked_at_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    assert (is_there(tmp_path), is_file(tmp_path)) == (True, False)
    assert (is_there(file), is_file(file)) == (True, True)
    assert (is_there(Path(TOO_LONG)), is_file(Path(TOO_LONG))) == (False, False)


def test_a_settings_file_that_cannot_be_looked_at_is_told_to_be_absent() -> None:
    ran = webseam("config", "path", "--json", WEBSEAM_CONFIG=TOO_LONG)

    assert json.loads(ran.out)["data"] == {"file": TOO_LONG, "exists": False}


def test_an_index_that_cannot_be_looked_at_is_told_with_its_setting() -> None:
    ran = webseam("search", "q", "--backend", "index", WEBSEAM_INDEX=TOO_LONG)

    assert ran.code == 4
    assert "its file cannot be opened. Its place is set by WEBSEAM_INDEX." in ran.err


def test_a_document_that_cannot_be_looked_at_is_told_by_its_name(tmp_path: Path) -> None:
    ran = webseam("index", "add", TOO_LONG, WEBSEAM_INDEX=str(tmp_path / "index.sqlite"))

    assert ran.code == 2
    assert f"webseam: {TOO_LONG}" in ran.err

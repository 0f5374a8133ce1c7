"""Where files are kept, on machines where there is no such place."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from platformdirs import macos, unix, windows

from tests.doors.cli.run import webseam
from tests.surroundings import NOWHERE
from webseam.composition.settings import file_locations
from webseam.composition.settings.file_locations import FileLocations, is_regular_file, path_exists

# Asking the system about this name is an error, not an answer.
TOO_LONG = "/" + "x" * 300


def homeless() -> Path:
    message = "Could not determine home directory."
    raise RuntimeError(message)


def test_a_user_whom_the_machine_does_not_know_has_no_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_locations, "_MISSING_HOME", NOWHERE)
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(file_locations, "_system_home", homeless)

    ran = webseam("backends", HOME="")

    assert FileLocations({}).config_file == NOWHERE / ".config/webseam/config.yaml"
    assert (ran.code, ran.err) == (0, "")


def test_an_empty_home_is_none_and_not_the_root_of_all_folders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pwd = pytest.importorskip("pwd")
    known = SimpleNamespace(pw_dir="/home/ada")
    monkeypatch.setattr(pwd, "getpwuid", {os.getuid(): known}.__getitem__)
    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("USERPROFILE", raising=False)

    assert FileLocations().home_folder == Path("/home/ada")
    assert FileLocations({"HOME": ""}).home_folder == Path("/home/ada")

    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)

    assert FileLocations().home_folder == Path("/nonexistent")


def test_stores_of_a_user_are_in_one_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(file_locations, "_IS_XDG", True)
    files = FileLocations({"XDG_DATA_HOME": str(tmp_path)})

    folders = {file.parent for file in (files.index_file, files.keys_file, files.ledger_file)}

    assert folders == {tmp_path / "webseam"}


def test_unreadable_path_does_not_exist(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    assert (path_exists(tmp_path), is_regular_file(tmp_path)) == (True, False)
    assert (path_exists(file), is_regular_file(file)) == (True, True)
    assert (path_exists(Path(TOO_LONG)), is_regular_file(Path(TOO_LONG))) == (False, False)


def test_a_settings_file_that_cannot_be_looked_at_is_told_to_be_absent() -> None:
    ran = webseam("config", "path", "--json", WEBSEAM_CONFIG=TOO_LONG)

    assert json.loads(ran.out)["data"] == {"file": TOO_LONG, "exists": False}


def test_an_index_that_cannot_be_looked_at_is_told_with_its_setting() -> None:
    ran = webseam("search", "q", "--backend", "index", WEBSEAM_INDEX=TOO_LONG)

    assert ran.code == 4
    assert "its file cannot be opened. Its location is set by WEBSEAM_INDEX." in ran.err


def test_a_document_that_cannot_be_looked_at_is_told_by_its_name(tmp_path: Path) -> None:
    ran = webseam("index", "add", TOO_LONG, WEBSEAM_INDEX=str(tmp_path / "index.sqlite"))

    assert ran.code == 2
    assert f"webseam: {TOO_LONG}" in ran.err


@pytest.mark.parametrize("variable", ["", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"])
def test_xdg_folders_are_those_of_platformdirs(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_locations, "_IS_XDG", True)
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    if variable:
        monkeypatch.setenv(variable, "/elsewhere")
    known = unix.Unix("webseam")

    assert FileLocations().cache_folder == known.user_cache_path
    assert FileLocations().config_file.parent == known.user_config_path
    assert FileLocations().index_file.parent == known.user_data_path


@pytest.mark.parametrize(
    ("system", "cache", "data"),
    [
        (
            macos.MacOS,
            "/home/ada/Library/Caches/webseam",
            "/home/ada/Library/Application Support/webseam",
        ),
        (windows.Windows, "/local/webseam", "/roaming/webseam"),
    ],
)
def test_other_systems_say_themselves_where_files_go(
    system: type, cache: str, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {"HOME": "/home/ada", "LOCALAPPDATA": "/local", "APPDATA": "/roaming"}
    for name, folder in folders.items():
        monkeypatch.setenv(name, folder)
    monkeypatch.setattr(file_locations, "_IS_XDG", False)
    monkeypatch.setattr("platformdirs.PlatformDirs", system)
    # What it falls back to where the system itself cannot be asked.
    from_variables = windows.get_win_folder_from_env_vars
    monkeypatch.setattr(windows, "get_win_folder", from_variables)

    assert FileLocations().cache_folder == Path(cache)
    assert FileLocations().config_file == Path(data) / "config.yaml"
    assert FileLocations().index_file == Path(data) / "index.sqlite"

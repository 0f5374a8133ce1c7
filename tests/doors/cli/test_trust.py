"""``webseam trust``, and how every other command tells what it left out."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.doors.cli.completing import offered
from tests.doors.cli.run import Ran, webseam
from tests.doors.cli.screens import Terminal
from webseam.composition.doors.cli import main

DOTENV = (
    "TAVILY_API_KEY=tvly-theirs\nWEBSEAM_PROXY=http://me:hunter2@proxy.example:1\n"
    "CUSTOM_SEARCH_API_KEY=hunter2\nDATABASE_URL=postgres://hunter2@x\nOPENAI_BASE_URL=https://e.example\x1b[2J\n"
)
LINE = "needs your yes first; left out: WEBSEAM_PROXY, CUSTOM_SEARCH_API_KEY, OPENAI_BASE_URL."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".env").write_text(DOTENV)
    monkeypatch.chdir(folder)
    return folder


def run(project: Path, *arguments: str, **environment: str) -> Ran:
    return webseam(*arguments, HOME=str(project.parent / "home"), **environment)


def data(ran: Ran) -> dict[str, object]:
    answer: dict[str, object] = json.loads(ran.out)["data"]
    return answer


def test_it_shows_names_and_only_what_is_no_key(project: Path) -> None:
    ran = run(project, "trust", "--yes")

    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"{project} is not trusted yet. It would set:",
        f"  WEBSEAM_PROXY = http://***@proxy.example:1  ({project}/.env:2)",
        f"  CUSTOM_SEARCH_API_KEY = ***  ({project}/.env:3)",
        f"  OPENAI_BASE_URL = https://e.example[2J  ({project}/.env:5)",
        f"Trusted: .env in {project}, until it changes.",
    ]
    assert "hunter2" not in ran.out + ran.err


def test_without_anybody_to_ask_it_writes_nothing(project: Path) -> None:
    plain, as_json = run(project, "trust"), run(project, "trust", "--json")

    assert (plain.code, as_json.code) == (2, 2)
    assert "--yes: is required without a terminal; nothing was written" in plain.err
    assert run(project, "trust", "--list").out == "No folder is trusted.\n"
    assert not (project.parent / "home/.local").exists()


@pytest.mark.parametrize(
    ("answer", "last"),
    [("y\n", "Trusted: .env in"), ("\n", "Nothing was changed."), ("", "Nothing was changed.")],
)
def test_a_person_is_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch, answer: str, last: str
) -> None:
    keyboard, screen = Terminal(), Terminal()
    keyboard.write(answer)
    keyboard.seek(0)
    monkeypatch.setattr(sys, "stdin", keyboard)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("HOME", str(project.parent / "home"))

    code = main(["trust"])

    assert code == 0
    assert "Trust these files as they are? [y/N] " in screen.getvalue()
    assert last in screen.getvalue()


def test_listing_and_revoking(project: Path) -> None:
    done = data(run(project, "trust", "--yes", "--json"))
    again = run(project, "trust")
    listed = run(project, "trust", "--list")
    as_json = data(run(project, "trust", "--list", "--json"))
    gone = run(project, "trust", "--revoke")
    twice = run(project, "trust", "--revoke", str(project), "--json")

    assert (done["trusted"], done["files"]) == (True, [".env"])
    assert again.out == f"{project} is trusted, as it is.\n"
    assert listed.out.startswith(f"{project}  .env  20")
    assert [each["folder"] for each in as_json["folders"]] == [str(project)]  # type: ignore[attr-defined]
    assert gone.out == f"{project} is trusted no more.\n"
    assert (twice.code, json.loads(twice.out)["success"]) == (2, False)


def test_revoking_for_programs_and_a_folder_elsewhere(project: Path) -> None:
    elsewhere = project / "inner"
    elsewhere.mkdir()
    (elsewhere / ".env").write_text("WEBSEAM_KEYLESS=yes\n")

    assert data(run(project, "trust", str(elsewhere), "--yes", "--json"))["trusted"] is True
    assert data(run(project, "trust", str(elsewhere), "--revoke", "--json")) == {
        "folder": str(elsewhere),
        "trusted": False,
    }


@pytest.mark.parametrize("content", ["", "TAVILY_API_KEY=k\nDATABASE_URL=x\n"])
def test_nothing_that_waits_needs_no_yes(project: Path, content: str) -> None:
    (project / ".env").write_text(content)

    assert run(project, "trust").out == f"{project} sets nothing that needs a yes.\n"
    assert data(run(project, "trust", "--json"))["would_set"] == []
    assert run(project, "trust", str(project / "no")).code == 2


def test_a_store_that_cannot_be_used_is_an_error(project: Path) -> None:
    (project.parent / "home/.local").write_text("no folder\n")

    assert run(project, "trust", "--yes").code == 4
    assert run(project, "trust", "--revoke").code in (2, 4)


def test_every_command_says_in_one_line_what_it_left_out(project: Path) -> None:
    for words in (
        ("policy", "check", "https://a.example", "--no-dns"),
        ("config", "show"),
        ("models",),
        ("backends",),
        ("plugins", "list"),
        ("doctor", "pages"),
    ):
        assert run(project, *words).err.count(LINE) == 1, words


def test_config_and_doctor_list_what_was_left_out_by_name(project: Path) -> None:
    shown, checked = run(project, "config", "show"), run(project, "doctor", "tavily")
    as_json = data(run(project, "config", "show", "--json"))["folder"]
    by_doctor = data(run(project, "doctor", "tavily", "--json"))["folder"]

    line = f"left out: WEBSEAM_PROXY ({project}/.env:2)"
    assert line in shown.out
    assert line in checked.out
    assert as_json == by_doctor
    assert as_json["left_out"][0] == {  # type: ignore[index]
        "name": "WEBSEAM_PROXY",
        "file": f"{project}/.env",
        "line": 2,
    }
    assert "hunter2" not in shown.out + checked.out + str(as_json)


@pytest.mark.parametrize("flag", ["--trust-folder", "--trust"])
def test_a_flag_of_any_command_says_yes_and_is_remembered(project: Path, flag: str) -> None:
    once = run(project, "policy", "check", "https://a.example", "--no-dns", flag)
    later = run(project, "config", "show", "--json")

    assert (once.err, later.err) == ("", "")
    assert data(later)["folder"]["standing"] == "trusted"  # type: ignore[index]
    assert "WEBSEAM_TRUST_FOLDER" not in os.environ


def test_a_change_asks_again(project: Path) -> None:
    run(project, "trust", "--yes")
    (project / ".env").write_text(f"{DOTENV}#\n")

    assert "has changed since you trusted it; left out:" in run(project, "models").err
    assert "has changed since you trusted it. It would set:" in run(project, "trust").out


def test_keys_in_a_settings_file_of_the_folder_do_not_show(project: Path) -> None:
    (project / "w.yaml").write_text(
        "json: {corp: {endpoint: https://e.example, headers: {X-A: hunter2}, api_key: hunter2}}\n"
    )

    ran = run(project, "trust", "--yes", WEBSEAM_CONFIG="w.yaml")

    assert f"  json.corp.headers.X-A = ***  ({project}/w.yaml:1)" in ran.out
    assert f"Trusted: .env, w.yaml in {project}, until it changes." in ran.out
    assert "hunter2" not in ran.out


def test_the_shell_completes_it() -> None:
    assert offered("tru") == ["trust"]
    assert {"--yes", "--list", "--revoke", "--json"} <= set(offered("trust", "--"))
    assert "--trust-folder" in offered("search", "--t")

"""Setting up clients: the right file, the right shape, and everything else as it was."""

import json
import stat
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest
import yaml
from returns.result import Failure, Success

from tests.doors.cli.api import running_api
from tests.surroundings import NOWHERE
from webseam.composition.doors.cli.commands.mcp import install_mcp_from_command, run
from webseam.composition.doors.mcp.client_changes import (
    client_config_snippet,
    plan_client_change,
    set_toml_table,
    write_client_change,
)
from webseam.composition.doors.mcp.jsonc import read_jsonc, set_jsonc
from webseam.composition.doors.mcp.mcp_clients import (
    CLIENTS,
    Launcher,
    Machine,
    make_server_launcher,
)
from webseam.composition.doors.mcp.server_check import check_mcp_server
from webseam.composition.doors.mcp.skill import skill_text

START = Launcher(command="/opt/webseam", args=("mcp",))
KEPT = {
    "json": '// mine\n{\n  "other": [1, 2], // kept\n}\n',
    "toml": '# mine\nother = 1 # kept\n\n[mcp_servers.other]\ncommand = "x"\n',
    "yaml": "# mine\nother: 1  # kept\n",
}
PLACES = {
    "linux": {
        "claude-desktop": ".config/Claude/claude_desktop_config.json",
        "claude-code": ".claude.json",
        "cursor": ".cursor/mcp.json",
        "vscode": ".config/Code/User/mcp.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
        "goose": ".config/goose/config.yaml",
        "opencode": ".config/opencode/opencode.json",
        "zed": ".config/zed/settings.json",
        "windsurf": ".codeium/windsurf/mcp_config.json",
        "hermes": ".hermes/config.yaml",
    },
    "darwin": {
        "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
        "vscode": "Library/Application Support/Code/User/mcp.json",
        "zed": ".config/zed/settings.json",
        "goose": ".config/goose/config.yaml",
    },
    "win32": {
        "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
        "vscode": "AppData/Roaming/Code/User/mcp.json",
        "zed": "AppData/Roaming/Zed/settings.json",
        "goose": "AppData/Roaming/Block/goose/config/config.yaml",
        "hermes": ".hermes/config.yaml",
    },
}


def machine(folder: Path, platform: str = "linux", **variables: str) -> Machine:
    return Machine(platform=platform, home=folder, variables=variables)


class Answers:
    """A console that answers ``text``, or hangs up."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def print_line(self, text: str, /) -> None: ...

    def ask_line(self, _question: str, /) -> str:
        if self._text is None:
            raise EOFError
        return self._text

    def ask_secret(self, _question: str, /) -> str:
        raise AssertionError


@pytest.mark.parametrize(
    ("platform", "name", "place"),
    [(system, name, place) for system, each in PLACES.items() for name, place in each.items()],
)
def test_each_file_is_where_the_client_looks(
    tmp_path: Path, platform: str, name: str, place: str
) -> None:
    assert CLIENTS[name].file(machine(tmp_path, platform)) == tmp_path / place


def test_variables_of_clients_move_their_files(tmp_path: Path) -> None:
    moved = machine(tmp_path, CODEX_HOME="/c", HERMES_HOME="/h", XDG_CONFIG_HOME="/x")

    assert CLIENTS["codex"].file(moved) == Path("/c/config.toml")
    assert CLIENTS["hermes"].file(moved) == Path("/h/config.yaml")
    assert CLIENTS["opencode"].file(moved) == Path("/x/opencode/opencode.json")
    local = machine(tmp_path, "win32", LOCALAPPDATA="/l", APPDATA="/a")
    assert CLIENTS["hermes"].file(local) == Path("/l/hermes/config.yaml")
    assert CLIENTS["claude-desktop"].file(local) == Path("/a/Claude/claude_desktop_config.json")


@pytest.mark.parametrize("name", CLIENTS)
def test_an_entry_is_added_and_everything_else_stays(tmp_path: Path, name: str) -> None:
    client, here = CLIENTS[name], machine(tmp_path)
    file = client.file(here)
    file.parent.mkdir(parents=True, exist_ok=True)
    before = KEPT[client.format]
    file.write_text(before)
    file.chmod(0o640)

    change = plan_client_change(client, START, here).unwrap()
    backup = write_client_change(change).unwrap()

    after = file.read_text()
    assert backup is not None
    assert backup.read_text() == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    entry = meaning(client.format, after)
    for part in client.path(None):
        entry = entry[part]  # type: ignore[index]  # any document
    assert "/opt/webseam" in json.dumps(entry)
    assert plan_client_change(client, START, here).unwrap().is_none


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("kept", [True, False])
def test_uninstall_takes_back_what_install_added(tmp_path: Path, name: str, *, kept: bool) -> None:
    client, here = CLIENTS[name], machine(tmp_path)
    file = client.file(here)
    before = KEPT[client.format] if kept else ""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before)
    skill = None if client.skills is None else client.skills(here) / "webseam" / "SKILL.md"

    assert install_mcp_from_command(client, START, here, None, yes=True) == 0
    assert skill is None or skill.read_text() == skill_text()
    assert install_mcp_from_command(client, None, here, None, yes=True) == 0
    assert "webseam" not in file.read_text()
    lines = [line for line in before.splitlines() if line not in file.read_text().splitlines()]
    assert lines == []
    rest = meaning(client.format, file.read_text()) or {}
    assert isinstance(rest, dict)
    assert {key: value for key, value in rest.items() if value} == (
        meaning(client.format, before) or {}
    )
    assert skill is None or not skill.parent.exists()
    assert install_mcp_from_command(client, None, here, None, yes=True) == 0


def test_an_entry_that_cannot_be_removed_safely_stays(tmp_path: Path) -> None:
    here, text = machine(tmp_path), '{"mcpServers": {"webseam": {"command": "x"}}, "other": 1}'
    file = CLIENTS["cursor"].file(here)
    assert install_mcp_from_command(CLIENTS["cursor"], None, here, None, yes=True) == 0
    assert not file.exists()
    file.parent.mkdir(parents=True)
    file.write_text(text)

    assert install_mcp_from_command(CLIENTS["cursor"], None, here, None, yes=True) == 3
    assert file.read_text() == text


def meaning(format_: str, text: str) -> object:
    if format_ == "toml":
        return tomllib.loads(text)
    return yaml.safe_load(text) if format_ == "yaml" else read_jsonc(text).unwrap()


@pytest.mark.parametrize("name", CLIENTS)
def test_a_file_that_is_not_there_is_made(tmp_path: Path, name: str) -> None:
    client, here = CLIENTS[name], machine(tmp_path)

    change = plan_client_change(client, START, here).unwrap()

    assert write_client_change(change) == Success(None)
    assert client.file(here).read_text() == client_config_snippet(client, START)


def test_install_keeps_what_stands_beside_our_entry(tmp_path: Path) -> None:
    here = machine(tmp_path)
    files = {
        "cursor": '{"mcpServers": {"webseam": {"command": "old", "env": {"A": "b"} /* mine */}}}',
        "codex": '[mcp_servers.webseam]\ncommand = "old"\ntool_timeout_sec = 9\n\n[mcp_servers.webseam.env]\nA = "b"\n',
        "hermes": "mcp_servers:\n  webseam:\n    command: old\n    timeout: 9 # mine\n",
    }
    for name, text in files.items():
        file = CLIENTS[name].file(here)
        file.parent.mkdir(parents=True)
        file.write_text(text)
        write_client_change(plan_client_change(CLIENTS[name], START, here).unwrap()).unwrap()
        after = file.read_text()
        assert "/opt/webseam" in after
        assert "old" not in after
        assert '"b"' in after or "timeout: 9 # mine" in after
    assert "/* mine */" in CLIENTS["cursor"].file(here).read_text()
    assert "tool_timeout_sec = 9" in CLIENTS["codex"].file(here).read_text()


def test_opencode_is_told_in_the_words_of_its_version(tmp_path: Path) -> None:
    here = machine(tmp_path)
    file = CLIENTS["opencode"].file(here)
    file.parent.mkdir(parents=True)
    file.with_suffix(".jsonc").write_text('{"mcp": {"servers": {}}}')

    change = plan_client_change(CLIENTS["opencode"], START, here).unwrap()

    assert change.file.suffix == ".jsonc"
    entry = json.loads(str(change.after))["mcp"]["servers"]["webseam"]
    assert entry == {"type": "local", "command": ["/opt/webseam", "mcp"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", "{"),
        ("cursor", '{"a": 1 "b": 2}'),
        ("cursor", "[1]"),
        ("cursor", '{"mcpServers": 5}'),
        ("cursor", "{'a': 1}"),
        ("cursor", '{"a":' + "[" * 500 + "]" * 500 + "}"),
        ("codex", "a = "),
        ("codex", "mcp_servers = 5"),
        ("codex", "[mcp_servers]\nwebseam = 5"),
        ("codex", 'mcp_servers = {webseam = {command = "old"}}'),
        ("hermes", "mcp_servers: [1]"),
    ],
)
def test_unsafe_client_file_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    client, here = CLIENTS[name], machine(tmp_path)
    client.file(here).parent.mkdir(parents=True)
    client.file(here).write_text(text)

    code = install_mcp_from_command(client, START, here, Answers("y"), yes=False)

    assert code == 3
    assert client.file(here).read_text() == text
    assert "Add this by hand:" in capsys.readouterr().err


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    here = machine(tmp_path)
    change = plan_client_change(CLIENTS["cursor"], START, here).unwrap()
    change.file.parent.mkdir(parents=True)
    change.file.write_text("{}")

    assert isinstance(write_client_change(change), Failure)
    assert change.file.read_text() == "{}"


@pytest.mark.parametrize(
    ("answer", "written"), [("y", True), ("yes", True), ("", False), ("n", False), (None, False)]
)
def test_nothing_is_written_without_a_yes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str | None, *, written: bool
) -> None:
    here = machine(tmp_path)

    code = install_mcp_from_command(CLIENTS["zed"], START, here, Answers(answer), yes=False)

    assert code == 0
    assert CLIENTS["zed"].file(here).exists() is written
    assert "+++" in capsys.readouterr().out


def test_without_a_terminal_a_flag_says_yes(tmp_path: Path) -> None:
    here = machine(tmp_path)

    assert install_mcp_from_command(CLIENTS["zed"], START, here, None, yes=False) == 2
    assert install_mcp_from_command(CLIENTS["zed"], START, here, None, yes=True) == 0
    assert install_mcp_from_command(CLIENTS["zed"], START, here, None, yes=True) == 0


def test_the_command_prints_for_any_client(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "--print"]) == 0
    assert json.loads(capsys.readouterr().out)["mcpServers"]["webseam"]["args"][-1] == "mcp"
    assert run(["install", "codex", "--print"]) == 0
    assert "[mcp_servers.webseam]" in capsys.readouterr().out
    assert run(["install"]) == 2
    assert "claude-code" in capsys.readouterr().err


def test_a_launcher_is_named_by_its_whole_path(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    script = python.parent / "webseam"

    def which(name: str) -> str | None:
        return f"/usr/bin/{name}"

    def start(way: str, executable: Path = python) -> Launcher:
        made = make_server_launcher(way, program="x", python=str(executable), which=which)  # type: ignore[arg-type]  # a table
        return made.unwrap()

    assert start("venv").args == ("-m", "webseam.composition.doors.cli", "mcp")
    script.touch()
    assert start("auto") == Launcher(command=str(script), args=("mcp",))
    assert start("uvx") == Launcher(command="/usr/bin/uvx", args=("webseam", "mcp"))
    assert start("pipx") == Launcher(command="/usr/bin/pipx", args=("run", "webseam", "mcp"))
    fleeting = Path("/home/a/.cache/uv/archive-v0/x/bin/python")
    assert start("auto", fleeting).command == "/usr/bin/uvx"
    missing = make_server_launcher("uvx", which=lambda _: None)
    assert "--with venv" in missing.failure().message


def test_a_script_elsewhere_is_found_by_how_it_was_started(tmp_path: Path) -> None:
    script = tmp_path / "webseam"
    script.touch()

    made = make_server_launcher(
        "venv", program=str(script), python=str(tmp_path / "none" / "python")
    )

    assert made == Success(Launcher(command=str(script), args=("mcp",)))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ /* a */ }",
        '{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
        '{"a": {}, }',
        '\ufeff{\r\n  "a": {"b": [1, "//no"]} // c\r\n}\r\n',
        '{"a": {"x": 5}}',
        "",
    ],
)
def test_a_value_is_set_whatever_the_text_looks_like(text: str) -> None:
    changed = set_jsonc(text, ("a", "x", "y") if '"x"' not in text else ("a", "x"), {"z": "ü"})

    whole = read_jsonc(changed.unwrap()).unwrap()
    assert isinstance(whole, dict)
    assert "ü" in json.dumps(whole["a"], ensure_ascii=False)
    assert "//no" in changed.unwrap() or "//no" not in text
    assert ("\r\n" in text) == ("\r\n" in changed.unwrap())


def test_a_table_is_set_in_a_text_with_windows_lines() -> None:
    changed = set_toml_table("a = 1\r\n", ("s", "w"), {"command": "x"}).unwrap()

    assert changed == 'a = 1\r\n\r\n[s.w]\r\ncommand = "x"\r\n'


def test_our_own_server_passes_its_check_while_its_service_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSEAM_CONFIG", str(tmp_path / "none.yaml"))
    monkeypatch.setenv("WEBSEAM_BACKEND", "json")
    monkeypatch.setenv("HOME", str(tmp_path))
    own = Launcher(command=sys.executable, args=("-m", "webseam.composition.doors.cli", "mcp"))

    with running_api() as api:
        monkeypatch.setenv("WEBSEAM_JSON_SEARCH_URL", api.url("search"))
        findings = check_mcp_server(own)
    away = check_mcp_server(own)

    names = ["start", "revisions", "tools", "a search"]
    assert [(finding.name, finding.fine) for finding in findings] == [(it, True) for it in names]
    assert [finding.name for finding in away if not finding.fine] == ["a search"]


def test_an_interrupted_check_leaves_no_clock_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object, **_options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    before = set(threading.enumerate())

    with pytest.raises(KeyboardInterrupt):
        check_mcp_server(Launcher(command=sys.executable, args=("-c", "pass")), seconds=20)

    left = [each for each in threading.enumerate() if each not in before and not each.daemon]
    assert left == []


@pytest.mark.parametrize(
    "start",
    [
        Launcher(command=str(NOWHERE), args=()),
        Launcher(command=sys.executable, args=("-c", "pass")),
        Launcher(command=sys.executable, args=("-c", "print('nonsense')")),
    ],
)
def test_a_server_that_does_not_answer_is_told(start: Launcher) -> None:
    (finding,) = check_mcp_server(start, seconds=20)

    assert (finding.name, finding.fine) == ("start", False)

"""``webseam config``: every value with its origin, and no key."""

import io
import json
from pathlib import Path

import pytest

from tests.doors.cli.run import webseam_process
from webseam.composition.doors.cli import main
from webseam.composition.wiring.service_backends import installed_services

SERVICE = next(
    name
    for name, service in installed_services().items()
    if [option.name for option in service.options] == ["api_key"]
)
KEY = f"WEBSEAM_{SERVICE.upper()}_API_KEY"
CONFIG = f"""\
backend: {SERVICE}
custom_api_key: top-secret-1
services:
  {SERVICE}:
    api_key: [top-secret-2, top-secret-3]
    base_url: https://search.corp/v1?note=top-secret-2
json:
  mine:
    url_template: "https://a.example/?token=top-secret-4&q={{query}}"
    headers: {{Authorization: Bearer top-secret-5, Accept: text/json}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    path.chmod(0o600)
    return path


def test_each_value_is_shown_with_its_origin_and_no_key_is(config: Path) -> None:
    ran = webseam_process(
        "config",
        "show",
        "--all",
        WEBSEAM_CONFIG=str(config),
        WEBSEAM_TIMEOUT="9",
        **{KEY: "top-secret-6", "WEBSEAM_JSON_API_KEY": "top-secret-7"},
    )

    assert (ran.code, ran.err) == (0, "")
    lines = {line.partition(":")[0]: line.split()[1:] for line in ran.out.splitlines() if line}
    assert lines["settings file"][-1] == str(config)
    assert lines["backend"] == [SERVICE, f"{config}:1"]
    assert lines["timeout"] == ["9.0", "WEBSEAM_TIMEOUT"]
    assert lines["cache.enabled"] == ["yes", "default"]
    assert lines["custom_api_key"] == ["***", f"{config}:2"]
    assert lines[f"services.{SERVICE}.api_key"] == ["***", KEY]
    assert lines["json.mine.headers.Accept"] == ["text/json", f"{config}:10"]
    assert lines["services.json.api_key"] == ["***", "WEBSEAM_JSON_API_KEY"]
    assert "top-secret" not in ran.out


def test_config_show_counts_defaults_without_listing_them(config: Path) -> None:
    ran = webseam_process("config", "show", WEBSEAM_CONFIG=str(config))

    assert f"{config}:1" in ran.out
    assert " default\n" not in ran.out
    assert ran.out.endswith(
        " settings have their defaults; webseam config show --all lists them.\n"
    )


def test_json_says_the_same(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))

    code = main(["config", "show", "--json"])

    output = capsys.readouterr().out
    data = json.loads(output)["data"]
    found = {row["key"]: row for row in data["settings"]}
    assert (code, data["file"], data["exists"]) == (0, str(config), True)
    assert found[f"services.{SERVICE}.api_key"] == {
        "key": f"services.{SERVICE}.api_key",
        "value": ["***", "***"],
        "origin": {"layer": "file", "name": str(config), "line": 5},
    }
    assert found[f"services.{SERVICE}.base_url"]["value"] == "https://search.corp/v1?note=***"
    assert "top-secret" not in output


def test_a_problem_is_told_beside_the_values(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(
        f"services: {{{SERVICE}s: {{x: 1}}, {SERVICE}: {{y: 2, api_key: secret-key}}}}\n"
        "policy: {ports: [0]}\n"
    )
    config.chmod(0o644)
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))

    codes = [main(["config", "show"]), main(["config", "show", "--json"])]

    printed = capsys.readouterr()
    assert codes == [3, 3]
    assert [line.partition(": ")[2] for line in printed.err.splitlines()] == [
        f"{config} holds a key and other users can read it; run: chmod 600 {config}",
        f"{config}:2: policy.ports: 0 is not a port.",
        f"{config}:1: services.{SERVICE}s: is not a service; {SERVICE} is.",
        f"{config}:1: services.{SERVICE}.y: is not an option of {SERVICE}; there are allow_plain_http, api_key, base_url.",
    ]
    assert '"success": false' in printed.out
    assert "secret-key" not in printed.out + printed.err


def test_a_service_of_the_users_own_is_shown_as_it_counts(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(
        "json: {mine: {url_template: 'https://a.example/{query}', api_key: k-file-1}}\n"
    )
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))
    monkeypatch.setenv("WEBSEAM_MINE_API_KEY", "k-process-1")
    codes = [main(["config", "show"])]
    config.write_text("json: {mine: {auth: basic}}\n")
    codes.append(main(["config", "show"]))

    printed = capsys.readouterr()
    assert codes == [0, 3]
    (line,) = [line for line in printed.out.splitlines() if line.startswith("json.mine.api_key")]
    assert line.split() == ["json.mine.api_key:", "***", "WEBSEAM_MINE_API_KEY"]
    assert (
        printed.err
        == f"webseam: {config}:1: json.mine.auth: must be one of none, bearer, header, query.\n"
    )


def test_a_file_that_cannot_be_read_is_said(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text("backend: [\n")
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))

    assert main(["config", "show"]) == 3
    assert capsys.readouterr().err.startswith(f"webseam: {config}:1: the settings file: is not")


def test_the_path_is_where_the_file_is_or_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBSEAM_CONFIG", str(tmp_path / "none.yaml"))

    codes = [main(["config", "path"]), main(["config", "path", "--json"]), main(["config", "show"])]

    output = capsys.readouterr().out
    assert codes == [0, 0, 0]
    assert output.startswith(f"{tmp_path}/none.yaml\n{{\n")
    assert '"exists": false' in output
    assert f"settings file: {tmp_path}/none.yaml (not there)" in output


def test_bytes_that_are_no_text_are_shown_without_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBSEAM_CONFIG", f"{tmp_path}/\udcff.yaml")
    monkeypatch.setenv("WEBSEAM_CUSTOM_MODEL", "a\udcff")
    monkeypatch.setattr("sys.stdin", io.StringIO())

    codes = [
        main(["config", "show"]),
        main(["config", "show", "--json"]),
        main(["config", "path"]),
        main(["setup", "--set", "backend=a", "--json"]),
    ]

    assert codes == [0, 0, 0, 0]
    assert f"{tmp_path}/?.yaml" in capsys.readouterr().out

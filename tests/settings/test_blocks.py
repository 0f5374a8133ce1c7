"""The settings file and the environment: what may be fetched."""

import sys
from pathlib import Path

import pytest
from returns.result import Result, Success

from webseam.adapters.pages.settings import BrowserSettings
from webseam.composition.settings.checks import policy_of
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.loader import load_settings
from webseam.kernel.policy import Policy, PolicySettings, explain, make_policy
from webseam.ports import InvalidSetting


def read_policy(environment: dict[str, str]) -> Result[Policy, InvalidSetting]:
    return load_settings(environment).bind(policy_of)


def written(tmp_path: Path, text: str | bytes) -> dict[str, str]:
    path = tmp_path / "config.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return {"WEBSEAM_CONFIG": str(path)}


def test_without_a_file_the_policy_is_the_default(tmp_path: Path) -> None:
    assert read_policy({"WEBSEAM_CONFIG": str(tmp_path / "none.yaml")}) == Success(Policy())


@pytest.mark.parametrize("text", ["", "policy:\n", "policy:\n  ports:\n", "# nothing\n"])
def test_an_empty_file_or_block_is_the_same_as_none(tmp_path: Path, text: str) -> None:
    assert read_policy(written(tmp_path, text)) == Success(Policy())


def test_the_file_and_then_the_environment_are_read(tmp_path: Path) -> None:
    settings = written(
        tmp_path, "policy:\n  allow_private: [10.0.0.0/8]\n  ports: [80, 9000]\n  nat64: decode\n"
    )
    settings["WEBSEAM_POLICY_PORTS"] = "443, 9001"
    settings["WEBSEAM_POLICY_ALLOW_DOWNGRADE"] = "true"

    expected = PolicySettings(
        allow_private=("10.0.0.0/8",), ports=(443, 9001), nat64="decode", allow_downgrade=True
    )
    assert read_policy(settings) == make_policy(expected)


@pytest.mark.parametrize(
    ("text", "line", "setting", "reason"),
    [
        (
            "policy: [",
            ":1",
            "the settings file",
            "is not valid YAML (did not find expected node content)",
        ),
        (
            "policy:\n  ports: {",
            ":2",
            "the settings file",
            "is not valid YAML (did not find expected node content)",
        ),
        (b"\xff\xfe\xff", "", "WEBSEAM_CONFIG", "is not UTF-8 text"),
        ("- a\n", ":1", "the settings file", "must hold settings such as backend: NAME"),
        ("policy: 5\n", ":1", "policy", "must be a block of settings"),
        ("polisy: {}\n", ":1", "polisy", "is not a setting; policy is"),
        (
            "policy:\n  allow_privat: true\n",
            ":2",
            "policy.allow_privat",
            "is not a setting; policy.allow_private is",
        ),
        (
            "policy:\n  allow_private: [10.0.0.0/99]\n",
            ":2",
            "policy.allow_private",
            "'10.0.0.0/99' is not a range of addresses such as 10.1.2.0/24 or 10.1.2.0/24:8080",
        ),
        (" " * (1024 * 1024 + 1), "", "WEBSEAM_CONFIG", "is larger than 1048576 bytes"),
    ],
    ids=str,
)
def test_unreadable_policy_is_an_error(
    tmp_path: Path, text: str | bytes, line: str, setting: str, reason: str
) -> None:
    assert read_policy(written(tmp_path, text)).failure() == InvalidSetting(
        setting=setting, place=f"{tmp_path / 'config.yaml'}{line}", reason=reason
    )


def test_the_proxy_is_read_from_the_policy_block_and_no_other_variable(tmp_path: Path) -> None:
    settings = written(tmp_path, "policy:\n  proxy: http://proxy.corp:3128\n")
    none = {"WEBSEAM_CONFIG": str(tmp_path / "none.yaml")}

    def proxy_of(environment: dict[str, str]) -> str | None:
        proxy = read_policy(environment).unwrap().proxy
        return None if proxy is None else proxy.authority

    assert proxy_of(settings) == "proxy.corp:3128"
    assert proxy_of({**settings, "WEBSEAM_POLICY_PROXY": "http://other:8080"}) == "other:8080"
    assert proxy_of({**none, "HTTP_PROXY": "http://a:1", "ALL_PROXY": "http://b:2"}) is None
    assert (
        read_policy({**none, "WEBSEAM_POLICY_PROXY": "https://a:1"}).failure().setting
        == "policy.proxy"
    )


def browser_of(environment: dict[str, str]) -> Result[BrowserSettings, InvalidSetting]:
    return load_settings(environment).map(lambda settings: settings.render.program)


def test_the_browser_is_read_from_its_own_block(tmp_path: Path) -> None:
    settings = written(tmp_path, "render:\n  browser: /opt/chromium\n  sandbox: false\n")

    assert browser_of(settings) == Success(BrowserSettings(browser="/opt/chromium", sandbox=False))
    assert browser_of({**settings, "WEBSEAM_RENDER_BROWSER": "chrome"}).unwrap().browser == "chrome"
    assert read_policy(settings) == Success(Policy())
    assert browser_of({"WEBSEAM_RENDER_SANDBOX": "maybe"}).failure().setting == "render.sandbox"


def test_a_file_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    failure = read_policy({"WEBSEAM_CONFIG": str(tmp_path)}).failure()

    assert failure.setting == "WEBSEAM_CONFIG"
    assert (failure.place, failure.reason) == (str(tmp_path), "cannot be read: is a directory")


def test_the_settings_file_is_the_named_one_or_the_platforms(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "APPDATA": str(tmp_path)}

    assert FileLocations({"WEBSEAM_CONFIG": "/x/y.yaml"}).config_file == Path("/x/y.yaml")
    assert tmp_path in FileLocations(home).config_file.parents
    assert FileLocations(home).config_file.parts[-2:] == ("webseam", "config.yaml")


@pytest.mark.parametrize("platform", ["darwin", "win32", "linux"])
def test_every_platform_has_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)

    assert tmp_path in FileLocations({"HOME": str(tmp_path)}).cache_folder.parents
    assert tmp_path in FileLocations({"HOME": str(tmp_path)}).config_file.parents


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://wiki.corp:3000/",
        "http://[fd00::1]:8080/",
        "http://a.example:9000/",
    ],
)
def test_the_setting_that_a_refusal_names_opens_the_url_when_it_is_written_down(
    tmp_path: Path, url: str
) -> None:
    block, _, entry = (explain(url, Policy()).setting or "").partition(".")

    policy = read_policy(written(tmp_path, f"{block}:\n  {entry}\n")).unwrap()

    assert block == "policy"
    assert explain(url, policy).verdict == "allow"

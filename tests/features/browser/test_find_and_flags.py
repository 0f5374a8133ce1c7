"""Which browser is used, and what it is started with."""

from pathlib import Path

import pytest

from webseam.adapters.features.browser.browser_command import (
    browser_environment,
    chromium_flags,
    find_browser,
)
from webseam.ports.errors import NotConfigured, UnsupportedCapability


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def test_the_first_of_the_usual_browsers_is_taken(tmp_path: Path) -> None:
    program(tmp_path, "google-chrome")
    expected = program(tmp_path, "chromium-browser")

    assert find_browser(None, {"PATH": str(tmp_path)}).unwrap() == expected


def test_a_named_browser_is_taken_by_name_or_path(tmp_path: Path) -> None:
    program(tmp_path, "chromium")
    expected = program(tmp_path, "my-browser")
    path = {"PATH": str(tmp_path)}

    assert find_browser("my-browser", path).unwrap() == expected
    assert find_browser(expected, {"PATH": ""}).unwrap() == expected


def test_a_named_browser_that_is_not_there_is_not_replaced_by_another(tmp_path: Path) -> None:
    program(tmp_path, "chromium")

    failure = find_browser("my-browser", {"PATH": str(tmp_path)}).failure()

    assert isinstance(failure, NotConfigured)
    assert failure.message == (
        "'my-browser' is not a program on this machine. Set render.browser to Chromium or Chrome."
    )


def test_without_a_browser_the_fix_is_named(tmp_path: Path) -> None:
    failure = find_browser(None, {"PATH": str(tmp_path)}).failure()

    assert isinstance(failure, NotConfigured)
    assert "Install one" in failure.message
    assert "render.browser" in failure.message


def test_systems_without_process_groups_are_told_so() -> None:
    failure = find_browser(None, {}, system="nt").failure()

    assert failure == UnsupportedCapability(capability="render pages on this system")


@pytest.mark.parametrize(
    "flag",
    [
        "--proxy-server=http://127.0.0.1:4321",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--disable-quic",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-background-networking",
        "--disable-extensions",
        "--user-data-dir=/somewhere/profile",
        "--headless",
        "--remote-debugging-pipe",
    ],
)
def test_the_browser_has_one_way_out_and_an_empty_profile(flag: str) -> None:
    assert flag in chromium_flags("/somewhere", 4321, sandbox=True)


def test_the_sandbox_is_on_unless_it_is_turned_off() -> None:
    assert "--no-sandbox" not in chromium_flags("/somewhere", 1, sandbox=True)
    assert "--no-sandbox" in chromium_flags("/somewhere", 1, sandbox=False)


def test_neither_keys_nor_proxies_nor_folders_are_handed_on() -> None:
    environment = {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "HOME": "/home/me",
        "TAVILY_API_KEY": "secret",
        "https_proxy": "http://proxy",
        "SSLKEYLOGFILE": "/keys",
    }

    assert browser_environment("/somewhere", environment) == {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "HOME": "/somewhere",
        "TMPDIR": "/somewhere",
        "XDG_CACHE_HOME": "/somewhere",
        "XDG_CONFIG_HOME": "/somewhere",
        "XDG_DATA_HOME": "/somewhere",
    }

"""The quick look for optional tools never overlooks one that the settings make ready."""

import asyncio
from itertools import product
from pathlib import Path

import msgspec
import pytest

from webseam.composition.doors.mcp.tool_signs import has_optional_tool_signs
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import ALWAYS_TOOLS, WebOffer
from webseam.composition.settings.checks import known_setting_keys
from webseam.composition.settings.vendors import VENDORS
from webseam.composition.tools.toolbox import ToolboxOverrides

TEXTS = ("true", "xai/grok-4.3", "a-key-of-twenty-characters")
VALUES = (True, ["xai/grok-4.3"], *TEXTS[1:])


def real_names(environment: dict[str, str]) -> tuple[str, ...]:
    return asyncio.run(UsersTools(ToolboxOverrides(environment=environment)).names())


def test_every_variable_and_setting_of_an_optional_tool_is_a_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    file = tmp_path / "config" / "webseam" / "config.yaml"
    file.parent.mkdir(parents=True)
    assert not has_optional_tool_signs(home)
    assert real_names(home) == ()
    services = {
        name
        for options in VENDORS.service_keys.values()
        for names in options.values()
        for name in names
    }
    providers = {name for names in VENDORS.provider_keys.values() for name in names}
    found = set[str]()
    settings = {name for key in known_setting_keys().values() for name in key.variables}
    for variable, text in product(sorted(services | providers | settings), TEXTS):
        environment = {**home, variable: text}
        ready = real_names(environment)
        found |= {*ready}
        assert not ready or has_optional_tool_signs(environment), variable
    for path in known_setting_keys():
        for value in VALUES:
            written: object = value
            for name in reversed(path):
                written = {name: written}
            file.write_bytes(msgspec.json.encode(written))
            ready = real_names(home)
            found |= {*ready}
            assert not ready or has_optional_tool_signs(home), path
    assert found == {"x_search", "web_ask"}, "each was ready once, so the law was tried"


@pytest.mark.parametrize("name", ["config/webseam/config.yaml", "config/webseam/.env", ".env"])
def test_a_sign_in_any_file_of_settings_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    for text, is_sign in (
        ("backend: tavily\n", False),
        ("XAI_API_KEY=k\n", True),
        ("\\x61", True),
        ("mcp:\n  result_form: text\n", True),
    ):
        file.write_text(text)
        assert has_optional_tool_signs(home) is is_sign, text
    file.write_bytes(b"\xff")
    assert has_optional_tool_signs(home)


def test_the_list_without_loading_is_the_list_that_is_loaded() -> None:
    def make() -> UsersTools:
        return UsersTools(ToolboxOverrides(environment={}))

    at_once = WebOffer(make, lambda: False).tools_at_once()

    assert at_once == asyncio.run(WebOffer(make).tools()) == [*ALWAYS_TOOLS]
    assert WebOffer(make).tools_at_once() is None

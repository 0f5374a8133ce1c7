"""The entry for the MCP registry: a release adds its version and the owner's name."""

import json
from pathlib import Path

from release.urls import owner_address

ROOT = Path(__file__).parents[3]


def test_the_entry_starts_this_package() -> None:
    entry = json.loads((ROOT / "packaging/server.json").read_text("utf-8"))
    (package,) = entry["packages"]

    assert len(entry["description"]) <= 100
    assert package["identifier"] == "webseam"
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]


def test_nothing_names_an_owner_before_the_setting_does() -> None:
    if not owner_address():
        assert "mcp-name:" not in (ROOT / "README.md").read_text("utf-8")

"""The manifest for the registry agrees with the package."""

import json
from pathlib import Path

import webseam

ROOT = Path(__file__).parents[2]


def test_the_manifest_names_this_package_at_this_version() -> None:
    manifest = json.loads((ROOT / "server.json").read_text("utf-8"))
    (package,) = manifest["packages"]

    assert manifest["version"] == package["version"] == webseam.__version__
    assert len(manifest["description"]) <= 100
    assert manifest["name"].count("/") == 1
    assert package["identifier"] == "webseam"
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]


def test_the_readme_shows_the_registry_whose_the_package_is() -> None:
    manifest = json.loads((ROOT / "server.json").read_text("utf-8"))

    assert f"mcp-name: {manifest['name']}" in (ROOT / "README.md").read_text("utf-8")

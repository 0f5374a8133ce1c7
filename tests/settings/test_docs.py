"""The examples of docs/settings.md are read as they stand there, and each setting is in a table."""

import re
from pathlib import Path

import pytest

from webseam.composition.settings.checks import known_setting_keys
from webseam.composition.settings.entries import setting_path_text
from webseam.composition.settings.json_services import custom_json_services

from .support import load, wrong

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_an_example_of_a_file_can_be_read(example: str, tmp_path: Path) -> None:
    settings = load(tmp_path, example).unwrap()

    assert len(list(settings.entries)) > 3
    assert set(custom_json_services(settings).unwrap()) == set(
        settings.entries.names_below(("json",))
    )


def test_setting_is_in_the_table_of_its_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    rows = [line for line in pages.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`([a-z0-9_.]+)`", row)}

    assert {setting_path_text(path) for path in known_setting_keys()} <= listed


def test_the_message_is_what_is_really_said(tmp_path: Path) -> None:
    said = wrong(tmp_path, "\n\ncache:\n  minuts: 5\n")

    assert f"webseam: {said}\n" in PAGE

"""The examples of docs/x-search.md are run as they stand there."""

import os
import re
from pathlib import Path

import pytest
import yaml

from tests.features.models.x_search.imitation import imitation
from tests.features.models.x_search.serving import KEY
from webseam.composition.features.models.commands.x import command_line
from webseam.composition.features.models.settings import XSearchSettings
from webseam.composition.settings.loader import load_settings

PAGE = (Path(__file__).parents[4] / "docs" / "x-search.md").read_text(encoding="utf-8")
REPORTS = '{"reports": [{"handle": "alice", "place": null, "damage": true}]}'


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def run(example: str) -> None:
    exec(compile(example, "docs/x-search.md", "exec"), {"__name__": "example"})  # noqa: S102  our own page


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("XAI_", "WEBSEAM_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_a_type_and_a_follow_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with imitation(REPORTS) as xai:
        monkeypatch.setenv("XAI_API_KEY", KEY)
        monkeypatch.setenv("XAI_BASE_URL", xai.url)
        run(blocks("python")[0])

    assert capsys.readouterr().out == (
        f"Reports(reports=[Report(handle='alice', place=None, damage=True)])\n{REPORTS}\n"
    )
    assert xai.kept == ["response-1", "response-2"]


def test_without_a_key_the_example_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    run(blocks("python")[0])

    assert capsys.readouterr().out == "xAI has no key. Set XAI_API_KEY.\n"


def test_the_settings_are_ones(tmp_path: Path) -> None:
    (block,) = blocks("yaml")
    (tmp_path / "config.yaml").write_text(block)
    loaded = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "config.yaml")}).unwrap()

    settings = loaded.of(XSearchSettings)
    assert yaml.safe_load(block)["x_search"]["model"] == settings.model
    assert (settings.reasoning_effort, settings.retries) == ("low", 2)


def test_every_option_is_told_of() -> None:
    named = re.findall(r"--[a-z-]+", command_line().format_help())

    assert {name for name in named if f"`{name}" not in PAGE} <= {
        "--help",
        "--trust-folder",  # every command has it
    }

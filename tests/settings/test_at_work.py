"""Settings at work: what the file says is what the commands do."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.run import Ran, webseam
from webseam.composition.doors.cli.commands.demo import DemoApi, open_demo_api

PAGE = "https://webseam.example/failures"


@pytest.fixture
def api() -> Iterator[DemoApi]:
    with open_demo_api() as running:
        yield running


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.touch(mode=0o600)
    return path


def run(config: Path, *arguments: str, **environment: str) -> Ran:
    cache = str(config.parent / "cache")
    return webseam(*arguments, WEBSEAM_CONFIG=str(config), WEBSEAM_CACHE=cache, **environment)


def test_a_service_that_the_file_describes_is_searched_by_its_name(
    config: Path, api: DemoApi
) -> None:
    config.write_text(
        f"backend: mine\njson:\n  mine:\n    endpoint: {api.url('search')}\n"
        "    body: {query: '{query}'}\n    results_path: results\n    fields: {snippet: description}\n"
        "    api_key: not-so-secret\n"
    )
    config.chmod(0o644)

    ran = run(config, "search", "bad row", "--json")

    document = json.loads(ran.out)
    assert (ran.code, document["success"]) == (0, True)
    assert document["data"]["web"]
    assert (
        ran.err
        == f"webseam: {config} holds a key and other users can read it; run: chmod 600 {config}\n"
    )


def test_the_usual_length_of_a_page_is_a_setting(config: Path, api: DemoApi) -> None:
    config.write_text(
        f"extract_char_limit: 60\nservices: {{json: {{extract_url: '{api.url('extract')}'}}}}\n"
    )

    short = run(config, "extract", PAGE)
    longer = run(config, "extract", PAGE, "--max-chars", "100000")

    assert "webseam more" in short.out
    assert "webseam more" not in longer.out


@pytest.mark.parametrize(
    ("cache", "answers"), [("false", 0), ("{minutes: 5}", 1), ("{size: 1}", 1)]
)
def test_whether_answers_are_kept_is_a_setting(
    config: Path, api: DemoApi, cache: str, answers: int
) -> None:
    config.write_text(
        f"cache: {cache}\nservices: {{json: {{search_url: '{api.url('search')}'}}}}\n"
    )

    searched = run(config, "search", "bad row")
    counted = run(config, "cache", "stats", "--json")

    assert searched.code == 0
    assert json.loads(counted.out)["data"]["answers"] == answers


def test_a_wrong_setting_ends_every_command_with_its_place(config: Path) -> None:
    config.write_text("\ncach: {minutes: 5}\n")

    for command in (["search", "x"], ["extract", PAGE], ["backends"], ["setup"]):
        ran = run(config, *command)
        assert (ran.code, ran.err) == (
            3,
            f"webseam: {config}:2: cach: is not a setting; cache is.\n",
        )

"""YAML that does not behave."""

from pathlib import Path

import pytest

from tests.settings.support import BOMB
from webseam.composition.settings.yaml_nodes import MAX_DEPTH, MAX_NODES

from .support import load, wrong


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "a: b: c\n",
            "config.yaml:1: the settings file: is not valid YAML (mapping values are not allowed in this context).",
        ),
        ("backend: *x\n", "config.yaml:1: the settings file: points to 'x', which is not there."),
        (
            "services: &a {b: *a}\n",
            "config.yaml:1: the settings file: points to 'a', which is not there.",
        ),
        (
            "backend: a\n---\nbackend: b\n",
            "config.yaml:2: the settings file: holds more than one document.",
        ),
        ("? [a]\n: b\n", "config.yaml:2: the settings file: has a key that is not a text."),
        (
            "backend: !!python/name:os.system x\n",
            "config.yaml:1: the settings file: has a tag 'tag:yaml.org,2002:python/name:os.system' that means nothing here.",
        ),
        (
            "backend: !!binary aGk=\n",
            "config.yaml:1: the settings file: has a tag 'tag:yaml.org,2002:binary' that means nothing here.",
        ),
        (
            "plugins: !!set {a}\n",
            "config.yaml:1: the settings file: has a tag 'tag:yaml.org,2002:set' that means nothing here.",
        ),
        (
            "services: " + "[" * 100_000,
            f"config.yaml:1: the settings file: is nested more than {MAX_DEPTH} levels deep.",
        ),
        (
            "plugins: [" + "a, " * MAX_NODES + "]",
            f"config.yaml:1: the settings file: holds more than {MAX_NODES} values.",
        ),
        ("<<: {backend: a}\n", "config.yaml:1: <<: is not a setting."),
        (
            "json: {x: {y: [" + "[a], " * 9_999 + "]}}\n",
            "config.yaml:1: json.x.y: the file holds more than 10000 values.",
        ),
        ("backend: \x07\n", "config.yaml: the settings file: is not valid YAML."),
    ],
    ids=lambda text: text[:30],
)
def test_a_text_that_is_no_settings_file_is_refused_in_words(
    tmp_path: Path, config: str, message: str
) -> None:
    assert wrong(tmp_path, config) == message


def test_a_bomb_is_not_lit(tmp_path: Path) -> None:
    config = "json:\n  x:\n" + "".join(f"    {line}\n" for line in BOMB.splitlines())

    assert wrong(tmp_path, config).endswith("the file holds more than 10000 values.")


def test_an_alias_is_read_where_it_points(tmp_path: Path) -> None:
    config = "backend: &it lumen\nsearch_backend: *it\nextract_backend: !!str torch\n"

    settings = load(tmp_path, config).unwrap()

    assert (settings.search_backend, settings.extract_backend) == ("lumen", "torch")


def test_numbers_that_are_none_are_texts(tmp_path: Path) -> None:
    # 0b_ has the look of a binary number, and the other one is too long for any.
    config = f"backend: 0b_\nsearch_backend: {'9' * 5000}\n"

    assert load(tmp_path, "backend: 0b_\n").unwrap().backend == "0b_"
    assert "length <= 100" in wrong(tmp_path, config)


def test_a_date_and_a_time_are_texts(tmp_path: Path) -> None:
    assert load(tmp_path, "backend: 2026-01-31\n").unwrap().backend == "2026-01-31"

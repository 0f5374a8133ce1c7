"""A value of the wrong kind is refused, by the name and the place of its setting."""

from pathlib import Path
from typing import get_args

import pytest
from returns.result import Failure

from webseam.composition.doors.cli.commands.config import build_config_overview
from webseam.composition.settings.checks import Key, known_setting_keys
from webseam.composition.settings.entries import setting_path_text
from webseam.composition.settings.services import NUMBER_OPTIONS
from webseam.composition.wiring.service_backends import installed_services

from .support import load

SERVICES = installed_services()
SEARCH_MODEL = "perplexity"
WRONG_NUMBERS = (
    "-1", "-0.5", ".nan", "nan", ".inf", "-.inf", "1e400", "yes", "a", "[]", '["1"]', "[1]", "[1, 2]",
    "{search: .004}",
)  # fmt: skip


def is_number(key: Key) -> bool:
    """Tell whether a setting holds one number: its type is a number, or that or nothing."""
    parts = [key.type, *get_args(key.type)]
    parts += [inner for part in parts for inner in get_args(part)]
    return not key.listed and not {int, float}.isdisjoint(parts)


def problems(tmp_path: Path, text: str) -> list[str]:
    loaded = load(tmp_path, text)
    if isinstance(loaded, Failure):
        return [loaded.failure().message]
    overview = build_config_overview(loaded.unwrap(), SERVICES, {SEARCH_MODEL})
    return [problem.message for problem in overview.problems]


@pytest.mark.parametrize("name", ["brave", "tavily", "json", SEARCH_MODEL])
@pytest.mark.parametrize("number", NUMBER_OPTIONS)
def test_number_of_a_service_is_one_finite_number_from_0_on(
    tmp_path: Path, name: str, number: str
) -> None:
    for value in WRONG_NUMBERS:
        found = problems(tmp_path, f"services:\n  {name}:\n    {number}: {value}\n")

        assert found, value
        assert found[0].startswith(f"{tmp_path}/home/config.yaml:3: services.{name}.{number}: ")


@pytest.mark.parametrize("name", SERVICES)
def test_option_of_a_service_is_no_list_but_its_keys(tmp_path: Path, name: str) -> None:
    for option in ("base_url", *(option.name for option in SERVICES[name].options)):
        found = problems(tmp_path, f"services:\n  {name}:\n    {option}: [a]\n")

        expected = f"{tmp_path}/home/config.yaml:3: services.{name}.{option}: "
        refused = [line for line in found if line.startswith(expected)]
        assert bool(refused) == (option != "api_key"), option


@pytest.mark.parametrize(
    "path", [path for path, key in known_setting_keys().items() if is_number(key)], ids=str
)
def test_number_among_the_settings_is_one_finite_number_from_0_on(
    tmp_path: Path, path: tuple[str, ...]
) -> None:
    for value in (".nan", "nan", ".inf", "-.inf", "1e400", "-1", "[1]", "[1, 2]", "a"):
        block = value
        for name in reversed(path):
            block = f"{{{name}: {block}}}"
        found = problems(tmp_path, block + "\n")

        assert found, value
        assert f" {setting_path_text(path)}: " in f" {found[0]}", found

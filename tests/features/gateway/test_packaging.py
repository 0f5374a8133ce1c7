"""The unit and the container file say only what there is."""

import configparser
import re
import shlex
import tomllib
from pathlib import Path

from webseam.composition.doors.cli import find_commands
from webseam.composition.features.gateway.commands.serve import command_line
from webseam.composition.settings.checks import known_setting_keys

PACKAGING = Path(__file__).parents[3] / "packaging"
PLACES = {"WEBSEAM_CONFIG", "XDG_DATA_HOME", "XDG_CACHE_HOME"}
VARIABLES = {name for key in known_setting_keys().values() for name in key.variables} | PLACES


def test_the_unit_starts_reloads_and_waits_as_the_gateway_does() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]  # names are as they are
    unit.read(PACKAGING / "webseam.service")
    service = unit["Service"]
    words = shlex.split(service["ExecStart"])

    assert words[1:3] == ["webseam", "serve"]
    assert command_line().parse_args(words[3:]) is not None
    assert "-HUP" in service["ExecReload"]
    assert int(service["TimeoutStopSec"]) > known_setting_keys()["serve", "drain"].default


def test_variables_are_settings() -> None:
    texts = [(PACKAGING / name).read_text() for name in ("webseam.service", "Containerfile")]

    named = {name for text in texts for name in re.findall(r"\b((?:WEBSEAM|XDG)_[A-Z_]+)=", text)}

    assert named <= VARIABLES
    assert 'ENTRYPOINT ["webseam", "serve"]' in texts[1]
    assert "serve" in find_commands()


def test_the_container_has_what_the_settings_of_a_gateway_can_ask_for() -> None:
    text = (PACKAGING / "Containerfile").read_text()
    project = tomllib.loads((PACKAGING.parent / "pyproject.toml").read_text())["project"]
    installed = re.search(r"\[([a-z,]+)\]\"", text)

    assert installed is not None
    extras = set(installed[1].split(","))
    assert {"server", "mcp", "postgres", "valkey", "otel"} <= extras
    assert extras <= project["optional-dependencies"].keys()

"""Whatever goes into ``setup`` and ``trust`` is written, or the command fails; it reads back the same."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from returns.result import Result

from tests.doors.cli.run import webseam
from webseam.composition.features.models.setup import read_setup_targets
from webseam.composition.settings.changes import SetupTarget
from webseam.composition.settings.checks import known_setting_keys, setting_value
from webseam.composition.settings.entries import setting_path_text
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import BASE_URL_OPTION, MULTI_VALUE_OPTION
from webseam.ports.errors import InvalidSetting
from webseam.ports.secrets import Secret

KEY, ADDRESS = "k-0123456789", "https://a.example/v1"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def targets() -> list[tuple[tuple[str, str], SetupTarget]]:
    """Return every service and every provider of models, with the words that name it."""
    found = read_setup_targets(load_settings({}).unwrap()).unwrap()
    services = [(("search", name), SetupTarget(service=it)) for name, it in found.services.items()]
    return services + [
        (("model", name), SetupTarget(service=it, block="providers"))
        for name, it in found.providers.items()
    ]


def ways(target: SetupTarget) -> Iterator[tuple[Sequence[str], str, dict[str, str]]]:
    """Yield arguments, what comes by the pipe, and the options that must then be in the file."""
    names = [*(option.name for option in target.service.options), BASE_URL_OPTION]
    values = {name: f"v-{name}" for name in names} | {BASE_URL_OPTION: ADDRESS}
    key = {MULTI_VALUE_OPTION: KEY}
    by_argument = [f"--set={name}={value}" for name, value in values.items()]
    yield (*by_argument, "--use"), "", values
    yield [f"--set={name}=-" for name in names], "\n".join(values.values()), values
    yield (f"--set={BASE_URL_OPTION}={ADDRESS}",), f"{KEY}\n", {BASE_URL_OPTION: ADDRESS} | key
    yield (f"--set={BASE_URL_OPTION}=-",), f"{ADDRESS}\n{KEY}", {BASE_URL_OPTION: ADDRESS} | key
    yield (), f"{KEY}\n", key
    yield ("--use",), f"{KEY}\n", key
    yield ("--use", "--env=THE_KEY"), "", {MULTI_VALUE_OPTION: "from-env"}
    yield ("--env=THE_KEY",), f"{KEY}\n", {"": "the key comes twice"}
    yield ("--use",), f"{KEY}\nmore\n", {"": "a line too many"}
    yield (by_argument[-1], by_argument[-1]), "", {"": "an address comes twice"}


def test_setup_writes_every_value_or_fails(config: Path) -> None:
    for words, target in targets():
        options = {option.name for option in target.service.options} | {BASE_URL_OPTION}
        for arguments, piped, values in ways(target):
            config.unlink(missing_ok=True)
            ran = webseam(
                "setup",
                *words,
                "--no-try",
                *arguments,
                given=piped,
                WEBSEAM_CONFIG=str(config),
                THE_KEY="from-env",
            )
            label = (words, arguments, piped, ran)
            assert (ran.code == 0) is (values.keys() <= options), label
            assert (ran.code == 0) is config.exists(), label
            if ran.code == 0:
                used = {"--use": target.service.name} if "--use" in arguments else {}
                assert read_back(config, target, [*values, *used]) == values | used, label


def read_back(config: Path, target: SetupTarget, names: Sequence[str]) -> dict[str, str]:
    default = ("model_route",) if target.block == "providers" else ("backend",)
    settings = load_settings({"WEBSEAM_CONFIG": str(config)}, folder=config.parent).unwrap()
    entries = settings.entries
    read = {name: default if name == "--use" else target.option_path(name) for name in names}
    return {name: ",".join(it.texts) for name, path in read.items() if (it := entries.get(path))}


def test_any_setting_that_is_given_is_what_its_variable_would_make_it(config: Path) -> None:
    here = {"WEBSEAM_CONFIG": str(config)}
    for path, key in known_setting_keys().items():
        for text in ("7", "0.5", "off", "auto", "a, b.example", "# x"):
            config.unlink(missing_ok=True)
            ran = webseam("setup", f"--set={setting_path_text(path)}={text}", **here)
            by_variable = load_settings({key.variables[0]: text}, folder=config.parent)
            label = (path, text, ran)
            assert (ran.code == 0) is config.exists(), label
            if ran.code == 0:
                written = load_settings(here, folder=config.parent)
                assert value_at(written, path) == value_at(by_variable, path), label


def value_at(loaded: Result[Settings, InvalidSetting], path: Sequence[str]) -> object:
    value = setting_value(loaded.unwrap(), tuple(path))
    return value.reveal() if isinstance(value, Secret) else value


def test_a_pipe_that_nobody_reads_is_refused(config: Path) -> None:
    for words in (("--set=timeout=5",), ("model", "--set=timeout=5"), ("x", "brave")):
        ran = webseam("setup", *words, given="KEY\n", WEBSEAM_CONFIG=str(config))

        assert (ran.code, config.exists()) == (2, False), words


def test_a_variable_that_wins_over_what_was_written_is_named(config: Path) -> None:
    here = {"WEBSEAM_CONFIG": str(config), "BRAVE_API_KEY": "old", "WEBSEAM_BACKEND": "tavily"}

    ran = webseam("setup", "brave", "--use", "--no-try", given="new", **here)

    assert (ran.code, "backend: brave" in config.read_text()) == (0, True)
    assert [line.split()[1] for line in ran.err.splitlines()] == [
        "BRAVE_API_KEY",
        "WEBSEAM_BACKEND",
    ]


def test_folders_are_trusted_by_their_exact_names(tmp_path: Path) -> None:
    here = {"WEBSEAM_CONFIG": str(tmp_path / "none"), "XDG_DATA_HOME": str(tmp_path / "data")}
    for name in ("plain", " blank ", "l\nf", "\u202ertl", "'\"", "~", "\ud800"):
        folder = tmp_path / os.fsdecode(name.encode("utf-8", "surrogatepass"))
        folder.mkdir()
        (folder / ".env").write_text("WEBSEAM_PLUGINS=a\n")
        ran = webseam("trust", "--yes", "--json", str(folder), **here)
        listed = json.loads(webseam("trust", "--list", "--json", **here).out)["data"]["folders"]
        found = str(folder) in [it["folder"] for it in listed]
        assert (ran.code == 0) is found, (name, ran)
    assert webseam("trust", "--list", str(tmp_path), **here).code == 2

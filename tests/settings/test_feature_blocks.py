"""The blocks that features declare are read, listed, checked and masked like those of the core."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from returns.result import Failure

from tests.surroundings import STARTING
from webseam.composition.doors.cli.commands.config import build_config_overview
from webseam.composition.feature_table import (
    SettingsBlock,
    iterate_features,
    load_settings_block,
)
from webseam.composition.settings.checks import (
    Key,
    known_setting_keys,
    setting_names,
    setting_value,
)
from webseam.composition.settings.entries import DEFAULT_ORIGIN, KeyPath, setting_path_text
from webseam.composition.settings.hermes_settings import _WEB_PATHS, _X_SEARCH_PATHS
from webseam.composition.settings.schema import Settings
from webseam.kernel.policy.trust import _FOLDER_SETTINGS, Origin
from webseam.ports.secrets import Secret

from .support import load, wrong

BLOCKS = [block for feature in iterate_features() for block in feature.settings]
KEYS = known_setting_keys()


def keys_of(block: SettingsBlock) -> dict[KeyPath, Key]:
    return {path: key for path, key in KEYS.items() if path[0] == block.name}


BLOCK_KEYS = {path: key for block in BLOCKS for path, key in keys_of(block).items()}
# One of these is valid in every source and no default, whatever the kind of a setting.
SAMPLES = ("7", "0.5", "true", "low", "model", "/a")


def test_a_block_has_a_name_a_struct_and_a_position_of_its_own() -> None:
    core = {field.name for field in msgspec.structs.fields(Settings)}
    names = [block.name for block in BLOCKS]
    listed = setting_names()

    assert len({*names, *core}) == len(names) + len(core)
    assert len({load_settings_block(block) for block in BLOCKS}) == len(BLOCKS)
    for block in BLOCKS:
        assert block.after in listed[: listed.index(block.name)], block
        assert keys_of(block), block


def test_blocks_are_listed_in_the_order_that_users_know() -> None:
    first = "cache policy render pages compressor small_work vision embeddings rerank ask x_search"
    rest = "planner budgets mcp plugins serve stores"
    blocks = dict.fromkeys(path[0] for path in KEYS if len(path) > 1)

    assert " ".join(blocks) == f"{first} {rest}"


def spellings(path: KeyPath, key: Key, text: str) -> dict[str, dict[str, Any]]:
    """Return one value as each source spells it, for ``load``."""
    inner = "".join(f"{name}: {{" for name in path[:-1])
    line = f"{inner}{path[-1]}: {text}{'}' * (len(path) - 1)}"
    return {
        "variable": {"environment": {key.variables[0]: text}, "beside": ""},
        "dotenv": {"beside": f"{key.variables[0]}={text}\n"},
        "file": {"config": f"{line}\n", "beside": ""},
        "hermes": {"config": f"web: {{}}\nwebseam: {{{line}}}\n", "beside": ""},
        "argument": {"arguments": {setting_path_text(path): text}, "beside": ""},
    }


def shown(settings: Settings, path: KeyPath) -> tuple[object, bool]:
    """Return the value at ``path``, and whether some source set it."""
    value = setting_value(settings, path)
    is_set = settings.entries.origin(path).layer != "default"
    return value.reveal() if isinstance(value, Secret) else value, is_set


def read_everywhere(tmp_path: Path, path: KeyPath) -> dict[str, tuple[object, bool]]:
    """Return what each source makes of the first sample that is valid and no default."""
    for text in SAMPLES:
        given = spellings(path, KEYS[path], text)
        if isinstance(load(tmp_path, **given["file"]), Failure):
            continue
        loaded = {source: load(tmp_path, **sources).unwrap() for source, sources in given.items()}
        values = {source: shown(settings, path) for source, settings in loaded.items()}
        if values["file"][0] != KEYS[path].default:
            return values
    raise AssertionError(path)


def test_a_setting_of_a_block_means_the_same_in_every_source(tmp_path: Path) -> None:
    for path in BLOCK_KEYS:
        values = read_everywhere(tmp_path, path)
        assert len(set(values.values())) == 1, (path, values)
        assert values["file"][1], (path, values)


def test_a_wrong_value_is_refused_alike_in_every_source(tmp_path: Path) -> None:
    for path, key in BLOCK_KEYS.items():
        given = spellings(path, key, "x" * 101)
        reasons = {
            source: loaded.failure().reason
            for source, sources in given.items()
            if isinstance(loaded := load(tmp_path, **sources), Failure)
        }
        assert len(set(reasons.values())) <= 1, (path, reasons)
        assert len(reasons) in (0, len(given)), (path, reasons)


def test_every_setting_of_a_block_is_listed_with_its_origin(tmp_path: Path) -> None:
    given = {key.variables[0]: "/a" for key in BLOCK_KEYS.values() if key.type == str | None}
    overview = build_config_overview(load(tmp_path, environment=given).unwrap(), {}, ())
    rows = {row.key: row.origin for row in overview.settings}

    for path, key in BLOCK_KEYS.items():
        origin = DEFAULT_ORIGIN
        if key.variables[0] in given:
            origin = Origin(layer="environment", name=key.variables[0])
        assert rows[setting_path_text(path)] == origin, path


def test_tables_of_other_rooms_name_settings_that_exist() -> None:
    """A feature that renames a field must find its name in these tables, which are far from it."""
    trusted = {tuple(name.split(".")) for name in _FOLDER_SETTINGS}
    mapped = {*_WEB_PATHS.values(), *_X_SEARCH_PATHS.values()}

    assert trusted | mapped <= KEYS.keys()


def test_a_misspelt_name_in_a_block_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    for block in BLOCKS:
        path, key = next(iter(keys_of(block).items()))
        misspelt = f"{path[-1]}x"

        message = wrong(tmp_path, f"{block.name}: {{{misspelt}: 1}}\n")
        warned = load(tmp_path, environment={f"{key.variables[0]}X": "1"}).unwrap().warnings

        name = f"{block.name}.{misspelt}"
        assert message == f"config.yaml:1: {name}: is not a setting; {block.name}.{path[-1]} is."
        assert warned == (
            f"{key.variables[0]}X is not a setting; did you mean {key.variables[0]}?",
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("serve: 5", "1: serve: must be a block of settings."),
        ("servee: {port: 1}", "1: servee: is not a setting; serve is."),
        ("serve: {port: 70000}", "1: serve.port: must be a whole number <= 65535."),
        ("serve: {port: text}", "1: serve.port: must be a whole number, not a text."),
        ("serve: {hosts: {deep: 1}}", "1: serve.hosts: must be a value, not a block."),
        ("serve: {token: [a]}", "1: serve.token: must be one text."),
        ("ask: {summary: text}", "1: ask.summary: must be true or false, not a text."),
        ("ask:\n  model: a\n  model: b", "3: ask.model: is given twice."),
        ("embeddings: {index: text}", "1: embeddings.index: must be true or false, not a text."),
        ("rerank: {model: [a]}", "1: rerank.model: must be a text, not a list."),
        ("small_work: {}\nsmall_work: {}", "2: small_work: is given twice."),
        ("x_search: {retries: 11}", "1: x_search.retries: must be a whole number <= 10."),
        # The first in the order of the list is told, not the first in the file.
        ("serve: {port: x}\nask: {offer: x}", "2: ask.offer: must be true or false, not a text."),
    ],
)
def test_a_wrong_block_is_told_like_one_of_the_core(
    tmp_path: Path, text: str, message: str
) -> None:
    assert wrong(tmp_path, f"{text}\n") == f"config.yaml:{message}"


def test_no_secret_of_a_block_is_in_the_repr(tmp_path: Path) -> None:
    secret = "a-secret-of-a-block-0123456789"
    for path, key in KEYS.items():
        if key.secret and "stores" not in path:
            settings = load(
                tmp_path,
                environment={key.variables[0]: secret, "WEBSEAM_SERVE_CERTIFICATE": secret},
            ).unwrap()
            assert secret not in repr(settings), path


_STARTED = """
import sys
from webseam.composition.settings.loader import load_settings
assert load_settings({environment!r}).unwrap()
print(*sorted(name for name in sys.modules if name.endswith(".settings") and ".features." in name))
"""


def test_a_start_imports_the_blocks_that_are_named_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("backend: brave\nservices: {brave: {rate: 3}}\n")
    (tmp_path / "asking.yaml").write_text("ask: {model: m}\n")
    features = "webseam.composition.features"
    for environment, modules in (
        ({"WEBSEAM_CONFIG": "config.yaml", "WEBSEAM_INDEX": "index", "WEBSEAM_TIMEOUT": "3"}, []),
        ({"WEBSEAM_CONFIG": "asking.yaml"}, [f"{features}.evidence.settings"]),
        ({"WEBSEAM_SERVE_PORT": "8080"}, [f"{features}.gateway.settings"]),
    ):
        ended = subprocess.run(
            [sys.executable, "-c", _STARTED.format(environment=environment)],
            env={**STARTING, "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )

        assert ended.stdout.split() == modules, environment

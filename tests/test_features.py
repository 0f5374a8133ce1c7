"""The core and its features: records, contracts, commands and the graph of imports agree."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.feature_parts import PROVIDED
from webseam.composition.doors.cli import (
    _COMMAND_TITLES,
    describe_command,
    find_commands,
    load_command,
)
from webseam.composition.feature_table import (
    FEATURES,
    Part,
    SharedPart,
    iterate_features,
    load,
    load_each,
)

ROOT = Path(__file__).parent.parent
ROOMS = ("ports", "kernel", "adapters", "composition")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_a_record_is_named_after_its_folder_and_its_extra_exists() -> None:
    extras = {"", *PROJECT["project"]["optional-dependencies"]}

    for name, feature in zip(FEATURES, iterate_features(), strict=True):
        assert feature.name == name
        assert feature.extra in extras
        assert set(feature.needs) <= set(FEATURES)


_KEY_PATTERN = re.compile(r"(?m)^(\w+) = (?:Shared)?Part\[")


def part_keys() -> Iterator[Part[object] | SharedPart[object]]:
    """Yield the keys of all rooms, which stand at the top level of a file."""
    for module, file in modules().items():
        for name in _KEY_PATTERN.findall(file.read_text("utf-8")):
            yield getattr(import_module(f"webseam.{module}"), name)


def test_every_part_of_a_record_is_held_against_its_key() -> None:
    loaded: list[tuple[str, object]] = []
    for key in part_keys():
        if isinstance(key, Part):
            loaded.append((key.name, load(key)))
        else:
            loaded += [(key.name, part) for part in load_each(key)]
    recorded = [part for feature in iterate_features() for part in feature.parts]

    assert sorted(name for name, _ in loaded) == sorted(recorded)
    assert {(name, id(part)) for name, part in loaded} == {
        (name, id(part)) for name, part in PROVIDED
    }
    assert len(loaded) == len(PROVIDED)


def test_a_key_has_a_name_of_its_own_and_a_provider() -> None:
    names = [key.name for key in part_keys()]

    assert len(set(names)) == len(names)
    assert set(names) == {name for name, _ in PROVIDED}


def test_the_contracts_let_in_those_that_need_a_feature() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    protected = {
        contract["name"].removeprefix("Who may import "): set(contract["allowed_importers"])
        for contract in contracts
        if contract["type"] == "protected"
    }
    importers = {
        name: {
            f"webseam.*.features.{name}",
            *(
                f"webseam.*.features.{user.name}"
                for user in iterate_features()
                if name in user.needs
            ),
        }
        for name in FEATURES
    }

    assert protected == importers


def test_the_first_line_of_a_command_has_a_title_and_what_it_does() -> None:
    for name, module in find_commands().items():
        title, what = describe_command(module)
        assert title in _COMMAND_TITLES, name
        assert what, name
        assert load_command(name).command_line(), name


def modules() -> dict[str, Path]:
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
    }


def imported_by(module: str, file: Path, every: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a file imports, at its top or later."""
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        source = node.module or ""
        if node.level:
            path = ".".join([*package[: len(package) - node.level + 1], *source.split(".")]).strip(
                "."
            )
        elif source.startswith("webseam."):
            path = source.removeprefix("webseam.")
        else:
            continue
        for alias in node.names:
            full = f"{path}.{alias.name}"
            if full in every:
                yield full
            elif path in every:
                yield path


def test_imports_form_no_circle() -> None:
    every = modules()
    graph = {
        module: {*imported_by(module, file, every)} - {module} for module, file in every.items()
    }
    open_modules: set[str] = set()

    @cache
    def visit(module: str) -> None:
        assert module not in open_modules, f"a circle of imports goes through {module}"
        open_modules.add(module)
        for target in graph[module]:
            visit(target)
        open_modules.discard(module)

    for module in graph:
        visit(module)

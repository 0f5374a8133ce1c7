"""The house: one import name, four rooms, a small public surface that loads nothing heavy."""

import ast
import inspect
import pydoc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import webseam
import webseam.errors
from webseam import kernel, ports

ROOT = Path(__file__).parent.parent
ROOMS = ("kernel", "ports", "adapters", "composition")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_imported_from_the_root_folder_and_no_copy(room: str) -> None:
    link = ROOT / ".namespace" / "webseam" / room

    assert link.resolve() == ROOT / room


def test_the_table_the_imports_for_type_checkers_and_the_names_agree() -> None:
    tree = ast.parse(Path(webseam.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        (name.asname or name.name): node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.name != "*"
    }
    modules = {name for name, module in imported.items() if module is None}
    for name in modules:
        del imported[name]

    assert modules <= {*webseam._MODULES}  # noqa: SLF001  loaded when they are named
    assert imported == webseam._HOMES  # noqa: SLF001  the one table
    assert sorted(webseam.__all__) == sorted({*imported} - {"open"})


def test_every_public_name_is_there_and_the_common_ones_are_shown() -> None:
    for name in webseam.__all__:
        assert getattr(webseam, name) is not None
    shown = {name for name in dir(webseam) if not name.startswith("_")}
    assert {"search", "extract", "ask"} <= shown <= {*webseam.__all__, *webseam._MODULES, "open"}  # noqa: SLF001


def test_a_star_import_gives_the_public_names_and_no_builtin() -> None:
    names: dict[str, object] = {}

    exec("from webseam import *", names)  # noqa: S102  no other way to import a star here

    assert set(webseam.__all__) == {*names} - {"__builtins__"}


@pytest.mark.parametrize("room", [ports, kernel], ids=["ports", "kernel"])
def test_every_public_name_of_a_room_is_a_name_of_webseam(room: ModuleType) -> None:
    for name in room.__all__:
        assert getattr(webseam, name) is getattr(room, name)


def test_the_errors_have_a_module_of_their_own() -> None:
    assert {*vars(ports.errors)["__all__"], "WebseamError"} == set(vars(webseam.errors)["__all__"])


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'webseam' has no attribute 'nonsense'"):
        _ = webseam.nonsense  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "near"), [("serch", "search"), ("web_serach", "web_search")])
def test_a_name_that_is_nearly_one_is_told_the_one(name: str, near: str) -> None:
    with pytest.raises(AttributeError, match=f"Did you mean '{near}'?"):
        getattr(webseam, name)


def test_help_shows_a_docstring_and_the_short_form_of_an_error() -> None:
    public = [name for name in (*dir(webseam), "open") if not name.startswith("_")]
    for name in public:
        value = getattr(webseam, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert "AuthFailed | " not in pydoc.plain(pydoc.render_doc(value)), name
            assert inspect.getdoc(value), name


def test_importing_webseam_loads_nothing_heavy() -> None:
    code = "import sys, webseam; print(sorted({'asyncio', 'httpx', 'msgspec', 'rich', 'yaml'} & set(sys.modules)))"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"


def test_using_the_kernel_loads_no_http() -> None:
    code = "import sys, webseam; webseam.web_search; print(sorted({'httpx', 'rich'} & set(sys.modules)))"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"


def test_no_test_file_takes_names_from_another() -> None:
    files = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts): file
        for folder in ("tests", "properties")
        for file in (ROOT / folder).rglob("test_*.py")
    }
    taken = [
        (name, source)
        for name, file in files.items()
        for source in _imported_modules(name, ast.parse(file.read_text("utf-8")))
        if source in files
    ]

    assert taken == []


def _imported_modules(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield the absolute names of the modules that a module takes names from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parents = name.split(".")[: -node.level] if node.level else []
            yield ".".join([*parents, *filter(None, [node.module])])

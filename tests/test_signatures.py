"""No signature, repr or documentation of ours shows the environment, keys and all."""

import importlib
import inspect
import os
import pkgutil
import pydoc
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType

import pytest

import webseam

SECRET = "sk-0123456789-in-the-environment"
# What stands on frameworks and clients that are extras.
_EXTRAS = (
    "webseam.composition.doors.integrations.",
    "webseam.adapters.stores.postgres.",
    "webseam.adapters.stores.valkey.",
    "webseam.adapters.features.index.vectors.",
)
# Not to be imported: a program, and what only pytest loads.
_LEFT_OUT = ("__main__", "pytest_plugin")


def modules() -> Iterator[ModuleType]:
    for modules in pkgutil.walk_packages(webseam.__path__, "webseam."):
        if modules.name.endswith(_LEFT_OUT):
            continue
        try:
            yield importlib.import_module(modules.name)
        except ImportError:
            # Each stands on a package that need not be here.
            assert modules.name.startswith(_EXTRAS)


def functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    own = [
        one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__
    ]
    holders: list[ModuleType | type] = [module, *(one for one in own if isinstance(one, type))]
    for holder in holders:
        for name, value in vars(holder).items():
            plain = getattr(value, "__func__", value)
            if inspect.isfunction(plain):
                yield f"{holder.__name__}.{name}", plain


def defaults(function: Callable[..., object]) -> Iterator[object]:
    for parameter in inspect.signature(function).parameters.values():
        yield parameter.default


def test_no_default_argument_is_the_environment() -> None:
    shown = [
        name
        for module in modules()
        for name, function in functions(module)
        for default in defaults(function)
        if default is os.environ
        or (isinstance(default, Mapping) and any(key in os.environ for key in default))
    ]

    assert shown == []


def test_help_shows_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBSEAM_TEST_API_KEY", SECRET)
    public = [getattr(webseam, name) for name in dir(webseam) if not name.startswith("_")]

    pages = [pydoc.render_doc(value) for value in public if callable(value)]

    assert not [page for page in pages if SECRET in page or "environ({" in page]


def test_no_module_keeps_the_environment_under_a_name() -> None:
    kept = [
        f"{module.__name__}.{name}"
        for module in modules()
        for name, value in vars(module).items()
        if value is os.environ
    ]

    assert kept == []

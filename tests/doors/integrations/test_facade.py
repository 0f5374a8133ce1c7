"""``webseam.integrations`` where the frameworks are not: it loads nothing, and says what to install."""

import importlib.util
import subprocess
import sys

import pytest

from webseam import integrations


@pytest.mark.parametrize("name", integrations.__all__)
def test_a_framework_that_is_not_installed_is_named_with_its_package(name: str) -> None:
    _, module, package = integrations._HOMES[name]  # noqa: SLF001  the table under test
    if importlib.util.find_spec(module.partition(".")[0]) is not None:
        pytest.skip(f"{module} is installed here")

    with pytest.raises(ImportError, match=f"needs {package}: pip install {package}"):
        getattr(integrations, name)


def test_a_function_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = integrations.nonsense


def test_the_facade_loads_no_framework() -> None:
    code = (
        "import sys, webseam.integrations; print('pydantic' in sys.modules, 'httpx' in sys.modules)"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.split() == ["False", "False"]


def test_every_function_is_in_the_listing() -> None:
    assert set(integrations.__all__) <= set(dir(integrations))
    assert set(integrations.__all__) == set(integrations._HOMES)  # noqa: SLF001

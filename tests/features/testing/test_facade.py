import subprocess
import sys

import pytest

from webseam import testing


@pytest.mark.parametrize("name", testing.__all__)
def test_every_name_of_the_kit_is_there(name: str) -> None:
    assert getattr(testing, name) is not None
    assert name in dir(testing)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'webseam.testing' has no attribute 'nope'"):
        _ = testing.nope


def test_the_fakes_load_neither_http_nor_hypothesis() -> None:
    code = (
        "import sys; from webseam.testing import FakeBackend, FaultyServer;"
        "print(sorted({'httpx', 'hypothesis', 'pytest'} & set(sys.modules)))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"

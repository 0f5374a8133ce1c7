from collections.abc import Iterator

import pytest

from .shelf import put_back


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    yield
    put_back()

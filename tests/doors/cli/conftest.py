from collections.abc import Iterator

import pytest

from webseam.composition.doors.cli.commands.demo import DemoApi

from .api import running_api


@pytest.fixture
def api() -> Iterator[DemoApi]:
    with running_api() as running:
        yield running

"""Nodes that are threads here keep their worker as those of a cluster do: until the test is over."""

import asyncio
from collections.abc import Iterator

import pytest

from webseam.composition.features.bulk.cluster.executor import NODE_CONVERTER


@pytest.fixture(autouse=True)
def _no_worker_is_left() -> Iterator[None]:
    yield
    asyncio.run(NODE_CONVERTER.aclose())

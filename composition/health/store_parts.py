"""The servers that several machines share: which there are, and whether they answer."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing

from returns.result import Failure, Result

from ...ports.errors import WebError
from ..settings.schema import StoreSettings
from ..wiring.store_setup import open_keys, open_rates, shares_ledger
from .health_parts import HealthPart

_NOBODY = "doctor"
_A_MINUTE = 60_000.0


def store_parts(settings: StoreSettings) -> Iterator[HealthPart]:
    """Ask each shared server something small; nothing where none is set."""
    if settings.postgres:
        what = "keys, spending, health" if shares_ledger(settings) else "keys"
        yield _part("PostgreSQL", what, "stores.postgres", _ask_postgres(settings))
    if settings.valkey:
        latency = asyncio.run(_ask_valkey(settings))
        yield _part("Valkey", "answers, rates", "stores.valkey", latency)


def _part(name: str, what: str, setting: str, latency: Result[float, WebError]) -> HealthPart:
    if isinstance(latency, Failure):
        return HealthPart(
            name=name,
            state="bad",
            word="away",
            detail=latency.failure().message,
            clause=f"the server of {setting} does not answer",
            subject=name,
        )
    return HealthPart(
        name=name, state="good", word="answers", detail=f"{what}, {latency.unwrap() * 1000:.0f} ms"
    )


def _ask_postgres(settings: StoreSettings) -> Result[float, WebError]:
    opened = open_keys(settings)
    if isinstance(opened, Failure):
        return opened
    began = time.monotonic()
    with closing(opened.unwrap()) as keys:
        return keys.records().map(lambda _: time.monotonic() - began)


async def _ask_valkey(settings: StoreSettings) -> Result[float, WebError]:
    opened = open_rates(settings)
    if isinstance(opened, Failure):
        return opened
    rates, began = opened.unwrap(), time.monotonic()
    assert rates is not None  # noqa: S101  it is set
    slot = await rates.take(_NOBODY, _A_MINUTE)
    await rates.aclose()
    return slot.map(lambda _: time.monotonic() - began)

"""The health of a gateway that runs on this machine, as it reports it itself."""

import asyncio
from collections.abc import Iterator, Mapping

import msgspec

from ...health.health_parts import HealthPart, ProviderTrial
from ...wiring.backend_rows import Root
from .settings import ServeSettings
from .workers import WorkerTeam, fetch_from_worker

_MAX_FETCH_SECONDS = 2.0


class _Readiness(msgspec.Struct):
    loop_stalls: int


def health_parts(root: Root, _trials: Mapping[str, ProviderTrial]) -> Iterator[HealthPart]:
    """Yield a part for a gateway at the address of the settings; nothing when none answers."""
    serve = root.settings.of(ServeSettings)
    try:
        report = msgspec.json.decode(asyncio.run(_fetch_readiness(serve)), type=_Readiness)
    except (msgspec.DecodeError, TimeoutError):
        return
    part = HealthPart(name="Gateway", state="good", word="runs", detail=f"port {serve.port}")
    if report.loop_stalls:
        times = "once" if report.loop_stalls == 1 else f"{report.loop_stalls:,} times"
        part = msgspec.structs.replace(
            part, state="care", detail=f"port {serve.port}, its loop stood still {times}"
        )
    yield part


async def _fetch_readiness(serve: ServeSettings) -> bytes:
    team = WorkerTeam(number=0, ports=(), secret="", tls=serve.certificate is not None)
    host = f"127.0.0.1:{serve.port}"
    async with asyncio.timeout(_MAX_FETCH_SECONDS):
        return await fetch_from_worker(team, serve.port, "/ready", host)

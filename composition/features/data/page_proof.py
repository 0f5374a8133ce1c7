"""Prove the HTML of a page in a process that can be killed; cancelling ends the work."""

from typing import Final

import msgspec
from returns.result import Result

from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import share_workers
from webseam.ports.data import PageValues
from webseam.ports.data_rules import ProofTask
from webseam.ports.errors import WebError

PROVER: Final = "webseam.composition.features.data.html_data:prove_body"
LIMITS: Final = WorkerLimits(cpu_seconds=5.0, wall_seconds=20.0, idle_seconds=20.0)
_WORKERS: Final = share_workers(PROVER, LIMITS)
_VALUES_DECODER: Final = msgspec.json.Decoder(PageValues)


async def prove_html(html: str, url: str, task: ProofTask) -> Result[PageValues, WebError]:
    """Return what the HTML of a page proves, from a worker."""
    detail = msgspec.json.encode(task).decode()
    proved = await _WORKERS.convert(html.encode("utf-8", "replace"), detail, url)
    return proved.map(lambda it: _VALUES_DECODER.decode(it.content))

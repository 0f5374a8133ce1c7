"""Compare the markdown of a page with its HTML, in a worker: both may be long and hostile."""

from typing import Final

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import share_workers
from webseam.kernel.pages.markdown_twin import split_agents_text
from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

COMPARISON_TYPE: Final = "application/x-webseam-twins"
_CONVERTER: Final = "webseam.composition.wiring.twin_comparison:compare_body"
# A large page takes a second; a run of bulk must come to the same verdict on a slow machine.
_LIMITS: Final = WorkerLimits(cpu_seconds=10.0, wall_seconds=60.0, idle_seconds=20.0)


class _Twins(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The markdown of a page and its HTML, both read."""

    page: ReadPage
    html: ReadPage


_DECODER: Final = msgspec.msgpack.Decoder(_Twins)
_workers: Final = share_workers(_CONVERTER, _LIMITS)


async def compare_twins(page: ReadPage, html: ReadPage) -> ReadPage:
    """Return a page without what its HTML does not show, or with the reason why nobody knows."""
    body = msgspec.msgpack.encode(_Twins(page=page, html=html))
    compared = await _workers.convert(body, COMPARISON_TYPE)
    if isinstance(compared, Failure):
        return replace(page, second_look=compared.failure().kind)
    return compared.unwrap()


def compare_body(body: bytes, content_type: str, _url: str) -> Result[ReadPage, WebError]:
    """Compare the pages of a job; a worker loads this by its name."""
    if content_type != COMPARISON_TYPE:
        # The fork server converts an example page before its first fork.
        return Failure(ParseFailed(reason="corrupt", detail="there is nothing to compare"))
    twins = _DECODER.decode(body)
    return Success(split_agents_text(twins.page, twins.html))

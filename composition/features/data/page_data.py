"""Typed values of pages that were read: each page is proved in a process that can be killed."""

from typing import Any, Final

import msgspec
from returns.result import Failure, Result

from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import share_workers
from webseam.kernel.features.data.typed_values import make_data, read_wanted
from webseam.ports.data import Data, DataSchema, PageValues
from webseam.ports.errors import UnsupportedCapability, WebError
from webseam.ports.web import WebExtractResult

PROVER: Final = "webseam.composition.features.data.html_data:prove_body"
_LIMITS: Final = WorkerLimits(cpu_seconds=5.0, wall_seconds=20.0, idle_seconds=20.0)
_WORKERS: Final = share_workers(PROVER, _LIMITS)
_VALUES_DECODER: Final = msgspec.json.Decoder(PageValues)


async def read_page_data(page: WebExtractResult, wanted: object, /) -> Result[Data[Any], WebError]:
    """Return the values of a page whose ``raw_content`` is its HTML."""
    schema = read_wanted(wanted)
    if isinstance(schema, Failure):
        return schema
    values = await prove_page(page, schema.unwrap())
    return values.bind(lambda it: make_data(it, schema.unwrap(), wanted, page.final_url))


async def prove_page(page: WebExtractResult, schema: DataSchema) -> Result[PageValues, WebError]:
    """Return what a page proves of a schema, from a worker; cancelling ends the work."""
    is_html = page.receipt.raw and "html" in str(page.metadata.get("content_type"))
    if not is_html:
        capability = "return the HTML of this page"
        return Failure(UnsupportedCapability(capability=capability, backend=page.receipt.backend))
    body = page.raw_content.encode("utf-8", "replace")
    detail = msgspec.json.encode(schema).decode()
    proved = await _WORKERS.convert(body, detail, page.final_url)
    return proved.map(lambda it: _VALUES_DECODER.decode(it.content))

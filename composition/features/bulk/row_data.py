"""What the pages of a run prove of its schema, with the same verdict on any machine."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from returns.result import Failure, Result

from webseam.adapters.pages.detection import kind_of_type
from webseam.adapters.pages.fetch.content import decode_fetched_html
from webseam.adapters.pages.workers.pool import Workers, share_workers
from webseam.kernel.features.bulk import bulk_rows
from webseam.kernel.features.data.data_column import data_column, failed_column
from webseam.kernel.features.data.json_schema import read_json_schema
from webseam.ports.bulk import BulkItem
from webseam.ports.data import DataSchema, PageValues
from webseam.ports.data_rules import ProofTask
from webseam.ports.errors import InvalidQuery, UnsupportedContent, WebError
from webseam.ports.pages import ReadPage

from ..data.page_proof import PROVER
from .conversion import BULK_WORKER_LIMITS, convert_with_retries

_VALUES_DECODER: Final = msgspec.json.Decoder(PageValues)


def read_row_schema(text: str) -> Result[DataSchema, WebError]:
    """Return the fields of the JSON Schema of a run, or the keyword that is not understood."""
    try:
        schema = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return Failure(InvalidQuery(field="--schema", reason=f"is no JSON: {error}"))
    if not isinstance(schema, dict):
        return Failure(InvalidQuery(field="--schema", reason="is no JSON Schema of an object"))
    return read_json_schema(schema)


class RowData:
    """Makes the column ``data`` of the rows of one run."""

    def __init__(self, schema: DataSchema) -> None:
        self.schema = schema
        # Rules that were learned on this machine would make other rows on another one.
        self._task = msgspec.json.encode(ProofTask(schema=schema)).decode()

    async def prove(self, item: BulkItem) -> dict[str, Any]:
        """Return the column of a page that was read; a failure is in the column."""
        kind = item.content_type.partition(";")[0].strip().lower()
        if kind and kind_of_type(kind) != "html":
            return failed_column(UnsupportedContent(content_type=kind))
        body = decode_fetched_html(item.body, item.content_type).encode("utf-8", "replace")
        url = item.final_url or item.url or ""
        proved = await self._prove_in_pool(share_workers(PROVER, BULK_WORKER_LIMITS), body, url)
        if bulk_rows.is_doubtful_bulk_failure(proved):
            proved = await convert_with_retries(lambda: self._prove_in_fresh_worker(body, url))
        if isinstance(proved, Failure):
            return failed_column(proved.failure())
        return data_column(_VALUES_DECODER.decode(proved.unwrap().content), self.schema)

    async def _prove_in_fresh_worker(self, body: bytes, url: str) -> Result[ReadPage, WebError]:
        async with Workers(1, BULK_WORKER_LIMITS, converter=PROVER) as workers:
            return await self._prove_in_pool(workers, body, url)

    async def _prove_in_pool(
        self, pool: Workers, body: bytes, url: str
    ) -> Result[ReadPage, WebError]:
        return await pool.convert(body, self._task, url)

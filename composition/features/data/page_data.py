"""Typed values of pages that were read: each page is proved in a process that can be killed."""

import asyncio
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.data.rule_files import RuleFiles
from webseam.adapters.pages.fetch.content import decode_fetched_html
from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import share_workers
from webseam.kernel.features.data.typed_values import make_data, read_wanted
from webseam.kernel.pages.page_budget import save_page_record
from webseam.kernel.pages.page_record import PageRecord, PageSource
from webseam.ports.data import Data, DataSchema, PageValues
from webseam.ports.data_rules import ProofTask, SiteRules
from webseam.ports.errors import UnsupportedCapability, WebError
from webseam.ports.stores import TextStore
from webseam.ports.web import WebExtractResult

from ...settings.file_locations import PROCESS_FILES, FileLocations

PROVER: Final = "webseam.composition.features.data.html_data:prove_body"
LIMITS: Final = WorkerLimits(cpu_seconds=5.0, wall_seconds=20.0, idle_seconds=20.0)
_WORKERS: Final = share_workers(PROVER, LIMITS)
_VALUES_DECODER: Final = msgspec.json.Decoder(PageValues)


async def read_page_data(
    page: WebExtractResult,
    wanted: object,
    texts: TextStore | None = None,
    files: FileLocations = PROCESS_FILES,
    /,
) -> Result[Data[Any], WebError]:
    """Return the values of a page whose ``raw_content`` is its HTML.

    The text that its quotes stand in is stored in ``texts``. The rules of its site are those that
    were learned into ``files``.
    """
    schema = read_wanted(wanted)
    if isinstance(schema, Failure):
        return schema
    store = RuleFiles(files.rules_folder)
    site = page_site(page.final_url)
    rules = await asyncio.to_thread(store.load, site, schema.unwrap())
    values = await prove_page(page, schema.unwrap(), rules)
    made = values.bind(lambda it: make_data(it, schema.unwrap(), wanted, page.final_url))
    if isinstance(made, Failure):
        return made
    data = msgspec.structs.replace(made.unwrap(), receipt=page.receipt)
    return Success(data if texts is None else await _store_text(data, page, texts))


async def _store_text(data: Data[Any], page: WebExtractResult, texts: TextStore) -> Data[Any]:
    """Return the values with the handle of their text; without one if the store fails."""
    receipt = page.receipt
    source = PageSource(url=receipt.url, final_url=receipt.final_url or receipt.url)
    record = PageRecord(source=source, content=data.text, title=page.title)
    saved = await save_page_record(record, texts)
    if isinstance(saved, Failure):
        warning = f"The text of the quotes could not be stored. {saved.failure().message}"
        warned = msgspec.structs.replace(receipt, warnings=(*receipt.warnings, warning))
        return msgspec.structs.replace(data, receipt=warned)
    handle = saved.unwrap()
    basis = {
        name: msgspec.structs.replace(it, handle=handle) if it.quotes else it
        for name, it in data.basis.items()
    }
    return msgspec.structs.replace(data, basis=basis)


async def prove_page(
    page: WebExtractResult, schema: DataSchema, rules: SiteRules | None = None
) -> Result[PageValues, WebError]:
    """Return what a page proves of a schema, from a worker; cancelling ends the work."""
    html = page_html(page)
    if isinstance(html, Failure):
        return html
    return await prove_html(html.unwrap(), page.final_url, ProofTask(schema=schema, rules=rules))


def page_site(url: str) -> str:
    """Return the host of a page, with its port if it has one."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def page_html(page: WebExtractResult) -> Result[str, WebError]:
    """Return the HTML of a page that was read with it."""
    if page.receipt.raw and "html" in str(page.metadata.get("content_type")):
        return Success(page.raw_content)
    capability = "return the HTML of this page"
    return Failure(UnsupportedCapability(capability=capability, backend=page.receipt.backend))


async def read_file_data(body: bytes, wanted: object, url: str) -> Result[Data[Any], WebError]:
    """Return the values of the HTML in a file; ``url`` is where it came from, if that is known."""
    schema = read_wanted(wanted)
    if isinstance(schema, Failure):
        return schema
    task = ProofTask(schema=schema.unwrap())
    values = await prove_html(decode_fetched_html(body, ""), url, task)
    return values.bind(lambda it: make_data(it, schema.unwrap(), wanted, url))


async def prove_html(html: str, url: str, task: ProofTask) -> Result[PageValues, WebError]:
    """Return what the HTML of a page proves, from a worker."""
    detail = msgspec.json.encode(task).decode()
    proved = await _WORKERS.convert(html.encode("utf-8", "replace"), detail, url)
    return proved.map(lambda it: _VALUES_DECODER.decode(it.content))

"""Typed values of pages that were read, and of files."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.data.rule_files import RuleFiles
from webseam.adapters.pages.fetch.content import decode_fetched_html
from webseam.kernel.features.data.typed_values import make_data, read_wanted
from webseam.kernel.pages.page_budget import save_page_record
from webseam.kernel.pages.page_record import PageRecord, PageSource
from webseam.ports.data import Data, DataSchema, PageValues
from webseam.ports.data_rules import ProofTask, SiteRules
from webseam.ports.errors import UnsupportedCapability, WebError
from webseam.ports.stores import TextStore
from webseam.ports.web import WebExtractResult

from ...settings.file_locations import PROCESS_FILES, FileLocations
from ...settings.settings_root import SettingsRoot
from .page_proof import prove_html


async def read_page_data(
    page: WebExtractResult,
    wanted: object,
    texts: TextStore | None = None,
    files: FileLocations = PROCESS_FILES,
    root: SettingsRoot | None = None,
    /,
) -> Result[Data[Any], WebError]:
    """Return the values of a page whose ``raw_content`` is its HTML.

    The text that its quotes stand in is stored in ``texts``. The rules of its site are those that
    were learned into ``files``. With ``root``, the model of its ``small_work`` is the last witness.
    """
    schema = read_wanted(wanted)
    if isinstance(schema, Failure):
        return schema
    store = RuleFiles(files.rules_folder)
    site = page_site(page.final_url)
    rules = await asyncio.to_thread(store.load, site, schema.unwrap())
    values = await prove_page(page, schema.unwrap(), rules)
    if isinstance(values, Failure):
        return values
    proved, receipt = values.unwrap(), page.receipt
    if root is not None:
        from .model_hearing import Heard, PageHtml, hear_set_model  # noqa: PLC0415  few calls ask

        html = PageHtml(html=page.raw_content, url=page.final_url, rules=rules)
        before = Heard(values=proved, schema=schema.unwrap(), wanted=wanted)
        heard = await hear_set_model(html, before, root)
        if isinstance(heard, Failure):
            return heard
        proved, receipt = heard.unwrap().values, heard.unwrap().add_to_receipt(receipt)
    made = make_data(proved, schema.unwrap(), wanted, page.final_url)
    if isinstance(made, Failure):
        return made
    data = msgspec.structs.replace(made.unwrap(), receipt=receipt)
    return Success(data if texts is None else await _store_text(data, page, texts))


async def _store_text(data: Data[Any], page: WebExtractResult, texts: TextStore) -> Data[Any]:
    """Return the values with the handle of their text; without one if the store fails."""
    receipt = data.receipt or page.receipt
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

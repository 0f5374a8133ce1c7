"""Learn the rules of sites from pages that were read, and keep them in the local store.

Values are not learned while ``data`` reads pages: one page teaches little, and then a call would
depend on which pages were read before it.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.data.rule_files import RuleFiles
from webseam.adapters.pages.workers.pool import share_workers
from webseam.kernel.features.data.rules import MAX_PAGES, draft_rules
from webseam.kernel.features.data.typed_values import read_wanted
from webseam.ports.data import DataSchema
from webseam.ports.data_rules import ObserveTask, PageExample, ReproduceTask, SiteRules
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.web import WebExtractResult

from ...settings.file_locations import FileLocations
from .page_data import page_html, page_site
from .page_proof import LIMITS

LEARNER: Final = "webseam.composition.features.data.html_rules:learn_body"
_WORKERS: Final = share_workers(LEARNER, LIMITS)
_EXAMPLE_DECODER: Final = msgspec.json.Decoder(PageExample)
_RULES_DECODER: Final = msgspec.json.Decoder(SiteRules)
Answer = TypeVar("Answer")


async def learn_pages(
    pages: Sequence[WebExtractResult], wanted: object, files: FileLocations, /
) -> Result[list[SiteRules], WebError]:
    """Return the rules that pages teach, one entry for each site, after they are stored."""
    schema = read_wanted(wanted)
    if isinstance(schema, Failure):
        return schema
    by_site: dict[str, list[WebExtractResult]] = {}
    for page in pages:
        by_site.setdefault(page_site(page.final_url), []).append(page)
    store = RuleFiles(files.rules_folder)
    learned: list[SiteRules] = []
    for site, own in by_site.items():
        if len(own) > MAX_PAGES:
            reason = f"has {len(own)} pages of {site}; at most {MAX_PAGES} teach its rules"
            return Failure(InvalidQuery(field="urls", reason=reason))
        rules = await _learn_site(site, schema.unwrap(), own)
        if isinstance(rules, Failure):
            return rules
        saved = await asyncio.to_thread(store.save, rules.unwrap())
        if isinstance(saved, Failure):
            return saved
        learned.append(rules.unwrap())
    return Success(learned)


async def _learn_site(
    site: str, schema: DataSchema, pages: Sequence[WebExtractResult]
) -> Result[SiteRules, WebError]:
    examples: list[PageExample] = []
    for page in pages:
        observed = await _ask_worker(page, ObserveTask(schema=schema), _EXAMPLE_DECODER)
        if isinstance(observed, Failure):
            return observed
        examples.append(observed.unwrap())
    rules = msgspec.structs.replace(
        draft_rules(site, schema, examples),
        pages=tuple(page.final_url for page in pages),
        learned=datetime.now(UTC).date().isoformat(),
    )
    for page, example in zip(pages, examples, strict=True):
        tried = await _ask_worker(page, ReproduceTask(rules=rules, example=example), _RULES_DECODER)
        if isinstance(tried, Failure):
            return tried
        rules = tried.unwrap()
    return Success(rules)


async def _ask_worker(
    page: WebExtractResult,
    task: ObserveTask | ReproduceTask,
    decoder: msgspec.json.Decoder[Answer],
) -> Result[Answer, WebError]:
    html = page_html(page)
    if isinstance(html, Failure):
        return html
    detail = msgspec.json.encode(task).decode()
    body = html.unwrap().encode("utf-8", "replace")
    answered = await _WORKERS.convert(body, detail, page.final_url)
    return answered.map(lambda it: decoder.decode(it.content))

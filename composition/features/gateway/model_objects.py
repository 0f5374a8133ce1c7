"""Objects that a caller wants of a model: none goes out that was not checked.

An answer from the rows of a search keeps to its schema. Data of a page are those that the page
proves, whether linked data, its labels or the model say them.
"""

import secrets

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway import asks
from webseam.adapters.features.gateway.replies import Refusal, refusal_for_error
from webseam.adapters.transforms.text_workers import text_workers
from webseam.kernel.features.data.typed_values import read_wanted
from webseam.kernel.features.models.checked_objects import ask_for_object
from webseam.kernel.features.models.small_work import sources_request, sources_text
from webseam.ports.errors import (
    InvalidQuery,
    NothingSupported,
    StructuredOutputInvalid,
    WebError,
)
from webseam.ports.receipts import Usage, add_usage
from webseam.ports.web import SearchOutcome, WebExtractResult

from ..data.model_hearing import PageHtml, page_object
from ..models.schema_checks import fit_schema, schema_check
from ..models.small_work_models import SmallWorker


def refuse_schema(task: asks.WritingTask) -> Refusal | None:
    """Return a refusal of a schema against which no object can be checked."""
    form = task.rules.output_schema
    if form is None:
        return None
    usable = schema_check(form.schema)
    problem: WebError | None = usable.failure() if isinstance(usable, Failure) else None
    if problem is None and task.data and "properties" in form.schema:
        provable = read_wanted(form.schema)
        problem = provable.failure() if isinstance(provable, Failure) else None
    if isinstance(problem, InvalidQuery):
        field = task.schema_field + problem.field.removeprefix("schema")
        problem = msgspec.structs.replace(problem, field=field)
    return None if problem is None else refusal_for_error(problem)


def can_do_without_model(task: asks.WritingTask) -> bool:
    """Tell whether a page may prove the data of a task by itself."""
    form = task.rules.output_schema
    return task.data and form is not None and "properties" in form.schema


async def object_from_rows(
    task: asks.WritingTask, outcome: SearchOutcome, worker: SmallWorker
) -> Result[asks.WrittenAnswer, WebError]:
    """Return an object that answers from the rows of a search and keeps to the task's schema."""
    form = task.rules.output_schema
    if form is None or isinstance(check := schema_check(form.schema), Failure):
        return Failure(InvalidQuery(field=task.schema_field, reason="must be a JSON Schema"))
    if not any(row.title or row.snippet for row in outcome.rows):
        return Failure(NothingSupported(reason="no_results"))
    mark = secrets.token_hex(8)
    request = sources_request(
        task.prompt, sources_text(outcome), worker.name, task.rules, mark=mark
    )
    if isinstance(request, Failure):
        return request
    answer = await ask_for_object(request.unwrap(), worker.model, check.unwrap())
    text = answer.checked.map(lambda it: msgspec.json.encode(it.value).decode())
    usage = answer.usage or Usage()
    return text.map(lambda it: asks.WrittenAnswer(text=it, model=worker.name, usage=usage))


async def with_page_object(
    page: asks.Page, result: WebExtractResult, task: asks.WritingTask, worker: SmallWorker | None
) -> asks.Page:
    """Return a page with the object that it proves, or refused."""
    html = await _page_html(result)
    if isinstance(html, Failure):
        return asks.Page(url=page.url, refusal=refusal_for_error(html.failure()))
    form = task.rules.output_schema
    schema = None if form is None else form.schema
    wanted = schema if can_do_without_model(task) else None
    proved = await page_object(html.unwrap(), wanted, worker, task.prompt)
    value = proved.data.map(lambda it: it.value)
    if isinstance(value, Success) and schema is not None:
        fitted = fit_schema(value.unwrap(), schema)
        if isinstance(fitted, Failure):
            backend = "" if worker is None else worker.name
            value = Failure(StructuredOutputInvalid(reason=fitted.failure(), backend=backend))
    if isinstance(value, Failure):
        return asks.Page(url=page.url, refusal=refusal_for_error(value.failure()))
    usage = add_usage(result.receipt.usage, proved.usage)
    receipt = msgspec.structs.replace(result.receipt, usage=usage)
    return msgspec.structs.replace(
        page,
        result=msgspec.structs.replace(result, receipt=receipt),
        written=msgspec.json.encode(value.unwrap()).decode(),
    )


async def _page_html(result: WebExtractResult) -> Result[PageHtml, WebError]:
    """Return the HTML of a page; what was read in another form is converted from its markdown."""
    is_html = result.receipt.raw and "html" in str(result.metadata.get("content_type"))
    if is_html:
        return Success(PageHtml(html=result.raw_content, url=result.final_url))
    made = await text_workers.transform("html", result.content)
    return made.map(lambda it: PageHtml(html=it, url=result.final_url))

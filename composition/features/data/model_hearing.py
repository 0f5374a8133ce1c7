"""Hear a model about a page: what it says is proved by the page like what any witness says."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.features.data.model_witness import (
    INSTRUCTION,
    answer_schema,
    describe_object,
    explain_refused,
    open_fields,
    read_said,
)
from webseam.kernel.features.data.typed_values import SchemaModel, make_data, read_wanted
from webseam.kernel.features.models.checked_objects import JsonObject, ask_for_object
from webseam.kernel.features.models.small_work import text_request
from webseam.ports.data import Data, DataSchema, PageValues, Said
from webseam.ports.data_rules import ProofTask, SiteRules
from webseam.ports.errors import DataRefused, WebError
from webseam.ports.models import OutputSchema, WritingRules
from webseam.ports.receipts import ExtractReceipt, Usage, add_usage

from ...planning.open_backends import close_after
from ...settings.settings_root import SettingsRoot
from ..models.small_work_models import SmallWorker, open_small_work_model
from .page_proof import prove_html

_NO_FIELDS = DataSchema(thing="", fields=())
_MODEL_SECONDS = 60.0


class PageHtml(msgspec.Struct, frozen=True, kw_only=True):
    """The HTML that proves the values of a page, its address, and the rules of its site."""

    html: str
    url: str
    rules: SiteRules | None = None


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What a page proves of what is wanted, after a model was heard.

    ``wanted`` is the caller's, or describes the model's object. ``error`` says why the model
    could not be heard.
    """

    values: PageValues
    schema: DataSchema
    wanted: object
    usage: Usage | None = None
    error: WebError | None = None

    def add_to_receipt(self, receipt: ExtractReceipt) -> ExtractReceipt:
        """Return the receipt of a page with what the model cost, and why it was not heard."""
        usage, warnings = add_usage(receipt.usage, self.usage), receipt.warnings
        if self.error is not None:
            warnings += (f"No model was heard. {self.error.message}",)
        return msgspec.structs.replace(receipt, usage=usage, warnings=warnings)


class PageObject(msgspec.Struct, frozen=True, kw_only=True):
    """The typed values of a page, or why there are none, and what a model cost."""

    data: Result[Data[Any], WebError]
    usage: Usage | None = None


async def page_object(
    page: PageHtml, wanted: object, worker: SmallWorker | None, words: str = ""
) -> PageObject:
    """Return the values that a page proves; a model, if there is one, is asked for what is open.

    Without ``wanted`` the fields are those of the model's object; ``words`` tell it what is
    wanted. An object without a value is refused.
    """
    schema = Success(_NO_FIELDS) if wanted is None else read_wanted(wanted)
    if isinstance(schema, Failure):
        return PageObject(data=schema)
    task = ProofTask(schema=schema.unwrap())
    values = await prove_html(page.html, page.url, task)
    if isinstance(values, Failure):
        return PageObject(data=values)
    heard = Heard(values=values.unwrap(), schema=schema.unwrap(), wanted=wanted)
    if worker is not None:
        heard = await hear_model(page, heard, worker, words)
    made = make_data(heard.values, heard.schema, heard.wanted, page.url)
    if isinstance(made, Success) and heard.values.proved:
        return PageObject(data=made, usage=heard.usage)
    if heard.error is not None:
        return PageObject(data=Failure(heard.error), usage=heard.usage)
    if isinstance(made, Failure):
        return PageObject(data=made, usage=heard.usage)
    names = tuple(heard.values.refused)
    nothing = DataRefused(required=names, refused=heard.values.refused, url=page.url or None)
    return PageObject(data=Failure(nothing), usage=heard.usage)


async def hear_set_model(
    page: PageHtml, heard: Heard, root: SettingsRoot
) -> Result[Heard, WebError]:
    """Return what a page proves with the model of ``small_work``, or the setting that is missing.

    The model is not asked where nothing is open.
    """
    opened = open_small_work_model("small_work", root)
    if isinstance(opened, Failure):
        return opened
    worker = opened.unwrap()
    return Success(await close_after(worker, hear_model(page, heard, worker)))


async def hear_model(page: PageHtml, heard: Heard, worker: SmallWorker, words: str = "") -> Heard:
    """Return what a page proves with a model as the last witness; it is asked for what is open."""
    fields = open_fields(heard.values, heard.schema)
    if heard.wanted is not None and not fields:
        return heard
    shape: Mapping[str, object] | None = None
    if isinstance(heard.wanted, Mapping):
        shape = heard.wanted
    elif isinstance(heard.wanted, type) and isinstance(heard.wanted, SchemaModel):
        shape = heard.wanted.model_json_schema()
    elif heard.wanted is not None:
        shape = answer_schema(fields)
    rules = WritingRules(
        instructions=f"What is wanted: {words}" if words else "",
        output_schema=None if shape is None else OutputSchema(schema=shape, strict=False),
    )
    mark = secrets.token_hex(8)
    request = text_request(heard.values.text, INSTRUCTION, worker.name, rules, mark=mark)
    if isinstance(request, Failure):
        return msgspec.structs.replace(heard, error=request.failure())
    hearing = _Hearing(page, heard)
    timed = msgspec.structs.replace(request.unwrap(), deadline=_MODEL_SECONDS)
    answer = await ask_for_object(timed, worker.model, hearing.check)
    is_unheard = isinstance(answer.checked, Failure) and not hearing.has_heard
    error = answer.checked.failure() if is_unheard else None
    return msgspec.structs.replace(hearing.heard, usage=answer.usage, error=error)


class _Hearing:
    """Proves the answers of one model about one page; what an earlier one proved stays."""

    def __init__(self, page: PageHtml, heard: Heard) -> None:
        self._page = page
        self._is_free = heard.wanted is None
        self._fields = open_fields(heard.values, heard.schema)
        self._said: Said = {}
        self.heard = heard
        self.has_heard = False

    async def check(self, answer: JsonObject) -> Result[None, str]:
        """Prove an answer; say what of it the page does not prove."""
        schema, wanted = self.heard.schema, self.heard.wanted
        if self._is_free:
            described = describe_object(answer)
            if isinstance(described, Failure):
                return described
            wanted = described.unwrap()
            read = read_wanted(wanted)
            if isinstance(read, Failure):
                return Failure(read.failure().message)
            schema = read.unwrap()
            self._fields = schema.fields
        said = read_said(answer, self._fields)
        if isinstance(said, Failure):
            return said
        proved = self.heard.values.proved
        self._said = {
            **said.unwrap(),
            **{name: value for name, value in self._said.items() if name in proved},
        }
        task = ProofTask(schema=schema, rules=self._page.rules, said=self._said)
        values = await prove_html(self._page.html, self._page.url, task)
        self.has_heard = True
        if isinstance(values, Failure):
            # The page proves what it proved before; the model would say the same again.
            return Success(None)
        refused = values.unwrap().refused
        self.heard = msgspec.structs.replace(
            self.heard, values=values.unwrap(), schema=schema, wanted=wanted
        )
        reason = explain_refused(self._fields, self._said, refused)
        return Success(None) if reason is None else Failure(reason)

"""Typed values from the HTML of a page, in this process; a worker loads this by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, overload

import msgspec
from returns.result import Failure, Result

from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.proving import prove
from webseam.kernel.features.data.typed_values import make_data, read_wanted
from webseam.ports.data import Data
from webseam.ports.data_rules import ProofTask, SiteRules
from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

Wanted = TypeVar("Wanted")
_TASK_DECODER = msgspec.json.Decoder(ProofTask)


@overload
def data_from_html(
    raw: str | bytes,
    wanted: type[Wanted],
    /,
    *,
    url: str = "",
    content_type: str = "",
    rules: SiteRules | None = None,
) -> Result[Data[Wanted], WebError]: ...


@overload
def data_from_html(
    raw: str | bytes,
    wanted: Mapping[str, Any],
    /,
    *,
    url: str = "",
    content_type: str = "",
    rules: SiteRules | None = None,
) -> Result[Data[dict[str, Any]], WebError]: ...


def data_from_html(
    raw: str | bytes,
    wanted: object,
    /,
    *,
    url: str = "",
    content_type: str = "",
    rules: SiteRules | None = None,
) -> Result[Data[Any], WebError]:
    """Return the values that a page proves for a type, or why a required one is not proved.

    ``wanted`` is a Struct, a dataclass, a TypedDict, an attrs class, a pydantic model, or a JSON
    Schema. ``url`` is the page's address; ``content_type`` its header, for the charset of bytes.
    ``rules`` are those that ``learn`` returned for the page's site and this type.
    """
    schema = read_wanted(wanted)
    if isinstance(schema, Failure):
        return schema
    page = read_data_page(raw, url, content_type)
    if isinstance(page, Failure):
        return page
    values = prove(page.unwrap(), schema.unwrap(), rules=rules)
    return make_data(values, schema.unwrap(), wanted, url)


def prove_body(body: bytes, task: str, url: str) -> Result[ReadPage, WebError]:
    """Prove the values of a page for a ``ProofTask`` in JSON; the content of the answer is JSON."""
    try:
        wanted = _TASK_DECODER.decode(task)
    except msgspec.DecodeError:
        # The fork server converts an example page before its first fork.
        return Failure(ParseFailed(reason="corrupt", detail="there is no such schema"))
    page = read_data_page(body, url, "text/html; charset=utf-8")
    values = page.map(lambda it: prove(it, wanted.schema, rules=wanted.rules, said=wanted.said))
    return values.map(lambda it: ReadPage(title="", content=msgspec.json.encode(it).decode()))

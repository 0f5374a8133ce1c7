"""Check the envelope that a plugin returns in place of a tool's own, by the laws for backends.

What the plugin changed is carried over into the typed result; see ``plugin_changes``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.attempts import Sighting
from webseam.ports.errors import InvalidDocument, MiddlewareFailed, WebError
from webseam.ports.receipts import ExtractReceipt, SearchReceipt
from webseam.ports.web import RejectedRow, SearchAnswer, SearchOutcome, WebExtractResult

from . import envelopes
from .boundary import attempt_call
from .deps import WebDeps
from .envelopes import Fields, Replaced, envelope_list, envelope_mapping
from .extract import receive_page
from .laws.field_checks import check_query
from .laws.row_law import LawfulRow
from .laws.unread import FOREIGN_NAMES, unread_warnings
from .middleware.arguments import check_extract_arguments
from .plugin_changes import Carried, Original, carry_fields, is_same_json, refuse_change
from .policy.policy_rules import Policy
from .search import receive_replaced_rows
from .text.display import one_line, strip_hidden, strip_hidden_values
from .text.redaction import redact_url, unread_names
from .text.trim import Piece
from .urls.url_parsing import parse_target

# Returns the policy for the page of a URL, or the refusal of the URL.
Admit: TypeAlias = Callable[[str], Result[Policy, WebError]]
# The names of a row in an envelope, and of the same in a row of a backend.
_ROW_NAMES = {
    "title": "title", "url": "url", "description": "snippet", "published_at": "published_at",
}  # fmt: skip
_TEXT_NAMES = ("snippet", *FOREIGN_NAMES["snippet"])
_EXTRA_ROW_NAMES = ("score", "origin")
_ENVELOPE_ROW_NAMES = (
    *_ROW_NAMES, *_EXTRA_ROW_NAMES, "position", "source", "found_by", "content", "error",
)  # fmt: skip
_IDENTIFYING_NAMES = ("title", "description")
# The title, without an address, that stands for prose in a list of rows.
_PROSE_TITLE = "Search Answer"
_LEFT_OUT_COUNTS = ("rejected", "blocked", "trimmed", "filtered")
_ENVELOPE_NAMES = frozenset({"success", "data", "receipt", "failed", "error", "failure"})
_PAGE_NAMES = ("url", "title", "content", "final_url", "metadata")
_STATED_NAMES = (*envelopes.READING_FIELDS, *envelopes.HTML_FIELDS)
_ENTRY_NAMES = frozenset((*_PAGE_NAMES, *_STATED_NAMES, "raw_content", "error"))


class _OwnRow(msgspec.Struct, frozen=True):
    """A row of the tool itself, and its entry in the envelope."""

    row: Any
    entry: Fields


class _PluginRow(msgspec.Struct, frozen=True):
    """A row of a plugin's envelope: ``fields`` for the row law, and the row of ours that it was."""

    raw: Fields
    fields: Fields
    own: _OwnRow | None

    def is_row(self, row: LawfulRow | Any) -> bool:  # noqa: ANN401  a row before or after its law
        """Tell whether this became the checked row."""
        checked = (row.url, row.title, row.snippet, row.published_at)
        fields = self.fields
        return checked == (
            fields.get("url"),
            fields.get("title"),
            fields.get("snippet", ""),
            fields.get("published_at"),
        )


def check_replaced_search(
    envelope: Fields,
    query: object,
    deps: WebDeps,
    originals: Sequence[Original] = (),
    by: str = "",
) -> Result[Replaced, WebError]:
    """Return a search's envelope with the rows that the row law and the policy let through."""
    checked = check_query(query)
    if isinstance(checked, Failure):
        return checked
    data = envelope_mapping(envelope.get("data"))
    rows, answer = data.get("web"), data.get("answer")
    if not isinstance(rows, list):
        return refuse_change("$.data.web", "a list of rows", rows)
    plugin_rows = _read_plugin_rows(rows, originals)
    renamed = next(filter(None, map(_renamed_text, plugin_rows)), None)
    if renamed is not None:
        return refuse_change("$.data.web[].description", "the text of each row", f"`{renamed}`")
    prose = () if answer is None else (_carried_answer(answer, originals),)
    items = [item.fields if isinstance(item, _PluginRow) else item for item in plugin_rows]
    outcome = receive_replaced_rows(
        [*items, *prose], checked.unwrap(), deps, is_changed=bool(originals)
    )
    if not isinstance(outcome, SearchOutcome):
        return Failure(outcome)
    return _finish_search(envelope, plugin_rows, outcome, originals, by)


def _renamed_text(row: object) -> str | None:
    """Return the name under which a row has its text where it has no ``description``."""
    if not isinstance(row, _PluginRow) or "description" in row.raw:
        return None
    return next((name for name in _TEXT_NAMES if name in row.raw), None)


def _read_plugin_rows(rows: list[object], originals: Sequence[Original]) -> list[object]:
    """Return each row of a plugin with the row of ours that it was; or its prose, or anything.

    A plugin of Hermes may write the text of a model as a row without an address.
    """
    raw_rows = [row for row in rows if isinstance(row, dict)]
    matches = _match_rows(raw_rows, list(chain.from_iterable(map(_own_rows, originals))))
    read: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            read.append(row)
        elif row.get("title") == _PROSE_TITLE and row.get("url") == "":
            read.append(_carried_answer(row.get("description", ""), originals))
        else:
            own = matches.get(id(row))
            read.append(_PluginRow(raw=row, fields=_row_fields(row, own), own=own))
    return read


def _own_rows(original: Original) -> Iterable[_OwnRow]:
    outcome = cast("SearchOutcome", original.outcome)
    entries = envelope_mapping(original.envelope["data"])["web"]
    return map(_OwnRow, outcome.rows, cast("list[Fields]", entries))


def _match_rows(raw_rows: Sequence[Fields], own_rows: Sequence[_OwnRow]) -> dict[int, _OwnRow]:
    """Return which row of ours each row of a plugin was, by the ``id`` of the plugin's.

    A row is known by its URL. One with another URL was the row at its position, if the title, the
    text or the host stayed; else it is a row of the plugin's own.
    """
    by_url: dict[str, deque[_OwnRow]] = {}
    for own in own_rows:
        by_url.setdefault(own.row.url, deque()).append(own)
    matches: dict[int, _OwnRow] = {}
    for raw in raw_rows:
        url = raw.get("url")
        if isinstance(url, str) and by_url.get(url):
            matches[id(raw)] = by_url[url].popleft()
    taken = {id(own) for own in matches.values()}
    by_position = {own.row.position: own for own in own_rows if id(own) not in taken}
    for raw in raw_rows:
        position = raw.get("position")
        if id(raw) in matches or type(position) is not int:
            continue
        free = by_position.get(position)
        if free is not None and _is_same_row(raw, free):
            matches[id(raw)] = by_position.pop(position)
    return matches


def _is_same_row(raw: Fields, own: _OwnRow) -> bool:
    for name in _IDENTIFYING_NAMES:
        if own.entry[name] and raw.get(name) == own.entry[name]:
            return True
    target, own_target = parse_target(raw.get("url")), parse_target(own.row.url)
    hosts = [it.unwrap().host for it in (target, own_target) if isinstance(it, Success)]
    return len(hosts) == len((target, own_target)) and hosts[0] == hosts[1]


def _row_fields(raw: Fields, own: _OwnRow | None) -> Fields:
    """Return an envelope's row under the names of a backend's row; what was not changed is ours."""
    fields: Fields = {}
    for name, field in _ROW_NAMES.items():
        if name in raw:
            is_ours = own is not None and is_same_json(own.entry.get(name), raw[name])
            fields[field] = getattr(own.row, field) if own is not None and is_ours else raw[name]
    for name in _EXTRA_ROW_NAMES:
        if name in raw:
            fields[name] = raw[name]
        elif own is not None:
            fields[name] = getattr(own.row, name)
    return fields


def _carried_answer(prose: object, originals: Sequence[Original]) -> SearchAnswer:
    for original in originals:
        answer = cast("SearchOutcome", original.outcome).answer
        if answer is not None and strip_hidden(answer.text) == prose:
            return answer
    return SearchAnswer(text=cast("str", prose))


def _finish_search(
    envelope: Fields,
    plugin_rows: Sequence[object],
    outcome: SearchOutcome,
    originals: Sequence[Original],
    by: str,
) -> Result[Replaced, WebError]:
    """Join the checked rows with what the plugin did not touch, in the outcome and in the JSON."""
    base = cast("SearchOutcome", originals[-1].outcome) if originals else None
    before = originals[-1].envelope if originals else Fields()
    receipt = outcome.receipt if base is None else base.receipt
    if base is None:
        receipt = replace(
            receipt, backend=by, **dict.fromkeys(_LEFT_OUT_COUNTS, 0), returned=len(plugin_rows)
        )
    own_receipt = envelope_mapping(before.get("receipt"))
    written = envelope.get("receipt", own_receipt)
    carried = carry_fields(receipt, own_receipt, written, "$.receipt")
    if isinstance(carried, Failure):
        return carried
    receipt = carried.unwrap().value
    data = envelope_mapping(envelope.get("data"))
    own_data = envelope_mapping(before.get("data"))
    rejected = _carried_rejections(data, own_data, base)
    if isinstance(rejected, Failure):
        return rejected
    joined = _join_rows(plugin_rows, outcome, receipt.backend)
    if isinstance(joined, Failure):
        return joined
    rows, raw_rows = joined.unwrap()
    counts = {name: getattr(outcome.receipt, name) for name in _LEFT_OUT_COUNTS}
    typed = SearchOutcome(
        rows=rows,
        answer=outcome.answer,
        rejected=(*rejected.unwrap(), *outcome.rejected),
        receipt=_count_changes(receipt, counts, outcome.receipt, base),
    )
    names = [
        *(name for raw in raw_rows for name in raw if name not in _ENVELOPE_ROW_NAMES),
        *_changed_keys(data, own_data, ("web", "answer", "rejected"), "data."),
        *(f"receipt.{name}" for name in carried.unwrap().unread),
        *(name for name in envelope if name not in _ENVELOPE_NAMES),
    ]
    merged = _merge_search_envelope(envelope, data, typed, raw_rows)
    json_receipt = {**own_receipt, **envelope_mapping(written)}
    for name, count in counts.items():
        earlier = json_receipt.get(name)
        if count:
            json_receipt[name] = count + (earlier if type(earlier) is int else 0)
    if json_receipt:
        merged["receipt"] = json_receipt
    return Success(Replaced(_strip_hidden_fields(merged), _name_unread(typed, names)))


def _name_unread(outcome: SearchOutcome, names: Sequence[str]) -> SearchOutcome:
    """Name the keys that a plugin added and a result has no field for."""
    if not names:
        return outcome
    receipt = outcome.receipt
    unread = unread_names(names)
    warnings = unread_warnings(unread, _ENVELOPE_ROW_NAMES, _ENVELOPE_ROW_NAMES)
    receipt = replace(
        receipt,
        unread=tuple(dict.fromkeys((*receipt.unread, *unread))),
        warnings=(*receipt.warnings, *warnings),
    )
    return replace(outcome, receipt=receipt)


def _changed_keys(
    fields: Fields, own: Fields, declared: Sequence[str], prefix: str
) -> Iterable[str]:
    """Yield the keys that a result has no field for, and that a plugin added or changed."""
    for name, value in fields.items():
        if name not in declared and not (name in own and is_same_json(own[name], value)):
            yield f"{prefix}{name}"


def _carried_rejections(
    data: Fields, own: Fields, base: SearchOutcome | None
) -> Result[tuple[RejectedRow, ...], WebError]:
    written = data.get("rejected", [])
    if base is not None and is_same_json(own.get("rejected", []), written):
        return Success(base.rejected)
    converted = attempt_call(lambda: msgspec.convert(written, tuple[RejectedRow, ...]))
    if isinstance(converted, Failure):
        return refuse_change("$.data.rejected", "rejected rows", written)
    return Success(converted.unwrap())


def _join_rows(
    plugin_rows: Sequence[object], outcome: SearchOutcome, backend: str
) -> Result[tuple[tuple[Any, ...], list[Fields]], WebError]:
    """Return the checked rows with their source and finders, and the plugin's row of each."""
    # The checked rows are some of the plugin's, in their order.
    candidates = (item for item in plugin_rows if isinstance(item, _PluginRow))
    rows, raw_rows = list[Any](), list[Fields]()
    for row in outcome.rows:
        item = next(candidate for candidate in candidates if candidate.is_row(row))
        raw, own = item.raw, item.own
        source, found_by = (backend, ()) if own is None else (own.row.source, own.row.found_by)
        own_entry = {} if own is None else own.entry
        found_json = raw.get("found_by", [])
        if not is_same_json(own_entry.get("found_by", []), found_json):
            sightings = attempt_call(lambda: msgspec.convert(found_json, tuple[Sighting, ...]))  # noqa: B023  called at once
            if isinstance(sightings, Failure):
                return refuse_change("$.data.web[].found_by", "backends and positions", found_json)
            found_by = sightings.unwrap()
        if "source" in raw:
            if type(raw["source"]) is not str:
                return refuse_change("$.data.web[].source", "a name", raw["source"])
            source = one_line(raw["source"])
        page = _carried_row_page(raw, own)
        if isinstance(page, Failure):
            return page
        content, error = page.unwrap()
        rows.append(replace(row, source=source, found_by=found_by, content=content, error=error))
        raw_rows.append(raw)
    return Success((tuple(rows), raw_rows))


def _carried_row_page(
    raw: Fields, own: _OwnRow | None
) -> Result[tuple[str | None, WebError | None], WebError]:
    """Return the text of a row's page and its error, as the plugin left them or changed them."""
    content, error = raw.get("content"), raw.get("error")
    if own is not None and is_same_json(own.entry.get("content"), content):
        content = own.row.content
    elif content is not None and type(content) is not str:
        return refuse_change("$.data.web[].content", "a text", content)
    if error is None:
        return Success((cast("str | None", content), None))
    if own is None or not is_same_json(own.entry.get("error"), error):
        return refuse_change("$.data.web[].error", "the error of this row's page, or none", error)
    return Success((cast("str | None", content), own.row.error))


def _count_changes(
    receipt: SearchReceipt,
    counts: Mapping[str, int],
    checked: SearchReceipt,
    base: SearchOutcome | None,
) -> SearchReceipt:
    """Add what the check of a plugin's rows left out; ``undated`` rows are those that stayed."""
    changes = {name: getattr(receipt, name) + count for name, count in counts.items()}
    if base is None:
        return replace(receipt, **changes, undated=checked.undated)
    dates_before = [row.published_at for row in base.rows]
    is_by_date = {"published_after", "published_before"} & {*checked.verified}
    if is_by_date and checked.undated > dates_before.count(None):
        changes["undated"] = receipt.undated + checked.undated - dates_before.count(None)
    return replace(receipt, **changes)


def _merge_search_envelope(
    envelope: Fields, data: Fields, outcome: SearchOutcome, raw_rows: Sequence[Fields]
) -> Fields:
    """Return the plugin's envelope with the checked rows; its other fields stay."""
    checked = envelope_mapping(envelopes.search_envelope(Success(outcome))["data"])
    # A note is the plugin's to write or to leave out.
    checked.pop("note", None)
    web = cast("list[Fields]", checked["web"])
    if raw_rows:
        web = [{**raw, **row} for raw, row in zip(raw_rows, web, strict=True)]
    others = {name: data[name] for name in data if name not in ("answer", "rejected")}
    return {**envelope, "data": {**others, **checked, "web": web}}


def check_replaced_pages(
    envelope: Fields,
    arguments: Mapping[str, object],
    admit: Admit,
    originals: Sequence[Original] = (),
    by: str = "",
) -> Result[Replaced, WebError]:
    """Return the envelope of pages: one entry for each of the URLs, a page or its error."""
    asked = check_extract_arguments(arguments)
    if isinstance(asked, Failure):
        return asked
    urls = asked.unwrap().urls
    data = envelope_mapping(envelope.get("data"))
    entries = data.get("results")
    if not isinstance(entries, list) or len(entries) != len(urls):
        return refuse_change("$.data.results", f"a list of {len(urls)} pages", entries)
    own_pages = _own_pages(originals)
    own_receipt = envelope_mapping(originals[-1].envelope.get("receipt")) if originals else {}
    written = envelope.get("receipt", own_receipt)
    if not isinstance(written, dict):
        return refuse_change("$.receipt", "an object", written)
    receipt = {**own_receipt, **written}
    receipts = envelope_list(receipt.get("pages"))
    checked: list[Fields] = []
    pages: list[Result[WebExtractResult, WebError]] = []
    for index, (entry, url) in enumerate(zip(entries, urls, strict=True)):
        page_receipt = receipts[index] if index < len(receipts) else None
        written_page = _PluginPage(entry=entry, url=url, receipt=page_receipt, by=by)
        page = _check_replaced_page(written_page, admit, own_pages.get(url))
        if isinstance(page, Failure):
            return page
        checked.append(page.unwrap().envelope)
        pages.append(cast("Result[WebExtractResult, WebError]", page.unwrap().outcome))
    failed = sum(entry["error"] is not None for entry in checked)
    if checked and failed == len(checked):
        reason = "is set for every page of a success"
        return Failure(InvalidDocument(field="error", reason=reason))
    merged = {**envelope, "data": {**data, "results": checked}, "failed": failed}
    if receipt:
        merged["receipt"] = receipt
    own_envelope = originals[-1].envelope if originals else {}
    names = [
        *_changed_keys(data, envelope_mapping(own_envelope.get("data")), ("results",), "data."),
        *_changed_keys(receipt, own_receipt, ("pages", "middleware"), "receipt."),
        *(name for name in envelope if name not in _ENVELOPE_NAMES),
    ]
    named = [page.map(lambda it: _name_unread_of_page(it, names)) for page in pages]
    outcome: object = named[0].value_or(None) if len(named) == 1 else tuple(named)
    return Success(Replaced(_strip_hidden_fields(merged), outcome))


class _OwnPage(msgspec.Struct, frozen=True):
    """A page of the tool itself, or its error, with its entry and receipt in the envelope."""

    page: Result[WebExtractResult, WebError]
    entry: Fields
    receipt: object


def _own_pages(originals: Sequence[Original]) -> dict[str, _OwnPage]:
    """Return the pages that the tool read, by the URL that was asked for."""
    pages: dict[str, _OwnPage] = {}
    for original in originals:
        outcome = original.outcome
        results = outcome if isinstance(outcome, tuple) else (Success(outcome),)
        entries = envelope_mapping(original.envelope["data"])["results"]
        receipts = envelope_mapping(original.envelope["receipt"])["pages"]
        for page, entry, receipt in zip(
            results, cast("list[Fields]", entries), cast("list[object]", receipts), strict=True
        ):
            pages[str(entry["url"])] = _OwnPage(page, entry, receipt)
    return pages


def _name_unread_of_page(page: WebExtractResult, names: Sequence[str]) -> WebExtractResult:
    if not names:
        return page
    unread = tuple(dict.fromkeys((*page.receipt.unread, *unread_names(names))))
    return replace(page, receipt=replace(page.receipt, unread=unread))


class _PluginPage(msgspec.Struct, frozen=True, kw_only=True):
    """The entry of a plugin for a URL, and what its envelope has for the receipt."""

    entry: object
    url: str
    receipt: object
    by: str


def _check_replaced_page(
    written_page: _PluginPage, admit: Admit, own: _OwnPage | None
) -> Result[Replaced, WebError]:
    entry, url, by = written_page.entry, written_page.url, written_page.by
    receipt = written_page.receipt
    fields = envelope_mapping(entry)
    if fields.get("error") is not None:
        return _check_replaced_error(fields, url, own, by)
    page = own.page.value_or(None) if own is not None else None
    own_entry = own.entry if own is not None and page is not None else Fields()
    document = fields if isinstance(entry, dict) else entry
    if isinstance(entry, dict):
        document = {name: fields[name] for name in (*_PAGE_NAMES, "raw_content") if name in fields}
        for name in ("title", "content", "metadata") if page is not None else ():
            if name in fields and is_same_json(own_entry[name], fields[name]):
                document[name] = getattr(page, name)
    received = admit(url).bind(lambda policy: receive_page(document, url, "", policy))
    if isinstance(received, Failure):
        return Failure(received.failure())
    checked = received.unwrap()
    own_receipt = envelope_mapping(own.receipt) if own is not None else {}
    base = replace(checked.receipt, backend=by) if page is None else page.receipt
    if page is not None and checked.final_url != page.final_url:
        base = replace(base, final_url=redact_url(checked.final_url))
    # A plugin that answers by itself need not write a receipt.
    written = {} if receipt is None and page is None else receipt
    carried = carry_fields(base, own_receipt, written, "$.receipt.pages[]")
    if isinstance(carried, Failure):
        return Failure(carried.failure())
    page_receipt: ExtractReceipt = carried.unwrap().value
    described = _carry_reading(checked, fields, own_entry, page)
    if isinstance(described, Failure):
        return Failure(described.failure())
    names = [
        *(name for name in fields if name not in _ENTRY_NAMES),
        *(f"receipt.pages[].{name}" for name in carried.unwrap().unread),
    ]
    raw = _carried_raw_content(fields, own_entry, checked, page)
    outcome = replace(described.unwrap().value, receipt=page_receipt, raw_content=raw)
    others = {name: fields[name] for name in fields if name != "raw_content"}
    shown = envelopes.page_envelope_entry(url, Success(outcome))
    if "raw_content" not in fields:
        shown.pop("raw_content", None)
    elif "raw_content" not in shown and raw.strip() != checked.content.strip():
        shown["raw_content"] = raw
    return Success(Replaced({**others, **shown}, Success(_name_unread_of_page(outcome, names))))


def _carry_reading(
    checked: WebExtractResult, fields: Fields, own_entry: Fields, page: WebExtractResult | None
) -> Result[Carried[WebExtractResult], WebError]:
    """Return a page with what is known of its other text, as its reader or the plugin says."""
    if page is not None:
        known = {name: getattr(page, name) for name in _STATED_NAMES}
        # What a plugin took out of the JSON is not in the result either.
        known |= {name: None for name in envelopes.HTML_FIELDS if name not in fields}
        checked = replace(checked, **known)
    written = {name: fields[name] for name in _STATED_NAMES if name in fields}
    return carry_fields(checked, own_entry, written, "$.data.results[]")


def _carried_raw_content(
    fields: Fields, own_entry: Fields, checked: WebExtractResult, page: WebExtractResult | None
) -> str:
    """Return a page's raw content.

    Where the JSON did not show it, a changed content takes its place: what a plugin masked would
    come out there again.
    """
    shown = fields.get("raw_content")
    is_shown = isinstance(shown, str)
    if page is None:
        return checked.raw_content
    if is_shown and not is_same_json(own_entry.get("raw_content"), shown):
        return checked.raw_content
    is_removed = "raw_content" in own_entry and not is_shown
    is_content_changed = not is_same_json(own_entry["content"], fields.get("content"))
    if is_removed or (is_content_changed and not is_shown):
        return checked.content
    return page.raw_content


def _check_replaced_error(
    fields: Fields, url: str, own: _OwnPage | None, by: str
) -> Result[Replaced, WebError]:
    """Return the entry of a page that failed, or that a plugin failed."""
    message = envelope_mapping(fields["error"]).get("message")
    if fields.get("url") != url or not message:
        return Failure(InvalidDocument(field="error", reason="is not the error of this page"))
    if own is not None and is_same_json(own.entry["error"], fields["error"]):
        error = own.page.failure()
    else:
        detail = one_line(str(message), 1000)
        error = MiddlewareFailed(
            plugin=by, stage="tool_execution", error="failed a page", detail=detail
        )
    # A page that failed has no text.
    return Success(Replaced({**fields, "content": ""}, Failure(error)))


def check_replaced_piece(
    envelope: Fields, originals: Sequence[Original] = ()
) -> Result[Replaced, WebError]:
    """Return the envelope of a piece of a text, if it has every field of one."""
    data = envelope.get("data")
    if "status" in envelope_mapping(data):
        return _check_replaced_found(envelope)
    shown = strip_hidden_values(data)
    piece = attempt_call(lambda: msgspec.convert(shown, Piece)).value_or(None)
    if piece is None:
        return refuse_change("$.data", "a piece of a text", data)
    for original in originals:
        own = envelope_mapping(original.envelope["data"])
        if is_same_json(own.get("text"), envelope_mapping(data)["text"]):
            piece = replace(piece, text=cast("Piece", original.outcome).text)
    return Success(Replaced(_strip_hidden_fields(envelope), piece))


def _check_replaced_found(envelope: Fields) -> Result[Replaced, WebError]:
    """Return the envelope of a search in a page, if it has every field of one."""
    from webseam.ports.found import Found  # noqa: PLC0415  few calls look for words

    data = envelope.get("data")
    shown = strip_hidden_values(data)
    found = attempt_call(lambda: msgspec.convert(shown, Found)).value_or(None)
    if found is None:
        return refuse_change("$.data", "where words stand in a page", data)
    return Success(Replaced(_strip_hidden_fields(envelope), found))


def _strip_hidden_fields(fields: Fields) -> Fields:
    return cast("Fields", strip_hidden_values(fields))

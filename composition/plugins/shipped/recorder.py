"""Recorder: store the outcome of each call, failures too, and replay it offline.

Settings: ``file``, and ``mode``: ``record`` (call and store), ``replay`` (never call; an unrecorded
call fails), ``frozen`` (the same, but other questions are answered from what was recorded, those
to ``web_ask`` by its searches and pages),
``auto`` (replay recorded calls, record the rest). ``as_of`` leaves out later recordings. A
recording belongs to the backend that answered, and to how it was asked.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from webseam.adapters.plugins.observers.json_lines import JsonLines
from webseam.adapters.plugins.observers.recordings import (
    INDEX_NOTE,
    RecordedWeb,
    Recording,
    find_recording,
    read_recordings,
)
from webseam.kernel.laws.field_checks import check_query, clamp_max_results
from webseam.kernel.laws.filters import FilterPlan, plan_query_filters, verify_rows
from webseam.kernel.laws.row_law import LawfulRow
from webseam.kernel.text.trim import Budget, trim_text
from webseam.ports.errors import NotConfigured
from webseam.ports.middleware import Callbacks, CallFailed, Middleware
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import WebSearchQuery

from ...session import current_call_scope, wrap_inner_calls
from ..context import PluginContext

_DEFAULT_ROWS = 10
# What a page that was recorded in full can be asked for.
_PAGE_ARGUMENTS = frozenset({"urls", "char_limit"})
_QUERY_ARGUMENTS = frozenset(WebSearchQuery.__struct_fields__)


class Recorder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file, and what to do with it."""

    file: str
    mode: Literal["record", "replay", "frozen", "auto"] = "auto"
    as_of: date | None = None


def register(ctx: PluginContext) -> None:
    """Wrap every tool call; closed, because a test must not go online by accident."""
    settings = msgspec.convert(ctx.settings, Recorder)
    file = Path(settings.file).expanduser()
    lines = JsonLines(file)
    recordings = {} if settings.mode == "record" else read_recordings(file, settings.as_of)
    web = RecordedWeb(recordings.values() if settings.mode == "frozen" else ())

    async def replay_or_record(
        *,
        tool_name: str,
        args: dict[str, object],
        next_call: Callable[..., Awaitable[object]],
        **_: object,
    ) -> object:
        scope = current_call_scope()
        if (recording := find_recording(recordings, tool_name, args, scope)) is not None:
            if tool_name != "web_ask":
                return recording.outcome()
            # Claims are made again from their pages, which were recorded beside them.
            return RecordedWeb(recordings.values()).add_pages(recording.outcome())
        if (answer := _frozen_answer(web, tool_name, args)) is not None:
            return answer
        if settings.mode == "replay" or (settings.mode == "frozen" and tool_name != "web_ask"):
            until = f" until {settings.as_of}" if settings.as_of else ""
            reason = f"This call of {tool_name} is not recorded in {file.name}{until}"
            remedy = "Run `webseam record -- COMMAND`, or set mode to record, and make it once."
            raise CallFailed(NotConfigured(reason=reason, settings=("mode",), remedy=remedy))
        with wrap_inner_calls(Callbacks(middleware=(inner,))):
            # A new question to a frozen web: its searches and pages are answered from it.
            if settings.mode == "frozen":
                return await next_call()
            new_recording = await _record_call(tool_name, args, next_call)
        new_recording = msgspec.structs.replace(new_recording, scope=scope)
        lines.append(msgspec.to_builtins(new_recording))
        recordings[new_recording.key] = new_recording
        return new_recording.outcome()

    kind: Final = "tool_execution"
    inner = Middleware(kind=kind, callback=replay_or_record, plugin="recorder", on_error="closed")
    ctx.register_middleware(kind, replay_or_record, on_error="closed")


async def _record_call(
    tool: str, args: dict[str, object], next_call: Callable[..., Awaitable[object]]
) -> Recording:
    try:
        recording = Recording(tool=tool, args=args, result=await next_call())
    except CallFailed as failed:
        recording = Recording(tool=tool, args=args, failure=failed.error)
    return msgspec.structs.replace(recording, at=datetime.now(UTC))


def _frozen_answer(
    web: RecordedWeb, tool: str, args: Mapping[str, object]
) -> dict[str, object] | None:
    """Return an envelope of what was recorded; None if nothing answers the call."""
    if tool == "web_search" and web.rows:
        return _frozen_search(web, args)
    given = {name for name, value in args.items() if value is not None}
    if tool == "web_extract" and given <= _PAGE_ARGUMENTS:
        return _frozen_pages(web, args)
    return None


def _frozen_search(web: RecordedWeb, args: Mapping[str, object]) -> dict[str, object] | None:
    """Return the rows that share words with a query and keep to its domains and dates.

    The other filters cannot be seen on a row, so the receipt refuses them.
    """
    fields = {name: value for name, value in args.items() if name in _QUERY_ARGUMENTS}
    query = check_query(fields).value_or(None)
    if query is None:
        return None
    plan = plan_query_filters(query, None, "best-effort")
    if not isinstance(plan, FilterPlan):
        return None
    ranked = web.rank(query.query)
    kept, undated = ranked, 0
    if plan.on_rows is not None:
        rows = [_lawful_row(row) for row in ranked]
        verified = verify_rows(rows, plan.on_rows)
        urls = {row.url for row in verified.rows}
        kept, undated = [row for row in ranked if row["url"] in urls], verified.undated
    limit = clamp_max_results(query.max_results) or _DEFAULT_ROWS
    cut = kept[plan.skipped : plan.skipped + limit]
    shown = [{**row, "position": position} for position, row in enumerate(cut, 1)]
    receipt = SearchReceipt(
        backend="recording",
        query=query.query,
        asked_max_results=query.max_results,
        max_results=limit,
        clamped=query.max_results is not None and limit != query.max_results,
        filters=plan.named,
        emulated=plan.emulated,
        verified=plan.verified,
        refused=plan.refused,
        returned=len(ranked),
        rejected=0,
        filtered=len(ranked) - len(kept),
        undated=undated,
        trimmed=len(kept) - len(shown),
        warnings=(INDEX_NOTE,),
    )
    data = {"web": shown, "note": INDEX_NOTE}
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(receipt)}


def _lawful_row(row: Mapping[str, object]) -> LawfulRow:
    published = row.get("published_at")
    return LawfulRow(
        title="",
        url=str(row["url"]),
        snippet="",
        published_at=published if isinstance(published, str) else None,
    )


def _frozen_pages(web: RecordedWeb, args: Mapping[str, object]) -> dict[str, object] | None:
    """Return recorded pages, shortened as this call asks; None if there is none of a URL."""
    urls = args["urls"]
    pages = web.pages(urls) if isinstance(urls, list | tuple) else None
    if pages is None:
        return None
    limit = args.get("char_limit")
    if isinstance(limit, int):
        pages = [_trim_page(page, receipt, limit) for page, receipt in pages]
    receipts = {"backend": "recording", "pages": [receipt for _, receipt in pages]}
    data = {"results": [page for page, _ in pages]}
    return {"success": True, "data": data, "failed": 0, "receipt": receipts}


def _trim_page(
    page: Mapping[str, Any], receipt: Mapping[str, Any], limit: int
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    trimmed = trim_text(page["content"], Budget(characters=limit))
    left_out = {"omitted": trimmed.omitted, "next_cursor": trimmed.next_cursor}
    return {**page, "content": trimmed.text}, {**receipt, **left_out}

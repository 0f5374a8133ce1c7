"""The tool that searches X."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.x_search import PROVIDER_NAME
from webseam.kernel.deps import WebDeps, seen_session
from webseam.kernel.features.models.x_search import check_replaced_x_search
from webseam.kernel.features.models.x_search_request import (
    check_x_request,
    x_failure_envelope,
    x_search_envelope,
)
from webseam.kernel.laws.field_checks import refuse_field
from webseam.ports.errors import NotStored, WebError
from webseam.ports.x_search import XSearchOutcome, XSearchRequest

from ...settings.schema import Settings
from ...settings.settings_root import SettingsRoot
from ...tools.descriptions import X_FIELDS, X_WORDS
from ...tools.feature_tools import ToolParts, ToolSource
from ...tools.web_tools import Arguments, Tool, ToolAnswer, Trace, add_trace, tool_error_or_none
from .x_response_ids import current_key, mark_response_id, unmark_response_id

if TYPE_CHECKING:
    from .x_search_setup import XSearch


def x_tool(searcher: "Result[XSearch, WebError]", deps: WebDeps | None = None) -> Tool:
    """Return ``x_search``; without an account it says so when it is called.

    The session of ``deps`` may follow the posts that it cites.
    """

    async def run(args: Arguments, trace: Trace) -> Result[ToolAnswer, WebError]:
        outcome = (await _search_for_caller(searcher.unwrap(), args)).map(
            lambda it: add_trace(it, trace)
        )
        memory = None if deps is None else seen_session(deps)
        if memory is not None and isinstance(outcome, Success):
            memory.note_named((outcome.unwrap().query,))
            memory.note_urls(outcome.unwrap().citations)
        return outcome.map(
            lambda it: ToolAnswer(
                write_envelope=lambda: x_search_envelope(Success(it), PROVIDER_NAME), outcome=it
            )
        )

    def judge(args: Arguments) -> WebError | None:
        return tool_error_or_none(check_x_request(dict(args), searcher.unwrap().deps.today()))

    return Tool(
        name="x_search",
        description=X_WORDS,
        arguments=XSearchRequest,
        explained=X_FIELDS,
        aliases={},
        judge=judge,
        run=run,
        check=lambda written, args: check_replaced_x_search(
            written.fields, dict(args), searcher.unwrap().deps, written.originals
        ),
        unavailable=tool_error_or_none(searcher),
        failure=lambda error, _args: x_failure_envelope(error, PROVIDER_NAME),
    )


async def _search_for_caller(
    search: "XSearch", args: Arguments
) -> Result[XSearchOutcome, WebError]:
    """Search; a key goes on only from its own answers."""
    key, fields = current_key(), dict(args)
    if key is None:
        return await search(fields)
    if isinstance(earlier := fields.get("previous_response_id"), str) and earlier.strip():
        if (response_id := unmark_response_id(earlier, key, search.account)) is None:
            return refuse_field("previous_response_id", "is no id of an answer to this key")
        fields["previous_response_id"] = response_id

    def mark(outcome: XSearchOutcome) -> XSearchOutcome:
        if outcome.response_id is None:
            return outcome
        marked = mark_response_id(outcome.response_id, key, search.account)
        return msgspec.structs.replace(outcome, response_id=marked)

    return (await search(fields)).map(mark)


async def _has_x_account(settings: Settings) -> bool:
    from .x_search_setup import open_x_search  # models, on first use

    if isinstance(searcher := open_x_search(SettingsRoot(settings=settings)), Success):
        await searcher.unwrap().aclose()
    return isinstance(searcher, Success)


def _open_x_tool(parts: ToolParts) -> Tool:
    from .x_search_setup import open_x_search  # models, on first use

    is_closed = parts.root.policy.follow == "cache"
    searcher = Failure(NotStored()) if is_closed else open_x_search(parts.root)
    parts.opened.extend([searcher.unwrap()] if isinstance(searcher, Success) else [])
    return x_tool(searcher, parts.pages.value_or(None))


TOOL = ToolSource(name="x_search", is_ready=_has_x_account, open=_open_x_tool)

"""The tool that searches X."""

from typing import TYPE_CHECKING

import msgspec
from returns.result import Result, Success

from ...adapters.models.x_search import PROVIDER
from ...kernel.models.x_search.envelope import x_failure_envelope, x_search_envelope
from ...kernel.models.x_search.request import check_x_request
from ...ports.errors import WebError
from ...ports.x_search import XSearchOutcome, XSearchRequest
from ..tools.descriptions import X_FIELDS, X_WORDS
from ..tools.web_tools import Arguments, Tool, ToolAnswer, Trace, failure_or_none

if TYPE_CHECKING:
    # It stands on models, and these on the tools' surroundings.
    from .x_search_setup import XSearch


def x_tool(searcher: "Result[XSearch, WebError]") -> Tool:
    """Return ``x_search``; without an account it says so when it is called."""

    async def run(args: Arguments, trace: Trace) -> Result[ToolAnswer, WebError]:
        outcome = (await searcher.unwrap()(dict(args))).map(lambda it: _traced(it, trace))
        return outcome.map(
            lambda it: ToolAnswer(envelope=x_search_envelope(Success(it), PROVIDER), outcome=it)
        )

    def judge(args: Arguments) -> WebError | None:
        return failure_or_none(check_x_request(dict(args), searcher.unwrap().deps.today()))

    return Tool(
        name="x_search",
        description=X_WORDS,
        arguments=XSearchRequest,
        explained=X_FIELDS,
        aliases={},
        judge=judge,
        run=run,
        unavailable=failure_or_none(searcher),
        failure=lambda error, _args: x_failure_envelope(error, PROVIDER),
    )


def _traced(outcome: XSearchOutcome, trace: Trace) -> XSearchOutcome:
    if not trace:
        return outcome
    receipt = msgspec.structs.replace(outcome.receipt, middleware=trace)
    return msgspec.structs.replace(outcome, receipt=receipt)

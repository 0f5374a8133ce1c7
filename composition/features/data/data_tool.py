"""The tool that returns typed values of a page, each with the words that show it."""

from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.call_context import keep_page_html, limit_cache_age
from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import admit_extract_url, web_extract
from webseam.kernel.features.data.data_call import (
    check_data_arguments,
    check_replaced_data,
    data_envelope,
    wanted_of,
)
from webseam.kernel.port_answers import backend_about
from webseam.ports.data import Data, DataArguments
from webseam.ports.errors import WebError

from ...settings.file_locations import PROCESS_FILES, FileLocations
from ...tools.descriptions import DATA_FIELDS, DATA_WORDS
from ...tools.feature_tools import ToolSource
from ...tools.web_tools import Arguments, Tool, ToolAnswer, Trace, add_trace, tool_error_or_none
from .page_data import read_page_data


def data_tool(deps: Result[WebDeps, WebError], files: FileLocations = PROCESS_FILES) -> Tool:
    """Return ``web_data`` over a backend that keeps the HTML of pages.

    The rules of sites are those that were learned into ``files``.
    """

    async def run(args: Arguments, trace: Trace) -> Result[ToolAnswer, WebError]:
        checked = check_data_arguments(args)
        if isinstance(checked, Failure):
            return checked
        read = await _read_data(checked.unwrap(), deps.unwrap(), files)
        got = read.map(lambda it: add_trace(it, trace))
        return got.map(
            lambda it: ToolAnswer(write_envelope=lambda: data_envelope(Success(it)), outcome=it)
        )

    def judge(args: Arguments) -> WebError | None:
        checked = check_data_arguments(args)
        rules = deps.unwrap()
        admitted = checked.bind(
            lambda it: admit_extract_url(it.url, backend_about(rules.backend), rules)
        )
        return tool_error_or_none(admitted)

    return Tool(
        name="web_data",
        description=DATA_WORDS,
        arguments=DataArguments,
        explained=DATA_FIELDS,
        aliases={},
        judge=judge,
        run=run,
        check=lambda written, _args: check_replaced_data(written.fields, written.originals),
        unavailable=tool_error_or_none(deps),
    )


async def _read_data(
    arguments: DataArguments, deps: WebDeps, files: FileLocations
) -> Result[Data[Any], WebError]:
    # A value is proved by the page itself, not by a shorter text of it.
    whole = msgspec.structs.replace(deps, compressor=None, budget=None)
    with limit_cache_age(arguments.max_age), keep_page_html(True):  # noqa: FBT003  a value of a context
        page = await web_extract(arguments.url, whole)
    if isinstance(page, Failure):
        return page
    return await read_page_data(page.unwrap(), wanted_of(arguments), deps.texts, files)


TOOL = ToolSource(
    name="web_data",
    is_ready=None,
    open=lambda parts: data_tool(parts.html_pages, parts.root.files),
)

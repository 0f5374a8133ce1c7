"""Search the web, read pages, and answer questions with sources.

    for row in webseam.search("tide tables", max_results=5):
        print(row.title, row.url)

- ``webseam.search(query)`` returns rows; ``backend="wikipedia"`` names who answers.
- ``webseam.extract(url)`` reads a page as markdown; ``webseam.extract_many(urls)`` reads several.
- ``webseam.more(page)`` goes on in a page; ``webseam.find(page, text)`` finds words in all of it.
- ``webseam.data(url, T)`` fills a type of yours with values that the page proves.
- ``webseam.ask(question)`` answers with quotes that were checked against their pages.
- ``webseam.open()`` has these calls for async code, ``open_blocking()`` with your own settings.
- ``webseam.openai_tools(...)`` and its like describe the tools to a model.
- ``webseam.map`` and ``crawl`` are for sites, ``index`` for documents, ``bulk`` for datasets.

They raise ``webseam.WebseamError``, which says what to do. ``webseam.__all__`` lists every name.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import bulk as bulk, index as index, like as like
    from .adapters.reader.html import read_html as read_html
    from .adapters.timer import asyncio_timer as asyncio_timer
    from .composition.doors.client.api import configured_backend as configured_backend
    from .composition.doors.client.blocking import (
        BlockingWeb as BlockingWeb,
        ask as ask,
        data as data,
        data_many as data_many,
        extract as extract,
        extract_many as extract_many,
        find as find,
        learn as learn,
        more as more,
        open_blocking as open_blocking,
        search as search,
    )
    from .composition.doors.client.results import (
        WebseamError as WebseamError,
        failed as failed,
        unwrap as unwrap,
    )
    from .composition.doors.client.web import Web as Web, open as open  # noqa: A004  it is webseam.open
    from .composition.features.bulk.sites import crawl as crawl, map as map  # noqa: A004  it is webseam.map
    from .composition.features.data.html_data import data_from_html as data_from_html
    from .composition.features.models.api import (
        chat_model as chat_model,
        open_compressor as open_compressor,
        search_model_backend as search_model_backend,
        x_searcher as x_searcher,
    )
    from .composition.features.models.clients import provider_model as provider_model
    from .composition.features.models.schema_checks import complete_object as complete_object
    from .composition.features.models.x_search_tool import x_tool as x_tool
    from .composition.session import Session as Session
    from .composition.tools import (
        Tools as Tools,
        anthropic_tools as anthropic_tools,
        gemini_tools as gemini_tools,
        mcp_tools as mcp_tools,
        openai_responses_tools as openai_responses_tools,
        openai_tools as openai_tools,
        web_tools as web_tools,
    )
    from .composition.tools.toolbox import open_toolbox as open_toolbox
    from .composition.wiring.pages import page_blocks as page_blocks, pages_backend as pages_backend
    from .composition.wiring.service_backends import (
        json_backend as json_backend,
        service_backend as service_backend,
    )
    from .kernel import *  # noqa: F403  reached by name, and listed in their rooms
    from .kernel.deps import WebDeps as WebDeps
    from .kernel.extract import web_extract as web_extract, web_extract_many as web_extract_many
    from .kernel.features.data.fields import asks as asks
    from .kernel.features.models.chat import assistant_message as assistant_message
    from .kernel.features.models.x_search import XSearchDeps as XSearchDeps, x_search as x_search
    from .kernel.features.models.x_search_request import x_search_envelope as x_search_envelope
    from .kernel.laws.row_law import check_row as check_row
    from .kernel.pages.page_budget import web_more as web_more
    from .kernel.policy.explanation import explain as explain
    from .kernel.policy.policy_rules import (
        Policy as Policy,
        PolicySettings as PolicySettings,
        make_policy as make_policy,
    )
    from .kernel.search import web_search as web_search
    from .kernel.text.trim import Budget as Budget
    from .ports import *  # noqa: F403
    from .ports import UntrustedRow as UntrustedRow
    from .ports.backends import (
        Abilities as Abilities,
        BackendAbout as BackendAbout,
        ReadsMany as ReadsMany,
        WebBackend as WebBackend,
    )
    from .ports.data import Basis as Basis, Data as Data, Money as Money, Quote as Quote
    from .ports.errors import WebError as WebError
    from .ports.models import (
        ChatModel as ChatModel,
        ChatRequest as ChatRequest,
        Compressor as Compressor,
        Delta as Delta,
        NormalizedResponse as NormalizedResponse,
    )
    from .ports.receipts import ExtractReceipt as ExtractReceipt, SearchReceipt as SearchReceipt
    from .ports.stores import TextStore as TextStore
    from .ports.web import (
        RejectedRow as RejectedRow,
        SearchAnswer as SearchAnswer,
        SearchOutcome as SearchOutcome,
        WebExtractResult as WebExtractResult,
        WebSearchQuery as WebSearchQuery,
        WebSearchResult as WebSearchResult,
    )
    from .ports.x_search import (
        XSearchBackend as XSearchBackend,
        XSearchOutcome as XSearchOutcome,
        XSearchRequest as XSearchRequest,
    )

__version__ = "0.1.0"

# Every public name, and where it lives.
_HOMES = {
    "Abilities": "ports.backends",
    "BackendAbout": "ports.backends",
    "Basis": "ports.data",
    "BlockingWeb": "composition.doors.client.blocking",
    "Budget": "kernel.text.trim",
    "ChatModel": "ports.models",
    "ChatRequest": "ports.models",
    "Compressor": "ports.models",
    "Data": "ports.data",
    "Delta": "ports.models",
    "ExtractReceipt": "ports.receipts",
    "Money": "ports.data",
    "NormalizedResponse": "ports.models",
    "Policy": "kernel.policy.policy_rules",
    "PolicySettings": "kernel.policy.policy_rules",
    "Quote": "ports.data",
    "ReadsMany": "ports.backends",
    "RejectedRow": "ports.web",
    "SearchAnswer": "ports.web",
    "SearchOutcome": "ports.web",
    "SearchReceipt": "ports.receipts",
    "Session": "composition.session",
    "TextStore": "ports.stores",
    "Tools": "composition.tools",
    "UntrustedRow": "ports",
    "Web": "composition.doors.client.web",
    "WebBackend": "ports.backends",
    "WebDeps": "kernel.deps",
    "WebError": "ports.errors",
    "WebExtractResult": "ports.web",
    "WebSearchQuery": "ports.web",
    "WebSearchResult": "ports.web",
    "WebseamError": "composition.doors.client.results",
    "XSearchBackend": "ports.x_search",
    "XSearchDeps": "kernel.features.models.x_search",
    "XSearchOutcome": "ports.x_search",
    "XSearchRequest": "ports.x_search",
    "anthropic_tools": "composition.tools",
    "asks": "kernel.features.data.fields",
    "assistant_message": "kernel.features.models.chat",
    "asyncio_timer": "adapters.timer",
    "chat_model": "composition.features.models.api",
    "complete_object": "composition.features.models.schema_checks",
    "check_row": "kernel.laws.row_law",
    "crawl": "composition.features.bulk.sites",
    "configured_backend": "composition.doors.client.api",
    "data": "composition.doors.client.blocking",
    "data_from_html": "composition.features.data.html_data",
    "data_many": "composition.doors.client.blocking",
    "explain": "kernel.policy.explanation",
    "extract": "composition.doors.client.blocking",
    "extract_many": "composition.doors.client.blocking",
    "failed": "composition.doors.client.results",
    "gemini_tools": "composition.tools",
    "json_backend": "composition.wiring.service_backends",
    "learn": "composition.doors.client.blocking",
    "make_policy": "kernel.policy.policy_rules",
    "map": "composition.features.bulk.sites",
    "mcp_tools": "composition.tools",
    "more": "composition.doors.client.blocking",
    "find": "composition.doors.client.blocking",
    "open": "composition.doors.client.web",
    "ask": "composition.doors.client.blocking",
    "open_blocking": "composition.doors.client.blocking",
    "open_compressor": "composition.features.models.api",
    "open_toolbox": "composition.tools.toolbox",
    "openai_responses_tools": "composition.tools",
    "openai_tools": "composition.tools",
    "page_blocks": "composition.wiring.pages",
    "pages_backend": "composition.wiring.pages",
    "provider_model": "composition.features.models.clients",
    "read_html": "adapters.reader.html",
    "search": "composition.doors.client.blocking",
    "search_model_backend": "composition.features.models.api",
    "service_backend": "composition.wiring.service_backends",
    "unwrap": "composition.doors.client.results",
    "web_extract": "kernel.extract",
    "web_extract_many": "kernel.extract",
    "web_more": "kernel.pages.page_budget",
    "web_search": "kernel.search",
    "web_tools": "composition.tools",
    "x_search": "kernel.features.models.x_search",
    "x_search_envelope": "kernel.features.models.x_search_request",
    "x_searcher": "composition.features.models.api",
    "x_tool": "composition.features.models.x_search_tool",
}
# ``open`` is read as webseam.open: a star import must not hide the builtin.
__all__ = [name for name in _HOMES if name != "open"]

# What help() and completion show; help() of all names takes 3,000 lines.
_COMMON_NAMES = (
    "search", "extract", "extract_many", "more", "find", "ask", "open", "open_blocking",
    "WebseamError", "failed", "unwrap", "read_html",
    "anthropic_tools", "gemini_tools", "mcp_tools",
    "openai_tools", "openai_responses_tools", "chat_model", "make_policy", "explain",
)  # fmt: skip
_ROOMS = ("webseam.ports", "webseam.kernel")
_MODULES = ("bulk", "errors", "index", "like", "plugins", "providers", "services", "testing")


if not TYPE_CHECKING:
    # Type checkers read the imports above, and complain of a name that is not among them.

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f"webseam.{name}")
        if name in _HOMES:
            return getattr(import_module(f"webseam.{_HOMES[name]}"), name)
        if not name.startswith("_"):
            for room_name in _ROOMS:
                room = import_module(room_name)
                if name in room.__all__:
                    return getattr(room, name)
        message = f"module 'webseam' has no attribute {name!r}{_hint(name)}"
        raise AttributeError(message)


def _hint(name: str) -> str:
    """Return the name that may have been meant, in words."""
    if name.startswith("_"):
        return ""
    from difflib import get_close_matches  # noqa: PLC0415  only for a name that there is not

    near = get_close_matches(name, _HOMES, 1)
    return f". Did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    return [*_COMMON_NAMES, "__doc__", "__file__", "__name__", "__path__", "__version__"]

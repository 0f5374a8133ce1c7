"""The two tools, called the way the laws do."""

import asyncio
from typing import cast

from returns.result import Result

from webseam.kernel import WebDeps, web_extract, web_search
from webseam.ports import SearchOutcome, WebError, WebExtractResult
from webseam.ports.web import Query

URL = "https://a.example/page"


def search(deps: WebDeps, query: object = None) -> Result[SearchOutcome, WebError]:
    return asyncio.run(web_search(cast("Query", {"query": "q"} if query is None else query), deps))


def extract(deps: WebDeps, url: object = URL) -> Result[WebExtractResult, WebError]:
    return asyncio.run(web_extract(url, deps))

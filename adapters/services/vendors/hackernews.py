"""Hacker News, searched by Algolia: stories, and their discussions as pages. Needs no key.

Sources: SearXNG's hackernews.py, and algolia/hn-search on GitHub (issue 230 for the limit of
1,000).
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import parse_qs

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.web import WebSearchQuery

from ...values.field_values import at, first, first_value, number, truncate_snippet
from ...values.html_text import html_to_text
from ...values.json_values import as_list, text
from ...values.untrusted_rows import row
from ...values.urls import split_host
from ..calls import ServiceCall, get_call
from ..declaration import Offer, Service, ServiceAddress
from ..filters import NATIVE_DATES, ROW_DOMAINS
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, page_decoder, text_page
from ..replies import rows_decoder

_HOST = "news.ycombinator.com"
_ITEM_URL = f"https://{_HOST}/item?id="


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; Algolia allows a thousand stories on one page."""
    parameters = {
        "query": ask.query.query,
        "tags": "story",
        "hitsPerPage": str(ask.count or ""),
        "numericFilters": _created_filter(ask.query),
    }
    return get_call("/api/v1/search", parameters)


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    return ServiceCall(method="GET", path=f"/api/v1/items/{_url_id(ask.urls[0])}")


def _document(item: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Return a discussion as markdown, with replies under their comments."""
    author = text(item.get("author"))
    parts = [text(item.get("url")), text(html_to_text(item.get("text"))), *_comment_lines(item)]
    return text_page(
        url=url,
        title=first(item.get("title"), f"Comment by {author}" if author else ""),
        content="\n\n".join(part for part in parts if part),
        metadata={
            "author": author,
            "published_at": text(item.get("created_at")),
            "points": number(item.get("points")),
        },
    )


def _search_row(result: dict[str, object]) -> dict[str, object]:
    item_id = text(result.get("objectID"))
    return row(
        title=first_value(result.get("title"), result.get("story_title")),
        url=first(result.get("url")) or (_ITEM_URL + item_id if _is_id(item_id) else None),
        snippet=truncate_snippet(
            first_value(
                html_to_text(result.get("story_text")),
                html_to_text(result.get("comment_text")),
                _points_and_comments(result),
            )
        ),
        published=result.get("created_at"),
        score=result.get("points"),
    )


def _points_and_comments(story: dict[str, object]) -> str:
    fields = (("points", "points"), ("num_comments", "comments"))
    counts = ((number(story.get(name)), noun) for name, noun in fields)
    return ", ".join(f"{count:.0f} {noun}" for count, noun in counts if count is not None)


def _comment_lines(item: dict[str, object]) -> Iterator[str]:
    stack = [(child, 0) for child in reversed(as_list(item.get("children")))]
    while stack:
        comment, depth = stack.pop()
        comment_text = text(html_to_text(at(comment, "text")))
        if comment_text:
            yield f"{'  ' * depth}- {text(at(comment, 'author'))}: {comment_text}"
        stack += [(child, depth + 1) for child in reversed(as_list(at(comment, "children")))]


def _created_filter(query: WebSearchQuery) -> str:
    """Return a filter on Unix times, from the first day's start to the last day's end."""
    after, before = query.published_after, query.published_before
    bounds = [f"created_at_i>={_day_start_seconds(after)}"] if after else []
    if before and before < date.max:
        bounds.append(f"created_at_i<{_day_start_seconds(before + timedelta(days=1))}")
    return ",".join(bounds)


def _day_start_seconds(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())


def _url_id(url: str) -> str:
    host, parts = split_host(url)
    item_id = parse_qs(parts.query).get("id", [""])[0]
    is_item = host == _HOST and parts.path == "/item" and _is_id(item_id)
    return item_id if is_item else ""


def _is_id(item_id: str) -> bool:
    return item_id.isascii() and item_id.isdecimal()


_decode_search = rows_decoder("hits", make=_search_row)
SERVICE = Service(
    name="hackernews",
    title="Hacker News",
    site="https://hn.algolia.com/api",
    note="Finds stories; a page is the discussion of one.",
    address=ServiceAddress(base_url="https://hn.algolia.com/api/v1", endpoints=("/api/v1/search",)),
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900),
    abilities=Abilities(max_results=100, filters={**ROW_DOMAINS, **NATIVE_DATES}),
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        snippet="html",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder(make=_document),
        reads=lambda url: bool(_url_id(url)),
    ),
)

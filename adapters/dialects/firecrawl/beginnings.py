"""Jobs begun: batches and crawls."""

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import msgspec

from ...dialect.asks import CrawlPlan, JobView, StartAsk
from ...dialect.bodies import asked_for, read_json
from ...dialect.declaration import Reading
from ...dialect.forms import unusable_pattern
from ...dialect.refusal import Refusal, invalid, unsupported
from ...dialect.wire import Call, Reply, json_reply
from .documents import Options, formats_of
from .versions import Version

_MOST_URLS = 500
_MOST_PAGES = 100
_USUAL_DEPTH = 5


class _Batch(Options, rename="camel"):
    urls: list[str] = msgspec.field(default_factory=list)
    ignore_invalid_urls: bool | None = msgspec.field(default=None, name="ignoreInvalidURLs")
    webhook: object = None
    append_to_id: str | None = None


class _Crawl(msgspec.Struct, rename="camel"):
    url: str
    limit: int | None = None
    max_discovery_depth: int | None = None
    max_depth: int | None = None
    include_paths: list[str] | None = None
    exclude_paths: list[str] | None = None
    sitemap: str | None = None
    crawl_entire_domain: bool | None = None
    allow_backward_links: bool | None = None
    allow_external_links: bool | None = None
    allow_subdomains: bool | None = None
    regex_on_full_url: bool | None = msgspec.field(default=None, name="regexOnFullURL")
    delay: float | None = None
    prompt: str | None = None
    webhook: object = None
    scrape_options: Options | None = None


def batch(version: Version) -> Callable[[Call], Reading]:
    """Return what reads the beginning of a batch."""

    def read(call: Call) -> Reading:
        body = read_json(call, _Batch)
        if isinstance(body, Refusal):
            return body
        formats = formats_of(body)
        if isinstance(formats, Refusal):
            return formats
        bad = [url for url in body.urls if not _is_url(url)]
        refusal = _against(body, bad)
        if refusal is not None:
            return refusal
        return StartAsk(
            kind="batch",
            urls=tuple(url for url in body.urls if url not in bad),
            memo=formats,
            again=call.header("x-idempotency-key"),
            write=lambda view: _started(view, call, f"/{version}/batch/scrape", bad),
        )

    return read


def _against(body: _Batch, bad: Sequence[str]) -> Refusal | None:
    if len(bad) == len(body.urls) or (bad and body.ignore_invalid_urls is False):
        return invalid("urls: none of them, or not all, are http or https URLs.", "urls")
    if len(body.urls) > _MOST_URLS:
        return unsupported("urls", f"this gateway takes at most {_MOST_URLS} at once")
    return asked_for({"webhook": body.webhook, "appendToId": body.append_to_id})


def _started(view: JobView, call: Call, path: str, bad: Sequence[str] = ()) -> Reply:
    url = f"{call.base}{path}/{view.id}"
    return json_reply({"success": True, "id": view.id, "url": url, "invalidURLs": list(bad)})


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def crawl(version: Version) -> Callable[[Call], Reading]:
    """Return what reads the beginning of a crawl."""

    def read(call: Call) -> Reading:
        body = read_json(call, _Crawl)
        if isinstance(body, Refusal):
            return body
        formats = formats_of(body.scrape_options)
        if isinstance(formats, Refusal):
            return formats
        plan = _plan(body)
        if isinstance(plan, Refusal):
            return plan
        return StartAsk(
            kind="crawl",
            plan=plan,
            memo=formats,
            again=call.header("x-idempotency-key"),
            write=lambda view: _started(view, call, f"/{version}/crawl"),
        )

    return read


def _plan(body: _Crawl) -> CrawlPlan | Refusal:
    refusal = asked_for(
        {
            "allowExternalLinks": body.allow_external_links,
            "regexOnFullURL": body.regex_on_full_url,
            "delay": body.delay,
            "prompt": body.prompt,
            "webhook": body.webhook,
            "sitemap: only": body.sitemap == "only",
        }
    )
    if refusal is not None:
        return refusal
    limit = _MOST_PAGES if body.limit is None else body.limit
    if not 0 < limit <= _MOST_PAGES:
        return unsupported("limit", f"this gateway reads 1 to {_MOST_PAGES} pages in one crawl")
    if not _is_url(body.url):
        return invalid("url must be an http or https URL.", "url")
    paths = tuple(body.include_paths or ()), tuple(body.exclude_paths or ())
    wild = unusable_pattern((*paths[0], *paths[1]))
    if wild is not None:
        return unsupported("includePaths, excludePaths", f"{wild[:60]!a} is no simple pattern")
    depth = body.max_discovery_depth if body.max_discovery_depth is not None else body.max_depth
    return CrawlPlan(
        url=body.url,
        limit=limit,
        depth=_USUAL_DEPTH if depth is None else min(max(depth, 0), 10),
        include=paths[0],
        exclude=paths[1],
        subdomains=bool(body.allow_subdomains),
        below=not (body.crawl_entire_domain or body.allow_backward_links),
    )

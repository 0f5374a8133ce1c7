"""What clients of each API send, what it comes to, and what they are answered."""

from typing import Any, NamedTuple

from .asgi import Answer, Site

PAGE = "https://example.com/a"
TEXT = "# Tides\n\nHigh at noon. [Moon](/moon)"


class Sample(NamedTuple):
    method: str
    path: str
    body: Any
    asked: Any  # the query that the backend saw, or the pages
    reply: Any  # a part of the answer
    root: bool = True


SAMPLES: dict[str, tuple[Sample, ...]] = {
    "tavily": (
        Sample(
            "POST", "/search",
            {"query": "tides", "max_results": 3, "search_depth": "basic", "topic": "news", "time_range": "week", "include_domains": ["https://example.org/"], "country": "united states", "include_answer": True, "use_cache": True, "exclude_domains": None},
            {"query": "tides", "max_results": 3, "topic": "news", "include_domains": ("example.org",), "country": "US"},
            {"query": "tides", "images": [], "answer": None, "results": [{"url": "https://example.org/moon", "title": "The moon", "content": "It pulls.", "score": 1.0, "raw_content": None}]},
        ),
        Sample("POST", "/extract", {"urls": PAGE, "client_source": "langchain-js"}, [PAGE], {"results": [{"url": PAGE, "raw_content": TEXT, "images": []}], "failed_results": []}),
        Sample("POST", "/extract", {"urls": ["http://10.0.0.1/"]}, [], {"results": [], "failed_results": [{"url": "http://10.0.0.1/"}]}),
        Sample("POST", "/map", {"url": PAGE}, [PAGE], {"base_url": PAGE, "results": [PAGE, "https://example.com/moon"]}),
        Sample("POST", "/crawl", {"url": PAGE, "limit": 2, "allow_external": True}, [PAGE, "https://example.com/moon"], {"base_url": PAGE, "results": [{"url": PAGE, "raw_content": TEXT}, {"url": "https://example.com/moon"}]}),
    ),
    "firecrawl": (
        Sample(
            "POST", "/v2/search",
            {"query": "tides", "limit": 4, "tbs": "cdr:1,cd_min:1/2/2026,cd_max:11/30/2026", "country": "DE", "origin": "python-sdk@4", "timeout": 20, "sources": [{"type": "web"}]},
            {"query": "tides", "max_results": 4, "country": "DE", "published_after": "2026-01-02", "published_before": "2026-11-30"},
            {"success": True, "data": {"web": [{"url": "https://example.com/tides", "title": "Tides", "description": "High at noon.", "position": 1}]}},
        ),
        Sample("POST", "/v1/search", {"query": "tides", "lang": "en"}, {"language": "en"}, {"success": True, "data": [{"url": "https://example.com/tides"}, {"url": "https://example.org/moon"}]}),
        Sample("POST", "/v2/search", {"query": "tides", "sources": [{"type": "images"}]}, {"topic": "images"}, {"data": {"images": [{"title": "Tides", "imageUrl": "https://example.com/tides", "url": "https://example.com/tides", "position": 1}, {}]}}),
        Sample("POST", "/v2/search", {"query": "tides", "sources": ["news"]}, {"topic": "news"}, {"data": {"news": [{"snippet": "High at noon.", "date": "2026-11-01"}]}}),
        Sample("POST", "/v2/search", {"query": "tides", "scrapeOptions": {"formats": ["markdown"]}}, {"query": "tides"}, {"data": {"web": [{"markdown": TEXT, "metadata": {"statusCode": 200, "sourceURL": "https://example.com/tides"}}]}}),
        Sample(
            "POST", "/v2/scrape",
            {"url": PAGE, "formats": ["markdown", {"type": "html"}, "links"], "skipTlsVerification": True, "fastMode": False, "mobile": False, "maxAge": 14400000, "onlyMainContent": True},
            [PAGE],
            {"success": True, "data": {"markdown": TEXT, "html": '<h1>Tides</h1>\n<p>High at noon. <a href="/moon">Moon</a></p>\n', "links": ["https://example.com/moon"], "metadata": {"sourceURL": PAGE, "statusCode": 200}}},
        ),
        Sample("POST", "/v1/scrape", {"url": PAGE}, [PAGE], {"success": True, "data": {"markdown": TEXT}}),
        Sample("POST", "/v2/map", {"url": PAGE, "search": "moon"}, [PAGE], {"success": True, "links": [{"url": "https://example.com/moon"}]}),
        Sample("POST", "/v1/map", {"url": PAGE}, [PAGE], {"success": True, "links": [PAGE, "https://example.com/moon"]}),
        Sample("GET", "/v2/team/credit-usage", None, None, {"success": True, "data": {"remainingCredits": 99_999_999}}),
        Sample("GET", "/v2/crawl/active", None, None, {"success": True, "crawls": []}),
    ),
    "exa": (
        Sample(
            "POST", "/search",
            {"query": "tides", "numResults": 3, "type": "auto", "startPublishedDate": "2026-01-01T00:00:00.000Z", "excludeDomains": ["b.example"], "useAutoprompt": True},
            {"query": "tides", "max_results": 3, "published_after": "2026-01-01", "exclude_domains": ("b.example",)},
            {"results": [{"id": "https://example.com/tides", "url": "https://example.com/tides", "title": "Tides", "publishedDate": "2026-11-01"}, {"url": "https://example.org/moon"}], "costDollars": {"total": 0}},
        ),
        Sample("POST", "/search", {"query": "tides", "contents": {"text": {"maxCharacters": 10000}, "highlights": True}}, {"query": "tides"}, {"results": [{"text": TEXT, "highlights": ["High at noon."]}], "statuses": [{"status": "success"}]}),
        Sample("POST", "/findSimilar", {"url": "https://example.org/moon", "numResults": 5, "excludeSourceDomain": True}, {"query": "Tides High at noon. Moon", "max_results": 5, "exclude_domains": ("example.org",)}, {"results": [{"url": "https://example.com/tides"}]}),
        Sample("POST", "/contents", {"ids": [PAGE, "http://10.0.0.1/"], "text": True}, [PAGE], {"results": [{"id": PAGE, "text": TEXT}], "statuses": [{"id": PAGE, "status": "success"}, {"status": "error", "error": {"httpStatusCode": 403}}]}),
    ),
    "searxng": (
        Sample(
            "GET", "/search?q=tides&format=json&language=de&safesearch=1&categories=general&time_range=&pageno=1&theme=simple", None,
            {"query": "tides", "language": "de", "safe_search": "moderate"},
            {"query": "tides", "answers": [], "unresponsive_engines": [], "results": [{"url": "https://example.com/tides", "title": "Tides", "content": "High at noon.", "engines": ["fake"], "category": "general", "score": 1.0}, {"score": 0.5}]},
        ),
        Sample("GET", "/?q=tides&format=json", None, {"query": "tides"}, {"results": [{"title": "Tides"}, {"title": "The moon"}]}),
        Sample("POST", "/search", b"q=tides&format=json&categories=news", {"query": "tides", "topic": "news"}, {"results": [{"title": "Tides"}, {"title": "The moon"}]}),
        Sample("POST", "/search?format=json&language=de", b"q=tides", {"query": "tides", "language": "de"}, {"results": [{"title": "Tides"}, {"title": "The moon"}]}),
        Sample("GET", "/search?q=tides&format=json&categories=images", None, {"topic": "images"}, {"results": [{"img_src": "https://example.com/tides", "url": "https://example.com/tides", "category": "images"}, {}]}),
        Sample("GET", "/search?q=tides", None, {"query": "tides"}, "<!DOCTYPE html>"),
        Sample("GET", "/?q=tides&format=html", None, {"query": "tides"}, "<!DOCTYPE html>"),
        Sample("GET", "/config", None, None, {"search": {"formats": ["html", "json"]}}, root=False),
    ),
    "jina": (
        Sample("GET", f"/r/{PAGE}", None, [PAGE], f"Title: \n\nURL Source: {PAGE}\n\nMarkdown Content:\n{TEXT}"),
        Sample("GET", "/r/https:/example.com/a?b=c", None, ["https://example.com/a?b=c"], "Title: "),
        Sample("GET", "/r/https%3A%2F%2Fexample.com%2Fa", None, [PAGE], "Title: "),
        Sample("POST", "/r/", {"url": PAGE}, [PAGE], "Title: "),
        Sample("GET", "/s/?q=tides&num=2", None, {"query": "tides", "max_results": 2}, "[1] Title: Tides"),
        Sample("GET", "/s/high%20tides", None, {"query": "high tides"}, "[1] Title: Tides"),
        Sample("POST", "/s/", {"q": "tides", "count": 3, "gl": "DE"}, {"query": "tides", "max_results": 3, "country": "DE"}, "[1] Title: Tides"),
    ),
    "brave": (
        Sample(
            "GET", "/res/v1/web/search?q=tides&count=3&country=US&search_lang=en&safesearch=strict&freshness=2026-01-01to2026-11-30&text_decorations=false", None,
            {"query": "tides", "max_results": 3, "country": "US", "language": "en", "safe_search": "strict", "published_after": "2026-01-01", "published_before": "2026-11-30"},
            {"type": "search", "query": {"original": "tides"}, "web": {"results": [{"title": "Tides", "url": "https://example.com/tides", "description": "High at noon.", "page_age": "2026-11-01"}]}},
        ),
        Sample("GET", "/res/v1/images/search?q=tides", None, {"topic": "images"}, {"type": "images", "results": [{"title": "Tides", "properties": {"url": "https://example.com/tides"}}, {}]}),
        Sample("GET", "/res/v1/news/search?q=tides", None, {"topic": "news"}, {"type": "news", "results": [{"title": "Tides"}, {"title": "The moon"}]}),
    ),
    "serper": (
        Sample("POST", "/search", {"q": "tides", "num": 3, "gl": "uk", "hl": "de", "autocorrect": True}, {"query": "tides", "max_results": 3, "country": "GB", "language": "de"}, {"organic": [{"title": "Tides", "link": "https://example.com/tides", "snippet": "High at noon.", "position": 1, "date": "2026-11-01"}, {"position": 2}], "credits": 0}),
        Sample("POST", "/images", {"q": "tides"}, {"topic": "images"}, {"images": [{"title": "Tides", "imageUrl": "https://example.com/tides", "link": "https://example.com/tides", "position": 1}, {}]}),
        Sample("POST", "/news", {"q": "tides"}, {"topic": "news"}, {"news": [{"title": "Tides"}, {"title": "The moon"}]}),
        Sample("POST", "/scrape", {"url": PAGE, "includeMarkdown": True, "gl": "us", "hl": "en"}, [PAGE], {"text": "Tides\n\nHigh at noon. Moon", "markdown": TEXT}, root=False),
    ),
    "gptresearcher": (
        Sample("GET", "/?query=tides&max_results=3", None, {"query": "tides", "max_results": 3}, [{"url": "https://example.com/tides", "raw_content": TEXT}, {"url": "https://example.org/moon"}], root=False),
    ),
    "openwebui": (
        Sample("POST", "/search", {"query": "tides", "count": 1}, {"query": "tides", "max_results": 1}, [{"link": "https://example.com/tides", "title": "Tides", "snippet": "High at noon."}], root=False),
        Sample("POST", "/load", {"urls": [PAGE, "http://10.0.0.1/"]}, [PAGE], [{"page_content": TEXT, "metadata": {"source": PAGE}}], root=False),
    ),
    "linkup": (
        Sample(
            "POST", "/v1/search",
            {"q": "tides", "depth": "deep", "outputType": "searchResults", "maxResults": 3, "fromDate": "2026-01-01", "toDate": "2026-11-30", "includeDomains": ["example.com"], "includeImages": False},
            {"query": "tides", "max_results": 3, "published_after": "2026-01-01", "published_before": "2026-11-30", "include_domains": ("example.com",)},
            {"results": [{"type": "text", "name": "Tides", "url": "https://example.com/tides", "content": "High at noon.", "favicon": ""}]},
            root=False,
        ),
        Sample("POST", "/v1/fetch", {"url": PAGE, "renderJs": False}, [PAGE], {"markdown": TEXT, "favicon": ""}, root=False),
    ),
    "perplexity": (
        Sample("POST", "/search", {"query": ["tides"], "max_results": 3, "search_domain_filter": ["example.com", "-b.example"]}, {"query": "tides", "include_domains": ("example.com",), "exclude_domains": ("b.example",)}, {"results": [{"title": "Tides", "url": "https://example.com/tides", "snippet": "High at noon.", "date": "2026-11-01"}]}, root=False),
        Sample("POST", "/chat/completions", {"model": "sonar", "messages": [{"role": "user", "content": "tides"}]}, {"query": "tides"}, {"model": "sonar", "citations": ["https://example.com/tides"]}, root=False),
    ),
    "anthropic": (
        Sample(
            "POST", "/v1/messages",
            {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "Perform a web search for the query: tides"}], "tools": [{"type": "web_search_20250305", "name": "web_search", "allowed_domains": ["example.com"], "user_location": {"type": "approximate", "country": "DE"}}]},
            {"query": "tides", "max_results": 10, "country": "DE", "include_domains": ("example.com",)},
            {"type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn", "content": [{"type": "server_tool_use", "name": "web_search", "input": {"query": "tides"}}, {"type": "web_search_tool_result", "content": [{"type": "web_search_result", "url": "https://example.com/tides", "title": "Tides", "page_age": None}]}, {"type": "text"}]},
        ),
    ),
    "openai": (
        Sample(
            "POST", "/v1/chat/completions",
            {"model": "webseam", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "tides"}]}]},
            {"query": "tides", "max_results": 10},
            {"object": "chat.completion", "citations": ["https://example.com/tides", "https://example.org/moon"], "search_results": [{"title": "Tides", "url": "https://example.com/tides", "snippet": "High at noon.", "date": "2026-11-01"}, {}], "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "annotations": [{"type": "url_citation"}, {}]}}]},
        ),
        Sample("POST", "/chat/completions", {"stream": True, "messages": [{"role": "user", "content": "tides"}]}, {"query": "tides"}, "data: {"),
        Sample("GET", "/v1/models", None, None, {"data": [{"id": "webseam", "object": "model"}]}),
    ),
}  # fmt: skip

# What a client may ask for and we do not have: the status, and the word that must be in the answer.
UNSUPPORTED: dict[str, tuple[tuple[str, str, Any, int, str], ...]] = {
    "tavily": (
        ("POST", "/search", {"query": "a", "include_images": True}, 400, "include_images"),
        ("POST", "/search", {"query": "a", "country": "atlantis"}, 400, "country"),
        ("POST", "/search", {"query": "a", "start_date": "soon"}, 400, "start_date"),
        ("POST", "/search", {"query": "a", "topic": "cats"}, 400, "topic"),
        ("POST", "/search", {"max_results": 3}, 400, "query"),
        ("POST", "/search", {"query": "a", "max_results": "many"}, 400, "max_results"),
        ("POST", "/research", {"input": "a"}, 400, "research"),
        ("POST", "/crawl", {"url": PAGE, "limit": 1000}, 400, "limit"),
        ("POST", "/crawl", {"url": PAGE, "instructions": "find it"}, 400, "instructions"),
        ("POST", "/crawl", {"url": PAGE, "select_paths": ["(a+)+$"]}, 400, "select_paths"),
        ("POST", "/extract", {"urls": []}, 400, "urls"),
    ),
    "firecrawl": (
        ("POST", "/v2/scrape", {"url": PAGE, "formats": ["screenshot"]}, 400, "screenshot"),
        ("POST", "/v2/scrape", {"url": PAGE, "onlyMainContent": False}, 400, "onlyMainContent"),
        ("POST", "/v2/scrape", {"url": PAGE, "actions": [{"type": "click"}]}, 400, "actions"),
        ("POST", "/v2/scrape", {"url": "http://10.0.0.1/"}, 403, "private"),
        ("POST", "/v2/scrape", {"formats": ["markdown"]}, 400, "url"),
        ("POST", "/v2/search", {"query": "a", "sources": ["videos"]}, 400, "videos"),
        ("POST", "/v1/search", {"query": "a", "sources": ["images"]}, 400, "images"),
        ("POST", "/v2/search", {"query": "a", "tbs": "sbd:1"}, 400, "tbs"),
        ("POST", "/v2/search", {"query": "a", "categories": ["github"]}, 400, "categories"),
        ("POST", "/v2/batch/scrape", {"urls": ["nonsense"]}, 400, "urls"),
        ("POST", "/v2/batch/scrape", {"urls": [PAGE], "webhook": "https://example.com/"}, 400, "webhook"),
        ("POST", "/v2/batch/scrape", {"urls": [PAGE] * 501}, 400, "urls"),
        ("POST", "/v2/crawl", {"url": PAGE, "limit": 10_000}, 400, "limit"),
        ("POST", "/v2/crawl", {"url": PAGE, "allowExternalLinks": True}, 400, "allowExternalLinks"),
        ("POST", "/v2/crawl", {"url": PAGE, "includePaths": ["["]}, 400, "includePaths"),
        ("POST", "/v2/crawl", {"url": "nonsense"}, 400, "url"),
        ("POST", "/v2/map", {"url": PAGE, "sitemap": "only"}, 400, "sitemap"),
        ("POST", "/v2/extract", {"urls": [PAGE]}, 400, "small_work.provider"),
        ("POST", "/v2/extract", {"urls": []}, 400, "urls"),
        ("POST", "/v2/extract", {"urls": [PAGE], "agent": {"model": "FIRE-1"}}, 400, "agent"),
        ("POST", "/v1/extract", {"urls": [PAGE]}, 400, "/v1/extract"),
        ("POST", "/v2/scrape", {"url": PAGE, "formats": ["rawHtml"]}, 400, "rawHtml"),
        ("GET", "/v2/crawl/00000000-0000-0000-0000-000000000000", None, 404, "job"),
    ),
    "exa": (
        ("POST", "/search", {"query": "a", "contents": {"summary": True}}, 400, "summary"),
        ("POST", "/search", {"query": "a", "category": "company"}, 400, "category"),
        ("POST", "/search", {"query": "a", "includeText": ["x"]}, 400, "includeText"),
        ("POST", "/search", {"query": "a", "startPublishedDate": "soon"}, 400, "startPublishedDate"),
        ("POST", "/contents", {"text": True}, 400, "urls"),
        ("POST", "/findSimilar", {"url": PAGE, "category": "company"}, 400, "category"),
        ("POST", "/findSimilar", {"url": "http://10.0.0.1/"}, 403, "private"),
        ("POST", "/findSimilar", {}, 400, "url"),
        ("POST", "/answer", {"query": "a"}, 400, "answer"),
    ),
    "searxng": (
        ("GET", "/search?q=a&format=csv", None, 403, "format"),
        ("GET", "/search?q=a&format=json&pageno=6", None, 400, "pageno"),
        ("GET", "/search?q=a&format=json&engines=google", None, 400, "engines"),
        ("GET", "/search?q=a&format=json&categories=images,news", None, 400, "categories"),
        ("GET", "/search?q=a&format=json&time_range=soon", None, 400, "time_range"),
        ("GET", "/search?q=a&format=json&safesearch=9", None, 400, "safesearch"),
        ("GET", "/search?format=json", None, 400, "q"),
    ),
    "jina": (
        ("GET", "/r/example.com", None, 400, "https"),
        ("GET", "/r/file:///etc/passwd", None, 400, "https"),
        ("GET", "/r/http://10.0.0.1/", None, 403, "private"),
        ("GET", "/s/?q=a&num=many", None, 400, "num"),
        ("GET", "/s/?q=a&page=21", None, 400, "page"),
        ("POST", "/v1/rerank", {"query": "a", "documents": []}, 400, "documents"),
        ("POST", "/v2/rerank", {"query": "a", "documents": ["b"]}, 400, "rerank.provider"),
        ("POST", "/v1/embeddings", {"model": "m", "input": ["b"]}, 400, "embeddings.provider"),
        ("POST", "/v1/embeddings", {"model": "m", "input": "b", "dimensions": 3}, 400, "dimensions"),
        ("POST", "/v1/embeddings", {"model": "m", "input": [{"image": "b"}]}, 400, "text"),
        ("GET", "/s/?q=a&q=b", None, 400, "q"),
        ("POST", "/s/", {"q": "a", "respondWith": "screenshot"}, 400, "X-Respond-With"),
    ),
    "brave": (
        ("GET", "/res/v1/web/search?q=a&offset=5", None, 422, "offset"),
        ("GET", "/res/v1/web/search?q=a&freshness=soon", None, 422, "freshness"),
        ("GET", "/res/v1/web/search?q=a&result_filter=videos", None, 422, "result_filter"),
        ("GET", "/res/v1/web/search", None, 422, "q"),
        ("GET", "/res/v1/videos/search?q=a", None, 422, "/res/v1/videos/search"),
    ),
    "serper": (
        ("POST", "/search", {"q": "a", "page": 11}, 400, "page"),
        ("POST", "/search", {"q": "a", "tbs": "soon"}, 400, "tbs"),
        ("POST", "/search", [{"q": "a"}], 400, "list"),
        ("POST", "/videos", {"q": "a"}, 400, "/videos"),
    ),
    "gptresearcher": tuple(
        ("GET", f"/?query=a&max_results={rows}", None, 400, "max_results") for rows in ("x", "%C2%B2", "9" * 5_000)
    ),
    "openwebui": (("POST", "/load", {"urls": []}, 400, "urls"),),
    "linkup": (
        ("POST", "/v1/search", {"q": "a", "depth": "standard", "outputType": "sourcedAnswer"}, 400, "small_work.provider"),
        ("POST", "/v1/search", {"q": "a", "depth": "standard", "outputType": "structured"}, 400, "structuredOutputSchema"),
        ("POST", "/v1/search", {"q": "a", "depth": "standard", "outputType": "searchResults", "includeImages": True}, 400, "includeImages"),
        ("POST", "/v1/search", {"q": "a", "depth": "standard", "outputType": "searchResults", "fromDate": "soon"}, 400, "fromDate"),
        ("POST", "/v1/search", {"q": "a"}, 400, "outputType"),
        ("POST", "/v1/fetch", {"url": PAGE, "includeRawHtml": True}, 400, "includeRawHtml"),
        ("POST", "/v1/fetch", {"url": PAGE, "instructions": "tides"}, 400, "small_work.provider"),
        ("POST", "/v1/fetch", {"url": "http://10.0.0.1/"}, 403, "private"),
    ),
    "perplexity": (("POST", "/search", {"query": ["a"] * 6}, 400, "query"), ("POST", "/search", {"query": []}, 400, "query"), ("POST", "/search", {"query": "a", "search_recency_filter": "soon"}, 400, "search_recency_filter")),
    "anthropic": (
        ("POST", "/v1/messages", {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}], "tools": [{"type": "bash_20250124", "name": "bash"}]}, 400, "bash_20250124"),
        ("POST", "/v1/messages", {"model": "m", "messages": [{"role": "user", "content": "a"}]}, 400, "max_tokens"),
    ),
    "openai": (
        ("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "tools": [{}]}, 400, "tools"),
        ("POST", "/v1/chat/completions", {"messages": [{"role": "system", "content": "a"}]}, 400, "messages"),
        ("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "search_recency_filter": "soon"}, 400, "search_recency_filter"),
        ("POST", "/v1/responses", {"input": "a", "tools": [{"type": "web_search"}]}, 400, "small_work.provider"),
        ("POST", "/v1/responses", {"input": "a", "tools": [{"type": "code_interpreter"}]}, 400, "code_interpreter"),
        ("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "a"}}]}, {"role": "user", "content": "a"}]}, 400, "image_url"),
        ("POST", "/v1/responses", {"input": "a"}, 400, "web_search"),
        ("POST", "/v1/responses", {"input": [], "tools": [{"type": "web_search"}]}, 400, "input"),
    ),
}  # fmt: skip


FORM = "application/x-www-form-urlencoded"


PLAYED = [(name, sample) for name, samples in SAMPLES.items() for sample in samples]


def send(site: Site, prefix: str, sample: Sample) -> Answer:
    headers = {"content_type": FORM} if isinstance(sample.body, bytes) else {}
    return site.ask(sample.method, prefix + sample.path, sample.body, **headers)

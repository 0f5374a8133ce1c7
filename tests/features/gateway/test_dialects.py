"""Every dialect: what its clients send comes to the right question, and a failure is its own."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from returns.result import Failure

from tests.features.gateway.samples import PLAYED, send
from webseam import errors
from webseam.adapters.features.gateway.dialects.firecrawl.scrape_pages import _merge_data
from webseam.adapters.features.gateway.replies import (
    Call,
    Refusal,
    refusal_for_error,
    refuse_invalid,
)
from webseam.composition.features.gateway.gateway_setup import all_dialects
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.ports.backends import EVERY_FILTER, Abilities
from webseam.ports.errors.error_fields import RefusalKind

from .asgi import ROWS, Site
from .samples import PAGE, SAMPLES, TEXT, UNSUPPORTED, Sample

DIALECTS = {dialect.name: dialect for dialect in all_dialects()}
HIDES = re.compile(r"\u202e|\u200b|\u2066|\\u20")
KINDS: tuple[RefusalKind, ...] = get_args(RefusalKind)
REFUSED = [(name, *each) for name, every in UNSUPPORTED.items() for each in every]


def backend() -> FakeBackend:
    return FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER)


def holds(whole: Any, part: Any) -> bool:  # noqa: ANN401  JSON is anything
    """Tell whether an answer has everything that a sample expects."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            name in whole and holds(whole[name], value) for name, value in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) >= len(part) and all(map(holds, whole, part))
    return bool(whole == part)


def test_every_dialect_has_a_sample_and_a_list_of_what_it_refuses() -> None:
    assert set(SAMPLES) == set(UNSUPPORTED) == set(DIALECTS)


def _respelled(value: Any, spelling: str) -> Any:  # noqa: ANN401  JSON is anything
    """Write the page of the samples in another way."""
    if isinstance(value, dict):
        return {name: _respelled(inner, spelling) for name, inner in value.items()}
    if isinstance(value, list):
        return [_respelled(inner, spelling) for inner in value]
    return spelling if value == PAGE else value


@pytest.mark.parametrize("spelling", [f" {PAGE}", f"{PAGE}\r\n", PAGE.replace("com/", "com:/")])
@pytest.mark.parametrize("name", SAMPLES)
def test_every_dialect_takes_a_url_as_a_browser_does(
    tmp_path: Path, name: str, spelling: str
) -> None:
    for number, sample in enumerate(SAMPLES[name]):
        body = _respelled(sample.body, spelling)
        if body != sample.body and isinstance(sample.asked, list):
            site = Site(tmp_path / str(number), backend())
            assert send(site, f"/{name}", sample._replace(body=body)).status == 200
            assert site.backend.extracted == sample.asked  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "sample"),
    PLAYED,
    ids=[f"{name} {sample.path[:40]} {number}" for number, (name, sample) in enumerate(PLAYED)],
)
def test_a_sample_comes_to_the_question_it_is_and_its_answer_is_the_dialects(
    tmp_path: Path, name: str, sample: Sample
) -> None:
    site = Site(tmp_path, backend())

    answer = send(site, f"/{name}", sample)

    assert answer.status == 200, answer.body
    if isinstance(sample.asked, dict):
        (query,) = site.backend.searched  # type: ignore[attr-defined]
        fields = msgspec.to_builtins(query)
        assert {key: fields[key] for key in sample.asked} == sample.asked
    elif sample.asked is not None:
        assert site.backend.extracted == sample.asked  # type: ignore[attr-defined]
    if isinstance(sample.reply, str):
        assert answer.body.decode().startswith(sample.reply)
    else:
        assert holds(answer.json, sample.reply), answer.json


@pytest.mark.parametrize(
    ("name", "sample"),
    [(name, sample) for name, sample in PLAYED if sample.root],
    ids=lambda each: getattr(each, "path", each)[:40],
)
def test_at_the_root_it_is_the_same(tmp_path: Path, name: str, sample: Sample) -> None:
    site = Site(tmp_path, backend())

    there, here = send(site, f"/{name}", sample), send(site, "", sample)

    assert (here.status, here.headers["content-type"]) == (
        there.status,
        there.headers["content-type"],
    )
    assert len(here.body) - len(there.body) in range(-40, 41)


@pytest.mark.parametrize(("name", "method", "path", "body", "status", "word"), REFUSED)
def test_unsupported_fields_of_a_dialect_are_refused_by_name(
    tmp_path: Path, name: str, method: str, path: str, body: object, status: int, word: str
) -> None:
    site = Site(tmp_path, backend())

    answer = site.ask(method, f"/{name}{path}", body)

    assert (answer.status, word in answer.body.decode()) == (status, True), answer.body
    assert site.backend.searched == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", DIALECTS)
def test_no_refusal_is_ever_a_success(name: str) -> None:
    call = Call(method="POST", path="/search", today=date(2026, 11, 15), id="7")
    for kind in KINDS:
        reply = DIALECTS[name].refuse(Refusal(kind=kind, message="Some words."), call)

        assert 400 <= reply.status < 600, kind
        assert "Some words." in reply.body.decode(), kind
        assert isinstance(json.loads(reply.body), dict), kind
        assert "retry-after" in dict(reply.headers) or kind not in ("rate", "busy"), kind


SEARCHES = {
    name: next(sample for sample in samples if isinstance(sample.asked, dict))
    for name, samples in SAMPLES.items()
}
STATUSES = {
    "tavily": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 433,
    },
    "firecrawl": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 408,
        "budget_exceeded": 402,
    },
    "exa": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 402,
    },
    "searxng": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 402,
    },
    "jina": {
        "rate_limited": 429,
        "bad_payload": 503,
        "deadline_exceeded": 504,
        "budget_exceeded": 402,
    },
    "brave": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 402,
    },
    "serper": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 400,
    },
    "gptresearcher": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 402,
    },
    "openwebui": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 402,
    },
    "linkup": {
        "rate_limited": 429,
        "bad_payload": 500,
        "deadline_exceeded": 504,
        "budget_exceeded": 429,
    },
    "perplexity": {
        "rate_limited": 429,
        "bad_payload": 503,
        "deadline_exceeded": 504,
        "budget_exceeded": 429,
    },
    "openai": {
        "rate_limited": 429,
        "bad_payload": 503,
        "deadline_exceeded": 504,
        "budget_exceeded": 429,
    },
}
FAILURES: tuple[errors.WebError, ...] = (
    errors.RateLimited(backend="b", retry_after=3),
    errors.BadPayload(backend="b", problem="shape"),
    errors.DeadlineExceeded(backend="b", deadline=1.0),
    errors.BudgetExceeded(budget="today", cap=1.0, remaining=0.0, price=0.1, setting="budgets.day"),
)


# Anthropic has the failure of a tool inside a success, as a block: tests/features/gateway/test_messages.py.
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: error.kind)
@pytest.mark.parametrize("name", sorted(DIALECTS.keys() - {"anthropic"}))
def test_a_failure_behind_us_is_the_dialects_own_error(
    tmp_path: Path, name: str, error: errors.WebError
) -> None:
    site = Site(tmp_path, FakeBackend(search=Failure(error), abilities=EVERY_FILTER))

    answer = send(site, f"/{name}", SEARCHES[name])

    assert answer.status == STATUSES[name][error.kind]
    assert (answer.headers.get("retry-after") == "3") is isinstance(error, errors.RateLimited)


EMPTY: dict[str, Any] = {
    "tavily": {"results": []}, "firecrawl": {"success": True, "data": {"web": []}}, "exa": {"results": []}, "searxng": {"results": []}, "jina": "",
    "brave": {"web": {"results": []}}, "serper": {"organic": []}, "openwebui": [], "gptresearcher": [], "perplexity": {"results": []}, "linkup": {"results": []}, "openai": {"search_results": [], "citations": []},
    "anthropic": {"stop_reason": "end_turn", "content": [{"type": "server_tool_use"}, {"type": "web_search_tool_result", "content": []}, {"type": "text"}]},
}  # fmt: skip


@pytest.mark.parametrize("tokens", ["²", "9" * 5_000, "-1", "many"])
def test_a_number_of_tokens_that_is_none_is_refused_by_name(tmp_path: Path, tokens: str) -> None:
    answer = Site(tmp_path).ask("GET", "/jina/r/https://a.example/", None, x_max_tokens=tokens)

    assert (answer.status, "maxTokens" in answer.json["detail"]) == (400, True)


@pytest.mark.parametrize("name", DIALECTS)
def test_refusals_under_a_prefix_have_the_shape_of_its_dialect(tmp_path: Path, name: str) -> None:
    site = Site(tmp_path, body_kilobytes=1)
    dialect = DIALECTS[name]
    call = Call(method="GET", path="/", today=date.min)
    shape = json.loads(dialect.refuse(refuse_invalid("no"), call).body).keys()
    path = dialect.endpoints[0].path.replace("*", "x")

    nowhere = site.post(f"/{name}/no/such/path", {})
    method = site.ask("PUT", f"/{name}{path}")
    large = site.post(f"/{name}{path}", {"query": "x" * 2_000})

    assert [one.json.keys() for one in (nowhere, method, large)] == [shape] * 3
    assert (nowhere.status, method.status, large.status) == (404, 405, 413)


@pytest.mark.parametrize(
    ("method", "path", "body", "found"),
    [
        ("GET", "/searxng/search?q=a&format=json&pageno=2", None, range(20, 25)),
        ("GET", "/brave/res/v1/web/search?q=a&count=10&offset=1", None, range(10, 20)),
        ("POST", "/serper/search", {"q": "a", "num": 4, "page": 3}, range(8, 12)),
        ("GET", "/jina/s/?q=a&num=5&page=6", None, range(0)),
    ],
)
def test_further_pages_of_results_go_on_where_the_last_one_ended(
    tmp_path: Path, method: str, path: str, body: object, found: range
) -> None:
    rows = [{"url": f"https://a.example/{index}", "title": "t"} for index in range(25)]

    answer = Site(tmp_path, FakeBackend(rows, TEXT, abilities=EVERY_FILTER)).ask(method, path, body)

    urls = re.findall(r'"(?:url|link)":"https://a.example/([0-9]+)"', answer.body.decode())
    assert answer.status == 200
    assert list(dict.fromkeys(map(int, urls))) == list(found)


@pytest.mark.parametrize("name", DIALECTS)
def test_nothing_found_is_a_success(tmp_path: Path, name: str) -> None:
    answer = send(
        Site(tmp_path, FakeBackend([], abilities=EVERY_FILTER)), f"/{name}", SEARCHES[name]
    )

    assert answer.status == 200
    assert answer.body == b"" if name == "jina" else holds(answer.json, EMPTY[name])


@pytest.mark.parametrize("name", DIALECTS)
def test_a_key_that_is_refused_is_the_dialects_own_error(tmp_path: Path, name: str) -> None:
    site = Site(tmp_path, token="a-token-of-twenty-letters")

    answers = [
        send(site, f"/{name}", SEARCHES[name]),
        send(site, f"/k/wrong/{name}", SEARCHES[name]),
    ]

    assert {answer.status for answer in answers} == {403 if name == "serper" else 401}
    assert site.backend.searched == []  # type: ignore[attr-defined]


def test_a_filter_that_the_backend_lacks_is_refused_in_the_dialects_words(tmp_path: Path) -> None:
    site = Site(tmp_path, FakeBackend(ROWS, abilities=Abilities()))

    tavily = site.post("/tavily/search", {"query": "a", "start_date": "2026-01-01"})
    brave = site.get("/brave/res/v1/web/search?q=a&freshness=pw")
    exa = site.post("/exa/search", {"query": "a", "includeDomains": ["example.com"]})

    assert (tavily.status, "start_date" in tavily.json["detail"]["error"]) == (400, True)
    assert (brave.status, "freshness" in brave.json["error"]["detail"]) == (422, True)
    assert (exa.status, "includeDomains" in exa.json["error"]) == (400, True)


@pytest.mark.parametrize("body", [b"", b"{}", b"nonsense", b"[1]", b'{"a": 1}'])
def test_at_the_root_a_body_that_fits_nobody_is_told_the_prefixes(
    tmp_path: Path, body: bytes
) -> None:
    answer = Site(tmp_path).post("/search", body)

    assert answer.status == 400
    assert "/tavily/search" in answer.json["error"]
    assert "/exa/search" in answer.json["error"]


def test_a_page_that_its_own_server_refused_is_a_document_to_firecrawl(tmp_path: Path) -> None:
    error = errors.HttpStatus(status=404, url="https://example.com/a", backend="pages")
    site = Site(tmp_path, FakeBackend(extract=Failure(error)))

    answer = site.post("/v2/scrape", {"url": "https://example.com/a"})

    assert (answer.status, answer.json["data"]["metadata"]["statusCode"]) == (200, 404)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.DnsNotFound(host="a.example"), 500, "SCRAPE_DNS_RESOLUTION_ERROR"),
        (errors.EmptyContent(), 500, "UNKNOWN_ERROR"),
        (errors.DeadlineExceeded(deadline=1.0), 408, "SCRAPE_TIMEOUT"),
    ],
)
def test_a_page_that_cannot_be_read_has_the_code_that_clients_know(
    tmp_path: Path, error: errors.WebError, status: int, code: str
) -> None:
    answer = Site(tmp_path, FakeBackend(extract=Failure(error))).post(
        "/v2/scrape", {"url": "https://example.com/a"}
    )

    assert (answer.status, answer.json["success"], answer.json["code"]) == (status, False, code)


def test_refusal_of_a_failed_route_has_the_kind_of_its_attempts() -> None:
    attempt = errors_attempt("rate_limited"), errors_attempt("rate_limited")

    assert refusal_for_error(errors.NobodyAnswered(attempts=attempt, again_in=9.0)).kind == "rate"
    assert (
        refusal_for_error(errors.NobodyAnswered(attempts=(errors_attempt("timeout"),))).kind
        == "deadline"
    )
    assert (
        refusal_for_error(
            errors.NobodyAnswered(attempts=(*attempt, errors_attempt("timeout")))
        ).kind
        == "backend"
    )
    assert (
        refusal_for_error(errors.NobodyAnswered(attempts=attempt, again_in=9.0)).retry_after == 9.0
    )


def errors_attempt(outcome: str) -> Any:  # noqa: ANN401  an attempt
    from webseam.ports.attempts import BackendAttempt  # noqa: PLC0415

    return BackendAttempt(backend="b", outcome=outcome)


def test_the_reader_gives_json_html_text_and_less(tmp_path: Path) -> None:
    site = Site(
        tmp_path,
        FakeBackend(ROWS, "# Tides\n\n![x](https://example.com/x.png) *High* at [noon](/n)."),
    )
    page = "/r/https://example.com/a"

    whole = site.get(
        page, accept="application/json", x_with_links_summary="true", x_with_images_summary="true"
    )
    html = site.get(page, accept="application/json", x_return_format="html")
    text = site.get(page, x_respond_with="text")
    bare = site.get(page, x_retain_images="none")
    refused = site.get(page, x_target_selector="main")
    odd = site.get(page, x_return_format="pageshot")

    assert whole.json["data"]["links"] == {"noon": "https://example.com/n"}
    assert "<em>High</em>" in html.json["data"]["html"]
    assert text.body.decode() == "Tides\n\nx High at noon."
    assert "![" not in bare.body.decode()
    assert (refused.status, odd.status) == (400, 400)


def test_searches_of_the_reader_bring_pages_unless_rows_are_enough(tmp_path: Path) -> None:
    site = Site(tmp_path, backend())

    rows = site.get("/s/?q=tides", accept="application/json", x_respond_with="no-content")
    pages = site.get("/s/?q=tides", accept="application/json", x_site="https://example.com")

    assert [row["content"] for row in rows.json["data"]] == ["", ""]
    assert [row["content"] for row in pages.json["data"]] == [TEXT]
    assert site.backend.searched[-1].include_domains == ("example.com",)  # type: ignore[attr-defined]


def test_a_stream_of_a_chat_ends_with_the_rows(tmp_path: Path) -> None:
    answer = Site(tmp_path, backend()).post(
        "/v1/chat/completions", {"stream": True, "messages": [{"role": "user", "content": "tides"}]}
    )
    events = [part.removeprefix("data: ") for part in answer.body.decode().split("\n\n") if part]

    assert events[-1] == "[DONE]"
    assert json.loads(events[0])["choices"][0]["delta"]["role"] == "assistant"
    assert [row["url"] for row in json.loads(events[-2])["search_results"]] == [
        row["url"] for row in ROWS
    ]


def test_search_results_are_a_search_model_to_our_own_custom_backend(tmp_path: Path) -> None:
    content = (
        Site(tmp_path, backend())
        .post("/v1/chat/completions", {"messages": [{"role": "user", "content": "tides"}]})
        .json
    )
    message = content["choices"][0]["message"]

    places = [note["url_citation"] for note in message["annotations"]]

    assert [message["content"][place["start_index"] : place["end_index"]] for place in places] == [
        row["url"] for row in ROWS
    ]


@pytest.mark.parametrize(
    "place",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http:/169.254.169.254/",
        "http:%2f%2f169.254.169.254%2f",
        "http%3A%2F%2F169.254.169.254%2F",
        "http://127.0.0.1:8787/metrics",
        "http://localhost/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://example.com@10.0.0.1/",
        "https://user:pass@example.com/",
        "http://example.com\\@10.0.0.1/",
        "http://10.0.0.1%23.example.com/",
        "http://metadata.google.internal/",
        "http:///example.com/",
        "https://",
        "http://example.com:22/",
        "http://a..b/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "//10.0.0.1/",
        "../../api/search",
        "javascript:alert(1)",
        "HTTP://10.0.0.1/",
        "http://\uff11\uff10.0.0.1/",
    ],
)
def test_the_guard_holds_whatever_way_a_url_comes(tmp_path: Path, place: str) -> None:
    site = Site(tmp_path, FakeBackend(ROWS, TEXT, embedded=True))
    posts = {
        "/v2/scrape": {"url": place},
        "/v2/map": {"url": place},
        "/exa/contents": {"urls": [place], "text": True},
        "/openwebui/load": {"urls": [place]},
        "/tavily/extract": {"urls": [place]},
        "/tavily/map": {"url": place},
        "/serper/scrape": {"url": place},
        "/api/extract": {"urls": [place]},
    }

    answers = [site.get(f"/r/{place}"), *(site.post(path, body) for path, body in posts.items())]

    assert site.backend.extracted == []  # type: ignore[attr-defined]
    assert [answer for answer in answers if TEXT.encode() in answer.body] == []
    assert [it for it in answers if it.status < 400 and it.json["results"] != []] == []


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_dialect_passes_on_what_hides(tmp_path: Path, name: str) -> None:
    rows = [
        {**row, "title": f"\u202eT\u200b{row['title']}", "snippet": f"S\u2066{row['snippet']}"}
        for row in ROWS
    ]
    hiding = FakeBackend(rows, TEXT.replace("\n", "\u202e\n"), abilities=EVERY_FILTER)
    site = Site(tmp_path, backend=hiding)

    answers = [send(site, f"/{name}", sample) for sample in SAMPLES[name]]

    assert any(answer.status == 200 for answer in answers)
    assert not [answer for answer in answers if HIDES.search(answer.body.decode())]


def test_several_queries_of_perplexity_come_back_in_turn_and_every_url_once(tmp_path: Path) -> None:
    site = Site(tmp_path, backend())

    answer = site.post("/perplexity/search", {"query": ["tides", "moon", "sea"]})

    assert [query.query for query in site.backend.searched] == ["tides", "moon", "sea"]  # type: ignore[attr-defined]
    urls = [row["url"] for row in answer.json["results"]]
    assert urls == ["https://example.com/tides", "https://example.org/moon"]


@pytest.mark.parametrize(
    ("method", "path", "body", "image"),
    [
        (
            "GET",
            "/brave/res/v1/images/search?q=a",
            None,
            {"url": "{page}", "source": "example.com", "properties": {"url": "{image}"}},
        ),
        ("POST", "/serper/images", {"q": "a"}, {"link": "{page}", "imageUrl": "{image}"}),
        (
            "GET",
            "/searxng/search?q=a&format=json&categories=images",
            None,
            {"url": "{page}", "img_src": "{image}", "content": ""},
        ),
        (
            "POST",
            "/firecrawl/v2/search",
            {"query": "a", "sources": ["images"]},
            {"url": "{page}", "imageUrl": "{image}"},
        ),
    ],
)
def test_an_image_has_its_address_and_that_of_its_page(
    tmp_path: Path, method: str, path: str, body: object, image: dict[str, object]
) -> None:
    urls = {"{page}": "https://example.com/a", "{image}": "https://img.example.com/a.png"}
    row = {"title": "A", "url": urls["{image}"], "snippet": urls["{page}"]}
    expected = json.dumps(image)
    for name, url in urls.items():
        expected = expected.replace(name, url)

    answer = Site(tmp_path, FakeBackend([row], abilities=EVERY_FILTER)).ask(method, path, body)

    rows = answer.json.get("results") or answer.json.get("images") or answer.json["data"]["images"]
    assert {name: rows[0][name] for name in image} == json.loads(expected)


def test_a_page_of_searxng_shows_what_services_sent_as_text(tmp_path: Path) -> None:
    hostile = {
        "title": "<script>x</script>",
        "url": "https://a.example/?a=1&b=%22",
        "snippet": '"><img>',
    }
    site = Site(tmp_path, FakeBackend([hostile], TEXT, abilities=EVERY_FILTER))

    page = site.get("/searxng/search?q=%3Cscript%3E").body.decode()

    assert "<script" not in page
    assert "<img" not in page
    assert '<article class="result' in page


def test_data_of_several_pages_is_merged_however_deep_it_is() -> None:
    data: object = 1
    for _ in range(2_000):
        data = {"in": data}

    assert isinstance(_merge_data([data, data]), dict)
    assert _merge_data([{"a": {"b": [1]}}, {"a": {"b": [2], "c": 3}}]) == {
        "a": {"b": [1, 2], "c": 3}
    }


@pytest.mark.parametrize(
    ("scores", "sent"),
    [([0.25, None, 0.9], [1.0, 0.5, 0.3333]), ([0.25, 0.2], [0.25, 0.2]), ([None], [1.0])],
)
def test_scores_of_tavily_are_all_of_one_kind(
    tmp_path: Path, scores: list[float | None], sent: list[float]
) -> None:
    rows = [
        {"title": "a", "url": f"https://a.example/{n}", "snippet": "", "score": score}
        for n, score in enumerate(scores)
    ]

    answer = Site(tmp_path, FakeBackend(rows)).post("/tavily/search", {"query": "a"})

    assert [row["score"] for row in answer.json["results"]] == sent

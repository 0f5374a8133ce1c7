"""Every field of every dialect is honoured, refused by name and value, or named in the reply."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args
from urllib.parse import urlencode

import msgspec
import pytest

from properties.dialect_calls import PLAYED, TABLE, find_endpoint, make_call, sample_fields
from tests.features.gateway.asgi import ROWS, Answer, Site
from tests.features.gateway.samples import TEXT, Sample
from tests.services.pick import SERVICES
from webseam.adapters.features.gateway.asks import (
    ConversationRequest,
    Endpoint,
    GatewayRequest,
    Page,
    PagesRequest,
    Reading,
    RerankRequest,
    SearchRequest,
    SearchSuccess,
    WrittenAnswer,
)
from webseam.adapters.features.gateway.replies import Refusal, Reply, refuse_unsupported
from webseam.adapters.features.gateway.request_parsing import (
    is_default_value,
    name_refused_value,
    unread_fields,
)
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.kernel import WebDeps, web_extract, web_search
from webseam.ports.backends import EVERY_FILTER
from webseam.ports.models import RankedDocument

PAGE_URL = "https://example.com/other"
UNKNOWN = "field-that-nobody-has"
# These need a model or start a job, so they are read here and played in tests/features/gateway.
MODELLED = [
    ("jina", Sample("POST", "/v1/rerank", {"query": "tides", "documents": ["a", "b"]}, None, None)),
    ("jina", Sample("POST", "/v1/embeddings", {"input": ["a"]}, None, None)),
    ("firecrawl", Sample("POST", "/v2/batch/scrape", {"urls": ["https://example.com/a", "no URL"]}, None, None)),
    ("firecrawl", Sample("POST", "/v1/crawl", {"url": "https://example.com/a"}, None, None)),
    ("firecrawl", Sample("POST", "/v2/extract", {"urls": ["https://example.com/a"]}, None, None)),
    ("exa", Sample("POST", "/answer", {"query": "tides"}, None, None)),
    ("openai", Sample("POST", "/v1/responses", {"input": "tides", "tools": [{"type": "web_search"}]}, None, None)),
]  # fmt: skip
# Objects inside of bodies that the samples lack.
NESTED = [
    ("firecrawl", Sample("POST", "/v2/scrape", {"url": "https://example.com/a", "formats": [{"type": "json", "schema": {"x": {}}}]}, None, None)),
    ("firecrawl", Sample("POST", "/v2/crawl", {"url": "https://example.com/a", "scrapeOptions": {"formats": ["markdown"]}}, None, None)),
    ("exa", Sample("POST", "/contents", {"urls": ["https://example.com/a"], "summary": {"query": "a", "schema": {"x": {}}}}, None, None)),
    ("exa", Sample("POST", "/search", {"query": "a", "userLocation": {"country": "DE"}}, None, None)),
    ("jina", Sample("POST", "/v1/rerank", {"query": "a", "documents": [{"text": "a"}]}, None, None)),
    ("jina", Sample("POST", "/v1/embeddings", {"input": [{"text": "a"}]}, None, None)),
    ("openai", Sample("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "response_format": {"type": "text"}, "web_search_options": {"user_location": {"approximate": {"country": "DE"}}}}, None, None)),
    ("openai", Sample("POST", "/v1/responses", {"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}], "tools": [{"type": "web_search", "filters": {"allowed_domains": ["a.example"]}, "user_location": {"country": "DE"}}], "text": {"format": {"type": "json_schema", "schema": {"x": {}}}}}, None, None)),
    ("anthropic", Sample("POST", "/v1/messages", {"model": "m", "max_tokens": 9, "system": [{"type": "text", "text": "a"}], "thinking": {"type": "adaptive"}, "output_config": {"format": {"schema": {"x": {}}}}, "tools": [{"name": "f", "input_schema": {"x": {}}}], "tool_choice": {"type": "auto"}, "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "document", "source": {"type": "text", "data": "a"}}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "a"}]}]}]}, None, None)),
]  # fmt: skip
# What the caller's own words are in.
FREE_FORM = ("schema", "input_schema", "input")
# Some of these fit the type of any field, and at least one is not its default.
PROBES: tuple[object, ...] = (
    0, 1, 2, 7, True, False, "", "de", "GB", "off", "news", "day", "qdr:d", "pd", "2025-01-02", "text", "json", "only", "no-content", "none", "vlm",
    ["a.example"], [], ["x"], [PAGE_URL], [{"type": "x"}], [{"role": "user", "content": "x"}], [{"role": "user", "content": "y"}],
    {"type": "json_object"}, {"maxCharacters": 5}, {"x": "y"}, {"text": True},
    {"formats": ["links"]}, {"format": {"type": "json_schema", "schema": {}}}, ["web_search_call.action.sources"], {"user_location": {"country": "DE"}},
    PAGE_URL, "https://example.com/a", ["https://example.com/a"], "retrieval.query", "searchResults", "sourcedAnswer", {"effort": "low"}, {"type": "disabled"}, {"type": "none"},
)  # fmt: skip


def reading_digest(reading: GatewayRequest | ConversationRequest | Reply) -> object:
    """Return what a reading asks for, and what it would answer."""
    if isinstance(reading, Reply):
        return reading
    asked = {
        name: value for name, value in msgspec.structs.asdict(reading).items() if name != "write"
    }
    return type(reading), asked, written_reply(reading)


def written_reply(reading: GatewayRequest | ConversationRequest) -> object:
    if isinstance(reading, SearchRequest):
        return reading.write(FOUND)
    if isinstance(reading, RerankRequest):
        return reading.write(
            [RankedDocument(index=1, score=0.5), RankedDocument(index=0, score=0.1)]
        )
    if not isinstance(reading, PagesRequest):
        return None
    written = reading.write([PAGE])
    return reading_digest(written) if isinstance(written, SearchRequest) else written


def find_outcomes() -> tuple[SearchSuccess, Page]:
    deps = WebDeps(backend=FakeBackend(ROWS, f"{TEXT} ![high](/tide.png)", abilities=EVERY_FILTER))
    outcome = asyncio.run(web_search("tides", deps)).unwrap()
    url = outcome.rows[0].url
    page = Page(url=url, result=asyncio.run(web_extract(url, deps)).unwrap())
    answer = WrittenAnswer(text="High [1].", model="m")
    return SearchSuccess(outcome=outcome, pages=(page,), answer=answer), page


FOUND, PAGE = find_outcomes()
# One sample for each endpoint that declares its fields.
SHAPED = {
    (name, endpoint.method, endpoint.path): (endpoint, sample)
    for name, sample in reversed([*PLAYED, *MODELLED])
    if (endpoint := find_endpoint(name, sample)).shape is not None
}


def is_honoured_or_refused(endpoint: Endpoint, sample: Sample, field: str) -> bool:
    """Tell whether some value of a field makes a difference, or a refusal that names the field."""
    assert endpoint.shape is not None
    whole = sample_fields(sample)
    leave_one_out = [[name for name in whole if name != left_out] for left_out in whole]
    needed = {part.encode_name for part in msgspec.structs.fields(endpoint.shape) if part.required}
    return any(
        makes_difference(
            endpoint, sample, field, {name: whole[name] for name in names if name != field}
        )
        for names in (list(whole), [name for name in whole if name in needed], *leave_one_out)
    )


def makes_difference(
    endpoint: Endpoint, sample: Sample, field: str, fields: dict[str, object]
) -> bool:
    given = [fields, *({**fields, field: value} for value in PROBES)]
    readings = [endpoint.read(make_call(sample, each)) for each in given]
    taken = [reading for reading in readings if not isinstance(reading, Refusal)]
    refused = [
        reading
        for reading in readings
        if isinstance(reading, Refusal) and is_named(field, reading) and reading.kind != "invalid"
    ]
    # A value may make another field wrong.
    if not isinstance(readings[0], Refusal):
        refused += [
            each for each in readings if isinstance(each, Refusal) and field not in each.params
        ]
    digests = [reading_digest(reading) for reading in taken]
    return bool(refused) or any(digest != digests[0] for digest in digests)


def is_named(field: str, refusal: Refusal) -> bool:
    # A field of a body may also be a header: X-Engine.
    words = f"{refusal.message} {refusal.params}".replace("-", "").lower()
    return field.lower() in words


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_every_declared_field_is_honoured_or_refused_by_name(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    names = [field.encode_name for field in msgspec.structs.fields(endpoint.shape)]

    silent = [name for name in names if not is_honoured_or_refused(endpoint, sample, name)]

    assert silent == [], silent


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_refusal_has_the_value_that_is_wrong(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    for field in msgspec.structs.fields(endpoint.shape):
        for value in ("zzz", 987_654):
            call = make_call(sample, {**sample_fields(sample), field.encode_name: value})
            reading = endpoint.read(call)
            if isinstance(reading, Refusal) and reading.params == (field.encode_name,):
                assert str(value) in name_refused_value(reading, call).message, reading


def ask_site(site: Site, name: str, sample: Sample, more: dict[str, object]) -> Answer:
    call = make_call(sample, {**sample_fields(sample), **more})
    path = f"/{name}{call.path}" + (f"?{urlencode(call.query)}" if call.query else "")
    headers = {}
    if isinstance(sample.body, bytes):
        headers = {"content_type": "application/x-www-form-urlencoded"}
    return site.ask(sample.method, path, call.body or None, **headers)


@pytest.mark.parametrize(("name", "sample"), PLAYED)
def test_a_field_that_is_not_declared_is_refused_by_name_in_the_words_of_the_dialect(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    endpoint = find_endpoint(name, sample)
    if endpoint.bare:
        return
    site = Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER))

    refused = ask_site(site, name, sample, {UNKNOWN: "1"})
    empty = ask_site(site, name, sample, {UNKNOWN: ""})

    dialect = TABLE.dialects[name]
    envelope = dialect.refuse(refuse_unsupported(UNKNOWN), make_call(sample, {}))
    assert (refused.status, UNKNOWN in refused.body.decode()) == (envelope.status, True)
    assert json.loads(refused.body).keys() == json.loads(envelope.body).keys()
    assert empty.status == 200, empty.body


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_field_that_changes_nothing_is_named_in_the_reply(
    key: tuple[str, str, str], tmp_path: Path
) -> None:
    endpoint, sample = SHAPED[key]
    if (key[0], sample) in MODELLED:
        return
    assert endpoint.shape is not None
    declared = {field.encode_name for field in msgspec.structs.fields(endpoint.shape)}
    for field in endpoint.idle - declared - sample_fields(sample).keys():
        answer = ask_site(
            Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER)),
            key[0],
            sample,
            {field: "7"},
        )
        named = answer.headers.get("x-webseam-ignored", "").split(", ")
        assert (answer.status, field in named) == (200, True), (field, answer)


def nested_objects(
    value: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of the objects inside a body; those of a schema are the caller's own."""
    items = (
        enumerate(value)
        if isinstance(value, list)
        else value.items()
        if isinstance(value, dict)
        else ()
    )
    for name, inner in items:
        if name in FREE_FORM and isinstance(inner, dict):
            continue
        if isinstance(inner, dict):
            yield (*path, name)
        yield from nested_objects(inner, (*path, name))


def with_unknown_field(body: object, path: tuple[str | int, ...]) -> object:
    copied = inner = json.loads(json.dumps(body))
    for name in path:
        inner = inner[name]
    inner[UNKNOWN] = "1"
    return copied


@pytest.mark.parametrize(("name", "sample"), [*PLAYED, *NESTED])
def test_a_field_inside_another_is_refused_by_its_own_name(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    if not isinstance(sample.body, dict):
        return
    site = Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER))
    for path in nested_objects(sample.body):
        answer = site.ask(
            sample.method, f"/{name}{sample.path}", with_unknown_field(sample.body, path)
        )

        assert (answer.status, UNKNOWN in answer.body.decode()) == (400, True), (path, answer)


@pytest.mark.parametrize(("name", "sample"), PLAYED)
def test_a_field_of_the_query_counts_or_is_refused_by_name(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    """Beside a JSON body nothing is read from the query; elsewhere a field has one value."""
    if find_endpoint(name, sample).bare or find_endpoint(name, sample).shape is None:
        return
    site = Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER))
    fields = sample_fields(sample)
    field = next(iter(fields), "q")
    mark = "&" if "?" in sample.path else "?"
    is_json = isinstance(sample.body, dict)
    given = (
        f"{field}=other"
        if is_json or isinstance(sample.body, bytes)
        else f"{field}=other&{field}=others"
    )
    headers = (
        {"content_type": "application/x-www-form-urlencoded"}
        if isinstance(sample.body, bytes)
        else {}
    )

    answer = site.ask(sample.method, f"/{name}{sample.path}{mark}{given}", sample.body, **headers)

    assert answer.status in (400, 422), answer
    assert field in answer.body.decode(), answer


# Headers of the vendors that ask for something; the last four are refused.
VENDOR_HEADERS = {
    "jina": ("x-md-link-style", "x-respond-timing", "x-markdown-chunking", "x-with-iframe", "x-timeout", "x-engine", "x-retain-images", "x-target-selector", "x-respond-with", "x-return-format"),
    "brave": ("x-loc-lat", "x-loc-country", "api-version", "cache-control"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "path"),
    [("jina", f"/r/{PAGE_URL}"), ("jina", "/s/tides"), ("brave", "/res/v1/web/search?q=tides")],
)
def test_a_header_of_the_vendor_is_honoured_refused_or_named(
    name: str, path: str, tmp_path: Path
) -> None:
    site = Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER))
    for header in VENDOR_HEADERS[name]:
        answer = site.get(f"/{name}{path}", **{header.replace("-", "_"): "7"})

        named = (
            answer.headers.get("x-webseam-ignored", "")
            if answer.status == 200
            else answer.body.decode()
        )
        assert header.removeprefix("x-").replace("-", "") in named.lower().replace("-", ""), (
            header,
            answer,
        )


@pytest.mark.parametrize("tool", ["search", "extract", "ask"])
def test_our_own_api_refuses_fields_of_the_query(tool: str, tmp_path: Path) -> None:
    answer = Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER)).post(
        f"/api/{tool}?max_results=3", {"query": "a"}
    )

    assert (answer.status, "max_results" in answer.body.decode()) == (400, True)


def read_with_value(endpoint: Endpoint, sample: Sample, field: str, value: object) -> object:
    fields = {name: given for name, given in sample_fields(sample).items() if name != field}
    call = make_call(sample, fields if value is None else {**fields, field: value})
    reading = endpoint.read(call)
    if isinstance(reading, Refusal):
        return reading.message
    idle = getattr(reading, "unread", ())
    return reading_digest(reading), field in idle


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_word_that_nobody_knows_counts_or_is_refused(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    texts = [
        field.encode_name
        for field in msgspec.structs.fields(endpoint.shape)
        if str in (field.type, *get_args(field.type))
    ]
    silent = [
        name
        for name in texts
        if read_with_value(endpoint, sample, name, "zzz")
        == read_with_value(endpoint, sample, name, None)
    ]

    assert silent == [], silent


def filter_names(service: str) -> set[str]:
    return {
        name
        for name, support in SERVICES[service].abilities.filters.items()
        if support != "refused"
    }


@pytest.mark.parametrize(
    "service", [name for name in sorted(SERVICES) if SERVICES[name].search is not None]
)
def test_a_hint_is_applied_or_named_and_a_filter_applied_or_refused_by_every_service(
    service: str, tmp_path: Path
) -> None:
    backend = FakeBackend(ROWS, TEXT, abilities=SERVICES[service].abilities)
    site = Site(tmp_path, backend)
    for name, sample, theirs, ours, is_hint in FILTERED:
        backend.searched.clear()

        answer = ask_site(site, name, sample, {})

        named = theirs in answer.headers.get("x-webseam-ignored", "")
        applied = answer.status == 200 and getattr(backend.searched[-1], ours) is not None
        if is_hint:
            assert (answer.status, applied or named) == (200, True), (name, theirs, answer)
        elif ours not in filter_names(service):
            assert answer.status in (400, 422), (name, theirs, answer)
            assert theirs in answer.body.decode(), (name, theirs, answer)


# What clients send by default, or may send: the field, what it stands for, and if it is a hint.
FILTERED = tuple(
    (name, Sample(method, path, body, None, None), theirs, ours, hint)
    for name, method, path, body, theirs, ours, hint in (
        (
            "searxng",
            "GET",
            "/search?q=t&format=json&language=en",
            None,
            "language",
            "language",
            True,
        ),
        (
            "searxng",
            "GET",
            "/search?q=t&format=json&safesearch=1",
            None,
            "safesearch",
            "safe_search",
            True,
        ),
        (
            "searxng",
            "GET",
            "/search?q=t&format=json&safesearch=2",
            None,
            "safe",
            "safe_search",
            False,
        ),
        ("serper", "POST", "/search", {"q": "t", "hl": "en"}, "hl", "language", True),
        ("serper", "POST", "/search", {"q": "t", "gl": "us"}, "gl", "country", True),
        ("serper", "POST", "/news", {"q": "t"}, "topic", "topic", False),
        (
            "brave",
            "GET",
            "/res/v1/web/search?q=t&search_lang=en",
            None,
            "search_lang",
            "language",
            True,
        ),
        (
            "brave",
            "GET",
            "/res/v1/web/search?q=t&safesearch=moderate",
            None,
            "safesearch",
            "safe_search",
            True,
        ),
        ("brave", "GET", "/res/v1/web/search?q=t&country=US", None, "country", "country", True),
        (
            "brave",
            "GET",
            "/res/v1/web/search?q=t&safesearch=strict",
            None,
            "safesearch",
            "safe_search",
            False,
        ),
        ("firecrawl", "POST", "/v1/search", {"query": "t", "lang": "en"}, "lang", "language", True),
        (
            "firecrawl",
            "POST",
            "/v1/search",
            {"query": "t", "country": "us"},
            "country",
            "country",
            True,
        ),
        ("jina", "GET", "/s/?q=t&hl=en", None, "hl", "language", True),
        ("jina", "GET", "/s/?q=t&gl=US", None, "gl", "country", True),
        (
            "tavily",
            "POST",
            "/search",
            {"query": "t", "language": "en"},
            "language",
            "language",
            True,
        ),
        (
            "tavily",
            "POST",
            "/search",
            {"query": "t", "language": "en", "filter_by_language": True},
            "language",
            "language",
            False,
        ),
        (
            "tavily",
            "POST",
            "/search",
            {"query": "t", "country": "germany"},
            "country",
            "country",
            True,
        ),
        (
            "exa",
            "POST",
            "/search",
            {"query": "t", "userLocation": "DE"},
            "userLocation",
            "country",
            True,
        ),
        (
            "perplexity",
            "POST",
            "/search",
            {"query": "t", "search_language_filter": ["de"]},
            "search_language_filter",
            "language",
            False,
        ),
        (
            "perplexity",
            "POST",
            "/search",
            {"query": "t", "country": "DE"},
            "country",
            "country",
            False,
        ),
        (
            "openai",
            "POST",
            "/v1/chat/completions",
            {
                "messages": [{"role": "user", "content": "t"}],
                "web_search_options": {"user_location": {"country": "DE"}},
            },
            "user_location",
            "country",
            True,
        ),
    )
)


# What a field is unless the caller says so, where that is neither nothing nor false.
DEFAULTS: dict[str, object] = {
    "ignoreInvalidURLs": True, "includeSubdomains": True, "n": 1, "offset": 0, "onlyMainContent": True,
    "page": 1, "pageno": 1, "stream": False, "max_depth": 1, "type": "web",
    # What it is without tools.
    "tool_choice": {"type": "none"},
}  # fmt: skip


def is_off(value: object, name: str) -> bool:
    """Tell whether a value asks for nothing: the vendor's default, or none that is true."""
    if not isinstance(value, bool) and value == "":
        return True  # a blank value counts as absent
    if name in DEFAULTS:
        spellings = {"false": "0", "true": "1"}
        texts = [str(given).lower() for given in (value, DEFAULTS[name])]
        return len({spellings.get(text, text) for text in texts}) == 1
    return value is False or value in ([], {})


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_value_without_effect_is_the_default_or_its_field_is_named(
    key: tuple[str, str, str],
) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    silent = []
    fields = msgspec.structs.fields(endpoint.shape)
    required = {field.encode_name for field in fields if field.required}
    base = {name: value for name, value in sample_fields(sample).items() if name in required}
    for field in fields:
        name = field.encode_name
        plain = {given: value for given, value in base.items() if given != name}
        without = endpoint.read(make_call(sample, plain))
        if isinstance(without, Refusal):
            continue
        for value in (*PROBES, -1, {}):
            call = make_call(sample, {**plain, name: value})
            reading = endpoint.read(call)
            named, unknown = unread_fields(call, endpoint)
            is_named = any(path.partition(".")[0] == name for path in named)
            is_judged = isinstance(reading, Refusal) or unknown is not None or is_named
            # For a truth, 0 is false.
            meaning = bool(value) if is_truth(field.type) and type(value) is int else value
            # The samples have two documents, so no number from two on changes anything.
            if is_judged or is_off(meaning, name) or (name == "top_n" and meaning != 1):
                continue
            if digest_of(reading) == digest_of(without):
                silent.append((name, value))

    assert silent == [], silent


def digest_of(reading: Reading) -> object:
    return reading if isinstance(reading, Refusal) else reading_digest(reading)


def is_truth(kind: object) -> bool:
    return bool in (kind, *get_args(kind))


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_truth_that_is_written_as_a_word_or_a_digit_is_that_truth_or_refused(
    key: tuple[str, str, str],
) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    truths = [
        field.encode_name
        for field in msgspec.structs.fields(endpoint.shape)
        if is_truth(field.type)
    ]
    for name in truths:
        for truth, spellings in ((False, ("false", "False", "0")), (True, ("true", "True", "1"))):
            fields = sample_fields(sample)
            expected = endpoint.read(make_call(sample, {**fields, name: truth}))
            for spelling in spellings:
                reading = endpoint.read(make_call(sample, {**fields, name: spelling}))
                is_same = digest_of(reading) == digest_of(expected)
                assert is_same or isinstance(reading, Refusal), (name, spelling)


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
@pytest.mark.parametrize("value", [False, 0, [], {}, ""])
def test_a_field_without_effect_is_named_also_if_it_is_false(
    key: tuple[str, str, str], value: object
) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    if value in ([], {}) and not isinstance(sample.body, dict):
        return  # a query has texts
    declared = {field.encode_name for field in msgspec.structs.fields(endpoint.shape)}
    for name in (*sorted(endpoint.idle - declared), UNKNOWN):
        call = make_call(sample, {**sample_fields(sample), name: value})

        named, unknown = unread_fields(call, endpoint)

        is_default = name in endpoint.defaults and is_default_value(value, endpoint.defaults[name])
        assert (name in named) != is_default, (name, value)
        assert unknown is None


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_default_of_the_vendor_is_neither_refused_nor_named(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    for name, value in endpoint.defaults.items():
        call = make_call(sample, {**sample_fields(sample), name: value})

        assert name not in unread_fields(call, endpoint)[0], name
        assert unread_fields(call, endpoint)[1] is None, name


COUNTS = ("numResults", "max_results", "maxResults", "limit", "num", "count", "page", "pageno", "n", "top_n", "max_depth")  # fmt: skip


@pytest.mark.parametrize("key", sorted(SHAPED), ids=" ".join)
def test_a_count_below_one_is_refused_by_its_name(key: tuple[str, str, str]) -> None:
    endpoint, sample = SHAPED[key]
    assert endpoint.shape is not None
    for field in msgspec.structs.fields(endpoint.shape):
        for value in (0, -1):
            if (name := field.encode_name) in COUNTS:
                given = str(value) if sample.body is None else value
                refused = endpoint.read(make_call(sample, {**sample_fields(sample), name: given}))
                assert isinstance(refused, Refusal), (name, value)
                assert name in f"{refused.params} {refused.message}", refused

"""The key of a stored answer holds all that would have sent another request, or let the call fail."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, strategies as st
from returns.result import Failure, Success

from tests.choosing.support import root
from tests.planner.support import Scripted, route
from tests.services.pick import SERVICES
from webseam.adapters.services.calls import Access, ServiceCall
from webseam.adapters.services.declaration import Capability, Option, Service
from webseam.adapters.services.operations import ExtractAsk, SearchAsk
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.cached_backend import (
    CachedBackend,
    CacheIdentity,
    canonical_query,
    search_cache_key,
)
from webseam.composition.features.testing.strategies.questions import search_queries
from webseam.composition.planning.route_backend import OpenTarget, RouteBackend
from webseam.composition.wiring.backend_choice import choose_backend
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, web_search
from webseam.kernel.laws.filters import FilterPolicy
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.policy import Policy
from webseam.ports.backends import EVERY_FILTER, Abilities, BackendAbout
from webseam.ports.errors import UnsupportedFilter, UpstreamUnavailable
from webseam.ports.secrets import Secret
from webseam.ports.web import SearchOutcome, WebSearchQuery

URL = "https://a.example/b"
# Two values for an option with a pattern; every other option takes any text.
VALUES: Mapping[str, tuple[str, str]] = {
    r"fc-\S+": ("fc-one", "fc-two"),
    r"jina_\S+": ("jina_one", "jina_two"),
    r"pplx-\S+": ("pplx-one", "pplx-two"),
    r"tvly-\S+": ("tvly-one", "tvly-two"),
    r"k\d+\..+": ("k1.one", "k2.two"),
    "repositories|issues": ("repositories", "issues"),
    r"\S+@\S+": ("one@a.example", "two@a.example"),
    r"\S+@\S+|https?://\S+": ("one@a.example", "two@a.example"),
}
# Settings of every service that change no request.
QUIET_SETTINGS = ("price: 0.5", "search_price: 0.5", "extract_price: 0.5", "rate: 3", "concurrency: 2")  # fmt: skip


def option_values(option: Option) -> tuple[str, str]:
    return VALUES.get(option.pattern, ("value-one", "value-two"))


def settings_text(service: Service, values: Mapping[str, str], *more: str) -> str:
    lines = [f"{name}: '{value}'" for name, value in values.items()]
    lines += [*more, *([] if service.address.base_url else ["base_url: 'https://me.example'"])]
    return f"services: {{{service.name}: {{{', '.join(lines)}}}}}\n" if lines else ""


def page_key(folder: Path, capability: Capability, name: str, text: str) -> bytes:
    opened = root(folder, text, HOME=str(folder))
    backend = choose_backend(capability, opened, backend_name=name).unwrap().backend
    assert isinstance(backend, CachedBackend)
    return backend.page_question(URL).key


def call(service: Service, capability: Capability, values: Mapping[str, str]) -> ServiceCall:
    secrets = {name: Secret(value) for name, value in values.items()}
    access = Access(base_url="https://me.example", values=secrets)
    if capability == "search" and service.search is not None:
        return service.search.encode(SearchAsk(query=WebSearchQuery(query="q"), access=access))
    assert service.extract is not None
    return service.extract.encode(ExtractAsk(urls=(URL,), access=access))


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_setting_of_a_service_that_changes_its_request_changes_the_key(
    name: str, tmp_path: Path
) -> None:
    service = SERVICES[name]
    first = {option.name: option_values(option)[0] for option in service.options}
    capability: Capability = "search" if service.search is not None else "extract"

    usual = page_key(tmp_path, capability, name, settings_text(service, first))

    for option in service.options:
        other = {**first, option.name: option_values(option)[1]}
        is_same_call = call(service, capability, first) == call(service, capability, other)
        key = page_key(tmp_path, capability, name, settings_text(service, other))
        assert (key == usual) is is_same_call, option.name
    quiet = settings_text(service, first, *QUIET_SETTINGS)
    assert page_key(tmp_path, capability, name, f"timeout: 7\n{quiet}") == usual
    moved = {**first, "base_url": "https://other.example/v9"}
    text = settings_text(
        msgspec.structs.replace(service, address=type(service.address)(base_url="x")), moved
    )
    assert page_key(tmp_path, capability, name, text) != usual


def test_default_that_is_written_out_changes_no_key(tmp_path: Path) -> None:
    written = page_key(tmp_path, "search", "github", "services: {github: {kind: repositories}}\n")

    assert written == page_key(tmp_path, "search", "github", "")


DESCRIBED = {
    "url_template": "https://api.example/project-a?q={query}",
    "results_path": "results",
    "parameters": {"region": "eu"},
    "headers": {"X-Team": "one"},
    "api_key": "key-one",
    "fields": {"title": "name"},
    "limit_parameter": "n",
    "max_results": 10,
    "error_path": "error",
}
CHANGES = {
    "url_template": "https://api.example/project-b?q={query}",
    "results_path": "others",
    "parameters": {"region": "us"},
    "headers": {"X-Team": "two"},
    "api_key": "key-two",
    "fields": {"title": "headline"},
    "limit_parameter": "m",
    "max_results": 20,
    "error_path": "fault",
    "auth": "none",
    "method": "POST",
    "site_operator": True,
}


def described_key(folder: Path, block: Mapping[str, object]) -> bytes:
    text = msgspec.json.encode({"json": {"mine": block}}).decode()
    return page_key(folder, "search", "mine", text)


def test_every_setting_of_a_described_api_changes_the_key_and_its_title_does_not(
    tmp_path: Path,
) -> None:
    keys = {
        name: described_key(tmp_path, {**DESCRIBED, name: value}) for name, value in CHANGES.items()
    }
    usual = described_key(tmp_path, DESCRIBED)

    assert len({usual, *keys.values()}) == 1 + len(CHANGES)
    assert described_key(tmp_path, {**DESCRIBED, "title": "Mine", "timeout": 3}) == usual


MODELS = "services: {openai_web: {model: m}}\nproviders: {openai: {api_key: k}}\n"
MODEL_CHANGES = (
    "services: {openai_web: {model: n}}\nproviders: {openai: {api_key: k}}\n",
    "services: {openai_web: {model: m}}\nproviders: {openai: {api_key: l}}\n",
    "services: {openai_web: {model: m}}\nproviders: {openai: {api_key: k, headers: {X-A: b}}}\n",
    "services: {openai_web: {model: m}}\nproviders: {openai: {api_key: k, extra_body: {a: 1}}}\n",
    "services: {openai_web: {model: m}}\nproviders: {openai: {api_key: k, max_tokens: 9}}\n",
    "services: {openai_web: {model: m}}\nproviders: {openai: {api_key: k, base_url: 'https://o.example'}}\n",
)
PAGES = (
    "",
    "pages: {contact: 'a@b.example'}\n",
    "vision: {provider: openai}\n",
    "vision: {provider: openai, model: m}\n",
    "vision: {route: [openai/m]}\n",
    "render: {mode: auto}\n",
    "render: {mode: auto, browser: /opt/other}\n",
    "extract_comments: true\n",
    "pages: {prefer: markdown}\n",
)
KEYED = "services: {brave: {api_key: b}, tavily: {api_key: t}, exa: {api_key: e}}\n"
ROUTES = (
    "route: [brave, tavily]",
    "route: [tavily, brave]",
    "route: [{fuse: [brave, tavily]}]",
    "route: [{fuse: [brave, tavily], quorum: 1}]",
    "route: [{fuse: [brave, tavily], strict: true}]",
    "route: [{fuse: [brave, tavily], patience: 2}]",
    "route: [{fuse: [brave, tavily], weights: {brave: 3}}]",
    "route: [{fuse: [brave, tavily], weights: {tavily: 3}}]",
    "route: [{fuse: [brave, tavily, exa]}]",
)


def test_settings_of_models_pages_and_routes_that_change_a_request_change_the_key(
    tmp_path: Path,
) -> None:
    models = [page_key(tmp_path, "search", "openai_web", text) for text in (MODELS, *MODEL_CHANGES)]
    pages = [page_key(tmp_path, "extract", "pages", text) for text in PAGES]

    assert len(set(models)) == len(models)
    assert len(set(pages)) == len(pages)
    browser = "render: {browser: /opt/other}\nvision: {model: m}\n"
    assert page_key(tmp_path, "extract", "pages", browser) == pages[0]


def test_way_in_which_a_route_asks_its_backends_changes_the_key(tmp_path: Path) -> None:
    keys = []
    for text in ROUTES:
        opened = root(tmp_path, f"{KEYED}{text}\n", HOME=str(tmp_path))
        backend = choose_backend("search", opened).unwrap().backend
        assert isinstance(backend, CachedBackend)
        keys.append(backend.page_question(URL).key)

    assert len(set(keys)) == len(keys)


ASKER = CacheIdentity(backend="b", scope="s", policy_version="p")


@given(query=search_queries(), drops=st.booleans())
def test_queries_with_one_cache_key_have_one_canonical_query(
    query: WebSearchQuery, *, drops: bool
) -> None:
    question = canonical_query(query)

    key = search_cache_key(ASKER, query, drops_filters=drops)

    assert key == search_cache_key(ASKER, question, drops_filters=drops)
    assert key != search_cache_key(ASKER, question, drops_filters=not drops)
    assert canonical_query(question) == question


class Undeclared(Scripted):
    """Declares that it has no language."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.about = BackendAbout(name=name, abilities=Abilities())


def asking(service: Scripted, filters: FilterPolicy) -> RouteBackend:
    backend = route([service])
    about = BackendAbout(name="a", abilities=EVERY_FILTER)
    targets = {"search:a#1": OpenTarget(backend=service, policy=Policy())}
    plan = msgspec.structs.replace(backend.plan, filters=filters)
    return RouteBackend(about, plan, targets, backend.planner)


def search(folder: Path, backend: RouteBackend, query: WebSearchQuery) -> object:
    store = CacheStore(folder / "answers.sqlite")
    cached = with_cache(backend, store, scope="s", drops_filters=backend.drops_filters)
    return asyncio.run(web_search(query, WebDeps(backend=cached)))


@pytest.mark.parametrize(
    "query", [WebSearchQuery(query="q", language="de"), WebSearchQuery(query="q")]
)
def test_strict_caller_gets_no_answer_for_which_a_filter_was_dropped(
    query: WebSearchQuery, tmp_path: Path
) -> None:
    service = Undeclared("a")
    lenient, strict = asking(service, "best-effort"), asking(service, "strict")

    first = search(tmp_path, lenient, query)
    again = search(tmp_path, lenient, query)
    insisting = search(tmp_path, strict, query)

    assert isinstance(first, Success)
    assert isinstance(again, Success)
    assert again.unwrap().receipt.cached
    assert service.asked == 1
    if query.language is None:
        # The same request: one answer for both.
        assert isinstance(insisting, Success)
        assert insisting.unwrap().receipt.cached
    else:
        assert isinstance(insisting, Failure)
        assert isinstance(insisting.failure(), UnsupportedFilter)


FUSED = (Leg(members=(("search:a#1",), ("search:b#1",)), fuse=True),)


def test_half_of_a_fused_answer_is_not_kept(tmp_path: Path) -> None:
    a, b = Scripted("a"), Scripted("b", UpstreamUnavailable(status=503), ())
    query = WebSearchQuery(query="q")

    half = search(tmp_path, route([a, b], legs=FUSED), query)
    whole = search(tmp_path, route([a, b], legs=FUSED), query)
    stored = search(tmp_path, route([a, b], legs=FUSED), query)

    receipts = [outcome.unwrap().receipt for outcome in (half, whole, stored)]  # type: ignore[attr-defined]
    assert [(receipt.backend, receipt.cached) for receipt in receipts] == [
        ("a", False),
        ("a+b", False),
        ("a+b", True),
    ]
    assert "b (upstream_unavailable)" in receipts[0].warnings[0]


def test_stored_answer_of_a_route_names_the_words_of_who_asks(tmp_path: Path) -> None:
    a = Scripted("a")
    first = search(tmp_path, route([a]), WebSearchQuery(query="tide  tables", max_results=5))

    second = search(tmp_path, route([a]), WebSearchQuery(query=" tide tables", max_results=5))

    outcomes = [first, second]
    receipts = [outcome.unwrap().receipt for outcome in outcomes]  # type: ignore[attr-defined]
    assert [(receipt.query, receipt.cached) for receipt in receipts] == [
        ("tide  tables", False),
        (" tide tables", True),
    ]
    assert a.asked == 1
    assert all(isinstance(outcome.unwrap(), SearchOutcome) for outcome in outcomes)  # type: ignore[attr-defined]

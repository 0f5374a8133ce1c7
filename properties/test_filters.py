"""Every filter of every backend is honoured, or refused by name with its value."""

import functools
from collections.abc import Callable
from datetime import date
from itertools import combinations
from typing import get_args

import msgspec
import pytest
from hypothesis import given, strategies as st

from tests.services.pick import SERVICES
from webseam.adapters.features.models.search.declaration import SearchModel
from webseam.adapters.services.calls import Access
from webseam.adapters.services.declaration import Service
from webseam.adapters.services.operations import SearchAsk
from webseam.composition.features.models.search_model_rows import installed_search_models
from webseam.composition.features.testing.strategies.questions import search_queries
from webseam.kernel.laws.filters import FilterPlan, plan_query_filters, verify_rows
from webseam.kernel.laws.row_law import LawfulRow
from webseam.ports.backends import REFUSED, Abilities, FilterName
from webseam.ports.errors import UnsupportedFilter
from webseam.ports.secrets import Secret
from webseam.ports.web import WebSearchQuery


def service_call(service: Service, query: WebSearchQuery) -> object:
    assert service.search is not None
    values = {option.name: Secret("key-0123456789") for option in service.options}
    access = Access(base_url="https://api.example", values=values)
    return service.search.encode(SearchAsk(query=query, access=access))


def model_call(model: SearchModel, query: WebSearchQuery) -> object:
    return model.ask(query, model.model)


VALUES: dict[FilterName, list[object]] = {
    "include_domains": [("a.example",), ("b.example",), tuple(f"{n}.example" for n in range(400))],
    "exclude_domains": [("a.example",), ("b.example",), tuple(f"{n}.example" for n in range(400))],
    "published_after": [date(2024, 1, 2), date(2025, 2, 3)],
    "published_before": [date(2025, 3, 4), date(2026, 4, 5)],
    "country": ["AQ", "DE", "GB", "US"],
    "language": ["de", "en", "ja", "tlh", "zh-TW"],
    "topic": ["general", "news", "finance", "images"],
    "safe_search": ["off", "moderate", "strict"],
}
SEARCHERS: dict[str, tuple[Abilities, Callable[[WebSearchQuery], object]]] = {
    **{
        name: (service.abilities, functools.partial(service_call, service))
        for name, service in SERVICES.items()
        if service.search is not None
    },
    **{
        name: (model.abilities, functools.partial(model_call, model))
        for name, model in installed_search_models().items()
    },
}
every_searcher = pytest.mark.parametrize("name", sorted(SEARCHERS))


@every_searcher
def test_two_values_of_an_applied_filter_make_two_calls(name: str) -> None:
    abilities, write = SEARCHERS[name]
    for field, values in VALUES.items():
        queries = [
            msgspec.convert({"query": "q", field: value}, WebSearchQuery) for value in values
        ]
        plans = [plan_query_filters(query, abilities, "best-effort") for query in queries]
        calls = [
            write(plan.query)
            for plan in plans
            if isinstance(plan, FilterPlan) and field in plan.sent
        ]
        for first, second in combinations(calls, 2):
            assert first != second, (field, first)


@every_searcher
@given(query=search_queries())
def test_every_filter_is_applied_emulated_or_refused_with_its_value(
    name: str, query: WebSearchQuery
) -> None:
    abilities, _ = SEARCHERS[name]
    plan = plan_query_filters(query, abilities, "best-effort")
    if not isinstance(plan, FilterPlan):
        return  # the query is too long
    assert sorted(plan.named) == sorted((*plan.sent, *plan.emulated, *plan.refused))
    refusal = plan_query_filters(query, abilities, "strict")
    if plan.refused:
        assert isinstance(refusal, UnsupportedFilter)
        assert refusal.filters == plan.refused
        declared = {
            field
            for field in get_args(FilterName)
            if field in plan.refused and abilities.filters.get(field, REFUSED) != REFUSED
        }
        assert set(refusal.values) == declared
        for field in declared:
            value = getattr(query, field)
            assert isinstance(value, tuple) or str(value) in refusal.values[field]


def test_every_value_that_a_backend_refuses_belongs_to_a_filter_that_it_declares() -> None:
    """What depends on the query takes away from what is declared, and adds nothing."""
    for name, (abilities, _) in SEARCHERS.items():
        for field, values in VALUES.items():
            for value in values:
                query = msgspec.convert({"query": "q", field: value}, WebSearchQuery)
                depending = abilities.depending(query) if abilities.depending is not None else {}
                assert depending.get(field, REFUSED) == REFUSED or field in abilities.filters, (
                    name,
                    field,
                )


HOST_SPELLINGS = (
    "bücher.example", "BÜCHER.Example", "bu\u0308cher.example", "xn--bcher-kva.example",
    "XN--BCHER-KVA.example", "bücher.example.", "ⓑücher.example",
)  # fmt: skip
DOMAIN_SPELLINGS = (*HOST_SPELLINGS, *(f"*.{name}" for name in HOST_SPELLINGS))


@given(
    st.sampled_from(DOMAIN_SPELLINGS),
    st.sampled_from(HOST_SPELLINGS),
    st.sampled_from(["", "www."]),
    st.sampled_from(["", ":8080", ":443"]),
)
def test_domain_filter_compares_hosts_and_not_their_spellings(
    domain: str, host: str, subdomain: str, port: str
) -> None:
    row = LawfulRow(title="t", url=f"https://{subdomain}{host}{port}/x", snippet="")
    other = LawfulRow(title="t", url="https://bucher.example/bücher.example", snippet="")

    included = verify_rows([row, other], WebSearchQuery(query="q", include_domains=(domain,)))
    excluded = verify_rows([row, other], WebSearchQuery(query="q", exclude_domains=(domain,)))

    assert (included.rows, excluded.rows) == ((row,), (other,))


@every_searcher
def test_two_spellings_of_one_domain_make_one_call(name: str) -> None:
    abilities, write = SEARCHERS[name]
    for field in ("include_domains", "exclude_domains"):
        calls = []
        for spelling in DOMAIN_SPELLINGS:
            query = msgspec.convert({"query": "q", field: (spelling,)}, WebSearchQuery)
            plan = plan_query_filters(query, abilities, "best-effort")
            assert isinstance(plan, FilterPlan)
            calls.append(write(plan.query))
        assert all(call == calls[0] for call in calls), (field, calls)

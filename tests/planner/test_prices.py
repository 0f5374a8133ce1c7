"""What a call costs, and how often it may be made: the user's word, else the service's own."""

from pathlib import Path

import msgspec
import pytest
from returns.result import Failure

from tests.services.made_up import service as made_up
from webseam.adapters.services.declaration import Offer, Price, Service
from webseam.composition.wiring.backend_rows import BackendRow, Root
from webseam.composition.wiring.backend_table import built_in_backend_rows, service_backend_row
from webseam.composition.wiring.prices import backend_limits, backend_price
from webseam.composition.wiring.root import read_root

PRICED = Price(search=0.005, extract=0.001, page="https://lumen.example/pricing", read="2026-01-31")


def root(folder: Path, text: str = "", **variables: str) -> Root:
    config = folder / "config.yaml"
    config.write_text(text)
    return read_root({"WEBSEAM_CONFIG": str(config), **variables}).unwrap()


def row(folder: Path, offer: Offer, text: str = "", **variables: str) -> BackendRow:
    service: Service = msgspec.structs.replace(made_up(), name="tavily", offer=offer)
    environment = {"WEBSEAM_TAVILY_API_KEY": "k", **variables}
    return service_backend_row(service, root(folder, text, **environment))


def test_a_declared_price_and_rate_count(tmp_path: Path) -> None:
    row_found = row(tmp_path, Offer(price=PRICED, rate=10.0))

    assert (
        backend_price(row_found, "search"),
        backend_price(row_found, "extract"),
    ) == (
        0.005,
        0.001,
    )
    assert backend_limits(row_found).rate == 9.5


def test_the_users_word_counts_more(tmp_path: Path) -> None:
    block = "services: {tavily: {price: 0.01, extract_price: 0.02, rate: 2, concurrency: 3}}\n"

    row_found = row(tmp_path, Offer(price=PRICED, rate=10.0), block)

    assert (
        backend_price(row_found, "search"),
        backend_price(row_found, "extract"),
    ) == (0.01, 0.02)
    assert (backend_limits(row_found).rate, backend_limits(row_found).concurrency) == (
        1.9,
        3,
    )


def test_nobody_said_what_it_costs(tmp_path: Path) -> None:
    row_found = row(tmp_path, Offer())

    assert backend_price(row_found, "search") is None
    assert (backend_limits(row_found).rate, backend_limits(row_found).concurrency) == (
        None,
        None,
    )


@pytest.mark.parametrize("value", ["much", "-1", "1 2"])
def test_a_price_that_is_no_number_is_an_error_with_its_place(tmp_path: Path, value: str) -> None:
    row_found = row(tmp_path, Offer(), f"services: {{tavily: {{rate: '{value}'}}}}\n")

    assert row_found.problem is not None
    assert "services.tavily.rate: must be a number from 0 on" in row_found.problem.message
    assert isinstance(row_found.open(), Failure)


def own_api(folder: Path, options: str) -> BackendRow:
    block = f"services: {{json: {{search_url: 'https://api.example/find'{options}}}}}\n"
    return next(iter(built_in_backend_rows(root(folder, block))))


def test_an_api_of_ones_own_with_a_key_may_cost_money_and_can_have_a_price(tmp_path: Path) -> None:
    free, keyed = own_api(tmp_path, ""), own_api(tmp_path, ", api_key: k-123456")
    priced = own_api(tmp_path, ", api_key: k-123456, price: 0.01, rate: 2")

    assert [one.candidate.paid for one in (free, keyed, priced)] == [False, True, True]
    assert [backend_price(one, "search") for one in (free, keyed, priced)] == [
        0.0,
        None,
        0.01,
    ]
    assert backend_limits(priced).rate == 1.9


def test_priced_service_costs_its_price_without_a_key(tmp_path: Path) -> None:
    own, proxied = own_api(tmp_path, ", price: 0.01"), "services: {searxng: {price: 0.02}}\n"

    searxng = service_backend_row(
        msgspec.structs.replace(made_up(), name="searxng"), root(tmp_path, proxied)
    )

    assert [backend_price(one, "search") for one in (own, searxng)] == [0.01, 0.02]
    assert (own.candidate.paid, searxng.candidate.paid) == (True, True)


def test_the_price_of_ones_own_api_has_a_variable_and_must_be_a_number(tmp_path: Path) -> None:
    told = {"WEBSEAM_JSON_SEARCH_URL": "https://api.example/find", "WEBSEAM_JSON_PRICE": "0.03"}
    row_found = next(iter(built_in_backend_rows(root(tmp_path, **told))))
    odd = own_api(tmp_path, ", price: much")

    assert backend_price(row_found, "search") == 0.03
    assert odd.problem is not None
    assert "services.json.price: must be a number from 0 on" in odd.problem.message
    assert isinstance(odd.open(), Failure)

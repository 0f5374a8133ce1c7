"""What a 402 says about its price, however the numbers are made up."""

import base64
from decimal import Decimal

import httpx
import pytest
from hypothesis import given, strategies as st
from returns.result import Result

from tests.fetch.payments import OFFER, x402
from webseam.adapters.http.error_mapping import status_error
from webseam.adapters.http.payment_terms import read_payment_terms
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.ports.errors import PaymentRequired, QuotaExhausted, WebError
from webseam.ports.errors.error_fields import PAGES_READER
from webseam.ports.pages import Fetched

from .support import Site, opening, page, run, serving

BAD_NUMBERS = ("-1", "NaN", "1e400", "9" * 400, "", " ", "Infinity", "0x10", "1,5", "٣", None)


def fetch_price(*headers: str) -> PaymentRequired:
    async def fetch() -> Result[Fetched, WebError]:
        reply = page(b"pay", *headers, status="402 Payment Required")
        async with serving(Site(reply), "127.0.0.2") as port:
            fetcher = wire_page_fetcher(opening(f"127.0.0.2/32:{port}"))
            return await fetcher.fetch(f"http://127.0.0.2:{port}/")

    error = run(fetch()).failure()
    assert isinstance(error, PaymentRequired)
    return error


def test_a_price_for_crawlers_is_an_error_with_its_fields() -> None:
    error = fetch_price("crawler-price: USD 0.01")
    fields = (error.amount, error.currency, error.payee, error.scheme, error.offers)
    assert fields == (Decimal("0.01"), "USD", "127.0.0.2", "crawler-price", 1)


def test_the_first_valid_offer_of_x402_counts() -> None:
    negative = {**OFFER, "amount": "-5"}
    terms = x402("no offer", negative, OFFER, OFFER, error="Pay", resource={"description": "Tides"})
    error = fetch_price(f"PAYMENT-REQUIRED: {terms}")
    assert (error.amount, error.currency) == (Decimal(10000), OFFER["asset"])
    assert (error.payee, error.scheme) == (OFFER["payTo"], "x402:exact")
    assert (error.network, error.offers, error.detail) == ("eip155:8453", 2, "Pay; Tides")


def test_no_made_up_number_is_a_price() -> None:
    for number in BAD_NUMBERS:
        for headers in (
            {"crawler-price": f"USD {number}"},
            {"payment-required": x402({**OFFER, "amount": number})},
        ):
            error = read_payment_terms(headers)
            assert error is not None
            assert (error.amount, error.payee, error.offers) == (None, "", 0), number


def test_prices_that_contradict_each_other_are_none() -> None:
    error = fetch_price("crawler-price: USD 0.01", "crawler-price: USD 900")
    assert (error.amount, error.detail) == (None, "USD 0.01, USD 900")


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: base64.b64encode(b).decode()))
def test_terms_of_any_text_are_read(value: str) -> None:
    for name in ("crawler-price", "payment-required"):
        error = read_payment_terms({name: value})
        assert error is None or len(error.detail) <= 300


def test_deep_or_long_terms_are_no_price() -> None:
    deep = base64.b64encode(b'{"accepts":' + b"[" * 9000 + b"]" * 9000 + b"}").decode()
    long = x402(*[OFFER] * 200)
    many = x402(*[OFFER] * 30)
    for value, offers in ((deep, 0), (long, 0), (many, 20)):
        error = read_payment_terms({"payment-required": value})
        assert error is not None
        assert error.offers == offers


@pytest.mark.parametrize("headers", [{}, {"crawler-price": "EUR 2"}])
def test_a_service_asks_for_money_or_its_plan_is_used_up(headers: dict[str, str]) -> None:
    error = status_error(402, httpx.Headers(headers), "no credits", 0.0)
    assert isinstance(error, PaymentRequired if headers else QuotaExhausted)


def test_only_a_service_that_asks_for_money_rests() -> None:
    assert PaymentRequired(backend="exa").facts.verdict.cools == "quota"
    assert PaymentRequired(backend=PAGES_READER).facts.verdict.cools == ""

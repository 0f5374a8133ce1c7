"""Paying for pages: once, within a budget, to the payee that was held for, and by a plugin only."""

import asyncio
import base64
import json
import logging
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace
from returns.result import Success

from tests.fetch.payments import OFFER, Buyer, Payer, Seen, Till, x402
from webseam.composition.planning.metering import Meter, start_meter, stop_meter
from webseam.composition.wiring.page_payments import pay_for_page
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.errors import (
    BudgetExceeded,
    MiddlewareFailed,
    PaymentFailed,
    PaymentRequired,
    PluginTimedOut,
)

from . import signatures
from .support import page, run

COIN = {f"{OFFER['network']}/{OFFER['asset']}": "0.000001"}
PAYEE, NO = str(OFFER["payTo"]), "402 Payment Required"
SIGNATURE = "0x" + "5ec2e7" * 20
ANSWERS: tuple[tuple[object, str], ...] = (
    ({"Host": "evil.example"}, "is not the one header crawler-exact-price"),
    ({"crawler-exact-price": "USD 0.01", "Cookie": "a=b"}, "is not the one header"),
    ({"crawler-exact-price": "USD 0.01\r\nHost: evil"}, "is not one line"),
    ({"crawler-exact-price": 0.01}, "is not one line"),
    ({"crawler-exact-price": "USD 0.011"}, "states another price"),
    ({"crawler-exact-price": "EUR 0.01"}, "states another price"),
    (["crawler-exact-price"], "is not the one header"),
    ({b"crawler-exact-price": "USD 0.01"}, "is not the one header"),
    ("USD 0.01", "is not the one header"),
)


def pay_price(*, amount: str, currency: str, **_: object) -> Mapping[str, str]:
    return {"crawler-exact-price": f"{currency} {amount}"}


def sign_terms(*, terms: str, payee: str, **_: object) -> Mapping[str, str]:
    offers = json.loads(base64.b64decode(terms))["accepts"]
    (accepted,) = [offer for offer in offers if offer["payTo"] == payee]
    payload = {"x402Version": 2, "accepted": accepted, "payload": {"signature": SIGNATURE}}
    return {"PAYMENT-SIGNATURE": base64.b64encode(json.dumps(payload).encode()).decode()}


def refuse_to_answer(**_: object) -> NoReturn:
    raise LookupError(SIGNATURE)


async def hang(**_: object) -> None:
    await asyncio.Event().wait()


def test_a_price_is_held_paid_once_and_charged(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []

    def payer(**facts: object) -> object:
        asked.append({**facts, "held": buyer.spending()})
        return pay_price(amount=str(facts["amount"]), currency=str(facts["currency"]))

    buyer, till = Buyer(tmp_path, payer, "{day: 0.05}"), Till("crawler-price: USD 0.01")
    seen = buyer.fetch(till)

    assert seen.fetched.unwrap().body == b"<p>Paid</p>"
    assert [(it.outcome, it.cost) for it in seen.fetched.unwrap().attempts] == [("answered", 0.01)]
    assert (seen.spent, seen.held, till.payments, len(till.heads)) == (10_000, 0, 1, 2)
    (facts,) = asked
    assert facts.pop("held") == (0, 10_000)
    url = str(facts.pop("url"))
    assert url.startswith("http://127.0.0.2:")
    assert facts == {
        "scheme": "crawler-price",
        "amount": "0.01",
        "currency": "USD",
        "network": "",
        "payee": "127.0.0.2",
        "dollars": 0.01,
        "terms": "",
    }


def test_the_first_offer_in_a_currency_of_the_plugin_is_paid(tmp_path: Path) -> None:
    other = {**OFFER, "network": "solana:1", "payTo": "other"}
    till = Till(f"PAYMENT-REQUIRED: {x402(other, OFFER)}")

    seen = Buyer(tmp_path, sign_terms, "{session: 1000000}", dollars=COIN).fetch(till)

    assert seen.fetched.unwrap().body == b"<p>Paid</p>"
    assert (seen.spent, till.payments) == (10_000, 1)


@pytest.mark.parametrize(
    ("payer", "budgets", "terms", "unpaid"),
    [
        (None, "{day: 1}", "crawler-price: USD 0.01", "no plugin that pays is enabled"),
        (pay_price, "{}", "crawler-price: USD 0.01", "no budget limits payments"),
        (pay_price, "{call: 1}", "crawler-price: USD 0.01", "no budget limits payments"),
        (pay_price, "{day: 1}", "crawler-price: EUR 0.01", "plugins pay in usd"),
        (pay_price, "{day: 1}", "crawler-price: USD 0", "no valid price"),
        (pay_price, "{day: 1}", "crawler-price: USD 1000001", "no valid price"),
        (pay_price, "{day: 1}", "crawler-price: USD -1", "no valid price"),
        (pay_price, "{day: 1}", f"PAYMENT-REQUIRED: {x402(OFFER)}", "no valid price"),
        (lambda **_: None, "{day: 1}", "crawler-price: USD 0.01", "the plugin purse declined"),
    ],
)
def test_unpaid_page_says_why(
    tmp_path: Path, payer: Payer | None, budgets: str, terms: str, unpaid: str
) -> None:
    till = Till(terms)
    seen = Buyer(tmp_path, payer, budgets).fetch(till, times=2)

    assert isinstance(seen.error, PaymentRequired)
    assert unpaid in seen.error.unpaid
    assert (seen.spent, seen.held, till.payments) == (0, 0, 0)
    assert "docs/middleware.md" in seen.error.remedy_for("terminal")


@pytest.mark.parametrize("budgets", ["{day: 0.009}", "{session: 0.009}", "{day: 1, call: 0.009}"])
def test_a_price_above_a_budget_is_not_paid(tmp_path: Path, budgets: str) -> None:
    till = Till("crawler-price: USD 0.01")
    seen = Buyer(tmp_path, pay_price, budgets).fetch(till)

    assert isinstance(seen.error, BudgetExceeded)
    assert (seen.spent, seen.held, till.payments) == (0, 0, 0)


def test_only_https_is_paid_beyond_this_machine(tmp_path: Path) -> None:
    root = Buyer(tmp_path, pay_price, "{day: 1}").root
    for scheme, is_paid in (("http", False), ("https", True)):
        target = parse_target(f"{scheme}://a.example/").unwrap()
        outcome = run(pay_for_page(root, target, {"crawler-price": "USD 0.01"}))
        assert isinstance(outcome, Success) == is_paid, outcome


@pytest.mark.parametrize(("answer", "problem"), ANSWERS)
def test_an_answer_that_is_no_proof_is_never_sent(
    tmp_path: Path, answer: object, problem: str
) -> None:
    till = Till("crawler-price: USD 0.01")
    seen = Buyer(tmp_path, lambda **_: answer, "{day: 1}").fetch(till, times=2)

    assert (seen.spent, seen.held, till.payments) == (10_000, 0, 0)
    assert isinstance(seen.error, PaymentRequired)
    assert "an earlier payment" in seen.error.unpaid
    first = Buyer(tmp_path, lambda **_: answer, "{day: 1}").fetch(till)
    assert isinstance(first.error, MiddlewareFailed)
    assert problem in first.error.error


def test_a_plugin_that_fails_may_have_paid(tmp_path: Path) -> None:
    till = Till("crawler-price: USD 0.01")
    seen = Buyer(tmp_path, refuse_to_answer, "{day: 1}").fetch(till)

    assert isinstance(seen.error, MiddlewareFailed)
    assert (seen.error.plugin, seen.error.error) == ("purse", "LookupError")
    assert SIGNATURE not in str(seen.error)
    assert (seen.spent, seen.held, till.payments) == (10_000, 0, 0)


def test_a_plugin_that_hangs_may_have_paid(tmp_path: Path) -> None:
    buyer, till = Buyer(tmp_path, hang, "{day: 1}"), Till("crawler-price: USD 0.01")
    buyer.session = replace(buyer.session, callback_seconds=0.05)
    assert isinstance(buyer.fetch(till).error, PluginTimedOut)

    buyer.session = replace(buyer.session, callback_seconds=None)
    seen = buyer.fetch(till, times=2, deadline=2.0)

    assert isinstance(seen.error, PaymentRequired)
    # The ledger charges the hold when it ends.
    assert (seen.spent, seen.held, till.payments) == (10_000, 10_000, 0)


@pytest.mark.parametrize(
    ("paid", "cause", "asked"),
    [
        (page(b"no", status="503 Service Unavailable"), "upstream_unavailable", ""),
        (page(b"no", status="404 Not Found"), "http_status", ""),
        (page(b"", "Location: /b", status="302 Found"), "bad_redirect", ""),
        (b"", "connection_lost", ""),
        (page(b"", "crawler-price: USD 0.01", status=NO), "payment_required", "0.01 USD"),
        (page(b"", "crawler-price: USD 0.02", status=NO), "payment_required", "0.02 USD"),
        (page(b"", f"PAYMENT-REQUIRED: {x402(OFFER)}", status=NO), "payment_required", PAYEE),
    ],
)
def test_a_payment_without_a_page_is_spent_and_not_repeated(
    tmp_path: Path, paid: bytes, cause: str, asked: str
) -> None:
    till = Till("crawler-price: USD 0.01", paid)
    seen = Buyer(tmp_path, pay_price, "{day: 1}").fetch(till)

    assert isinstance(seen.error, PaymentFailed)
    assert (seen.error.cause, seen.error.paid) == (cause, "0.01 USD to 127.0.0.2")
    assert not seen.error.retryable
    assert asked in seen.error.asked
    assert bool(asked) == bool(seen.error.asked)
    assert (seen.spent, till.payments, len(till.heads)) == (10_000, 1, 2)
    again = Buyer(tmp_path, pay_price, "{day: 1}").fetch(till, times=3)
    assert isinstance(again.error, PaymentRequired)
    assert (again.spent, till.payments) == (20_000, 2)


def test_a_proof_is_nowhere_but_in_its_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    terms = x402(OFFER)
    proof = sign_terms(terms=terms, payee=PAYEE)["PAYMENT-SIGNATURE"]
    piece = {**OFFER, "payTo": proof[:100]}
    echoes = (
        page(f"<p>{proof}</p>".encode(), f"ETag: {proof}"),
        page(b"pay", f"PAYMENT-REQUIRED: {x402(piece)}", status="402 Payment Required"),
        page(b"", f"Location: /{proof}", status="302 Found"),
    )
    for echo in echoes:
        till = Till(f"PAYMENT-REQUIRED: {terms}", echo)
        seen = Buyer(tmp_path, sign_terms, "{day: 1}", dollars=COIN).fetch(till)
        assert till.payments == 1
        assert proof[:100] not in repr(seen) + caplog.text


def test_another_payee_in_the_proof_is_refused(tmp_path: Path) -> None:
    def sign_other(**_: object) -> object:
        return sign_terms(terms=x402({**OFFER, "payTo": "0xEve"}), payee="0xEve")

    till = Till(f"PAYMENT-REQUIRED: {x402(OFFER)}")
    seen = Buyer(tmp_path, sign_other, "{day: 1}", dollars=COIN).fetch(till)

    assert isinstance(seen.error, MiddlewareFailed)
    assert (seen.spent, till.payments) == (10_000, 0)


def test_a_signature_covers_the_proof(tmp_path: Path) -> None:
    till = Till("crawler-price: USD 0.01")
    seen = Buyer(tmp_path, pay_price, "{day: 1}").fetch(
        till, signer=signatures.make_signer(tmp_path)
    )

    assert isinstance(seen.fetched, Success)
    first, second = map(signatures.request_headers, till.heads)
    assert "crawler-exact-price" not in first["signature-input"]
    assert '"crawler-exact-price")' in second["signature-input"]


def test_page_payment_counts_earlier_spending_of_the_call(tmp_path: Path) -> None:
    buyer, till = (
        Buyer(tmp_path, pay_price, "{day: 1, call: 0.015}"),
        Till("crawler-price: USD 0.01"),
    )

    def spend(costs: dict[int, int]) -> tuple[Seen, dict[int, int]]:
        meter = Meter(number=1, costs=costs)
        token = start_meter(meter)
        try:
            return buyer.fetch(till), meter.costs
        finally:
            stop_meter(token)

    seen, costs = spend({0: 8_000})
    assert isinstance(seen.error, BudgetExceeded)
    assert costs == {0: 8_000}
    seen, costs = spend({0: 5_000})
    assert isinstance(seen.fetched, Success)
    assert costs == {0: 5_000, 1: 10_000}


def test_a_wrong_value_of_a_unit_is_refused(tmp_path: Path) -> None:
    context = Buyer(tmp_path, None, "{}").context
    for value in (0, -1, "1e9", "Infinity"):
        with pytest.raises(ValueError, match="dollars"):
            context.register_payer(pay_price, dollars={"USD": value})
    assert context.payers == []


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.fetch.payments import Buyer, Till

def die(**_):
    os.kill(os.getpid(), signal.SIGKILL)

Buyer(Path(sys.argv[1]), die, "{day: 0.015}").fetch(Till("crawler-price: USD 0.01"))
"""


def test_a_process_killed_while_its_plugin_pays_has_spent(tmp_path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parents[2], check=False
    )
    till = Till("crawler-price: USD 0.01")
    seen = Buyer(tmp_path, pay_price, "{day: 0.015}").fetch(till)

    assert killed.returncode == -signal.SIGKILL
    assert isinstance(seen.error, BudgetExceeded)
    assert (seen.spent, seen.held, till.payments) == (0, 10_000, 0)

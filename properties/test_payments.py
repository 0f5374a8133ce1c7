"""Whatever sites ask and plugins answer: no budget is passed, and no page is paid for twice."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path

from hypothesis import given, settings, strategies as st
from returns.result import Success

from tests.fetch.payments import Buyer
from tests.fetch.support import Site, opening, page, serving
from webseam.composition.wiring.page_payments import pay_for_page
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.kernel.planner.money import payment_price_micros
from webseam.ports.errors import PaymentRequired

PROOF = b"crawler-exact-price: "
PRICES = st.decimals(0, 3, places=3).map(lambda price: f"USD {price}") | st.sampled_from(
    ["EUR 1", "USD 1e3", "USD -1", "USD", "", "USD 999999999999"]
)
ANSWERS = st.sampled_from(["pays", "declines", "raises", "rubbish", "another price"])
REPLIES = st.sampled_from(["page", "402", "503", "302", "cut"])
STEPS = st.lists(st.tuples(st.sampled_from("abc"), PRICES, ANSWERS, REPLIES), max_size=8)


class Shop(Site):
    """Asks ``price`` of whoever does not pay, and answers those who do with ``reply``."""

    price, reply = "", ""

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        asking = page(b"pay", f"crawler-price: {self.price}", status="402 Payment Required")
        replies = {
            "page": page(b"<p>Paid</p>"),
            "402": asking,
            "503": page(b"no", status="503 Service Unavailable"),
            "302": page(b"", "Location: /a", status="302 Found"),
            "cut": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        }
        writer.write(replies[self.reply] if PROOF in head else asking)
        await writer.drain()


class Plugin:
    """Answers as it is told; ``charged`` counts what may have been paid."""

    answer = ""

    def __init__(self) -> None:
        self.charged = 0.0

    def pay(self, *, amount: str, dollars: float, **_: object) -> Mapping[str, str] | None:
        if self.answer == "declines":
            return None
        self.charged += dollars
        if self.answer == "raises":
            raise LookupError
        name = "cookie" if self.answer == "rubbish" else "crawler-exact-price"
        return {name: f"USD {amount}" + ("1" if self.answer == "another price" else "")}


@given(steps=STEPS, cap=st.floats(0, 4), period=st.sampled_from(["day", "month", "tool_day"]))
@settings(max_examples=40)
def test_no_budget_is_passed_and_no_page_is_paid_for_twice(
    steps: list[tuple[str, str, str, str]], cap: float, period: str
) -> None:
    plugin, shop, unserved = Plugin(), Shop(None), set[str]()

    async def visit_all(buyer: Buyer) -> None:
        async with serving(shop, "127.0.0.2") as port:
            policy = opening(f"127.0.0.2/32:{port}")
            fetcher = wire_page_fetcher(policy, pay=partial(pay_for_page, buyer.root))
            for path, shop.price, plugin.answer, shop.reply in steps:
                before, charged = len(shop.heads), plugin.charged
                fetched = await fetcher.fetch(f"http://127.0.0.2:{port}/{path}")
                heads = shop.heads[before:]
                paid = Counter(PROOF in head for head in heads)[True]
                assert paid <= 1
                assert isinstance(fetched, Success) == (paid == 1 and shop.reply == "page")
                assert path not in unserved or plugin.charged == charged
                assert all(head.startswith(f"GET /{path} ".encode()) for head in heads)
                if plugin.charged > charged and not isinstance(fetched, Success):
                    unserved.add(path)

    with tempfile.TemporaryDirectory() as folder:
        buyer = Buyer(Path(folder), plugin.pay, f"{{{period}: {cap:f}}}")
        asyncio.run(visit_all(buyer))
        spent, held = buyer.spending()

    assert round(plugin.charged * 1e6) == spent <= cap * 1e6
    assert held == 0


@given(amount=st.decimals(0, 10**78, allow_nan=False), dollars=st.decimals("1e-18", 10**6))
def test_a_price_is_never_understated(amount: Decimal, dollars: Decimal) -> None:
    offer = PaymentRequired(amount=amount, currency="0xAb", network="eip155:1")
    micros = payment_price_micros(offer, {"eip155:1/0xab": dollars})

    exact = int(amount * 10**40) * int(dollars * 10**40) * 10**6 // 10**80
    assert micros is None or exact <= micros <= exact + 2
    assert micros is not None or not amount or exact >= 10**12 - 1
    assert payment_price_micros(offer, {}) is None

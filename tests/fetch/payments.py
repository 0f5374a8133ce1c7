"""A site that asks for money, and the buyer that pays it."""

import asyncio
import base64
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace
from returns.result import Result, Success

from webseam.adapters.pages.fetch.connect import FetchLimits
from webseam.adapters.stores.ledger import Ledger
from webseam.composition.plugins.context import Manifest, PluginContext
from webseam.composition.session import Session
from webseam.composition.wiring.page_payments import pay_for_page
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.composition.wiring.root import read_root
from webseam.ports.errors import WebError
from webseam.ports.middleware import Callbacks
from webseam.ports.pages import Fetched

from .support import Site, opening, page, run, serving

Payer = Callable[..., object]


class Till(Site):
    """Asks for ``terms`` until a request has a proof; answers that with ``paid``."""

    def __init__(self, terms: str, paid: bytes = page(b"<p>Paid</p>")) -> None:
        super().__init__(page(b"pay", terms, status="402 Payment Required"))
        self._paid = paid

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        assert self._reply is not None
        writer.write(self._paid if self.has_paid(head) else self._reply)
        await writer.drain()

    @staticmethod
    def has_paid(head: bytes) -> bool:
        return b"crawler-exact-price:" in head or b"payment-signature:" in head

    @property
    def payments(self) -> int:
        return sum(map(self.has_paid, self.heads))


class Seen(NamedTuple):
    """What a fetch of a page brought, and what the ledger says after it."""

    fetched: Result[Fetched, WebError]
    spent: int
    held: int

    @property
    def error(self) -> WebError:
        return self.fetched.failure()


class Buyer:
    """A user with budgets, and a plugin that pays if ``payer`` is one."""

    def __init__(self, home: Path, payer: Payer | None, budgets: str, **units: Any) -> None:  # noqa: ANN401
        (home / "config.yaml").write_text(f"budgets: {budgets}\n")
        environment = {"HOME": str(home), "WEBSEAM_CONFIG": str(home / "config.yaml")}
        self.root = read_root(environment).unwrap()
        self.context = PluginContext(
            Manifest(name="purse", key="purse", source="folder", path=""), {}, home
        )
        if payer is not None:
            self.context.register_payer(payer, **units)
        self.register_payers()

    def register_payers(self) -> None:
        callbacks = Callbacks(payers=tuple(self.context.payers))
        self.session = Session(callbacks=callbacks, callback_seconds=60.0)
        self.root = replace(self.root, session=lambda: Success(self.session))

    def fetch(self, till: Site, *, times: int = 1, signer: Any = None, **limits: Any) -> Seen:  # noqa: ANN401
        async def visit() -> Result[Fetched, WebError]:
            async with serving(till, "127.0.0.2") as port:
                fetcher = wire_page_fetcher(
                    opening(f"127.0.0.2/32:{port}"),
                    FetchLimits(**limits),
                    pay=partial(pay_for_page, self.root),
                    signer=signer,
                )
                url = f"http://127.0.0.2:{port}/a"
                return [await fetcher.fetch(url) for _ in range(times)][-1]

        fetched = run(visit())
        return Seen(fetched, *self.spending())

    def spending(self) -> tuple[int, int]:
        ledger = Ledger(self.root.files.ledger_file)
        purses = [it for it in ledger.spendings(0.0).unwrap() if it.scope == "backend:pages"]
        ledger.close()
        return sum(it.spent for it in purses), sum(it.held for it in purses)


OFFER = {
    "scheme": "exact",
    "network": "eip155:8453",
    "amount": "10000",
    "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    "maxTimeoutSeconds": 60,
}


def x402(*offers: object, **more: object) -> str:
    terms = {"x402Version": 2, "accepts": list(offers), **more}
    return base64.b64encode(json.dumps(terms).encode()).decode()

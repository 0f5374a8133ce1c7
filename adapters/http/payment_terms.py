"""Read the price of a 402: Cloudflare's ``crawler-price`` and ``PAYMENT-REQUIRED`` of x402 v2.

developers.cloudflare.com/ai-crawl-control/features/pay-per-crawl and the HTTP transport of the x402
specification v2, both read 2026-11-18. A price is a stranger's number: a value that is no plain
decimal number is no price.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from ...ports.errors import PaymentRequired

CRAWLER_PRICE, X402_TERMS = "crawler-price", "payment-required"
_MAX_HEADER_CHARS, _MAX_OFFERS, _MAX_DETAIL_CHARS = 16_384, 20, 300
_CRAWLER_PRICE_PATTERN = re.compile(r"([A-Z]{3}) (\d{1,12}(?:\.\d{1,12})?)", re.ASCII)
_Name = Annotated[str, Meta(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_.:/+-]+\Z")]


class _X402Offer(msgspec.Struct, rename="camel"):
    """One of ``accepts``; ``amount`` is in atomic units, at most those of a 256-bit number."""

    scheme: _Name
    network: _Name
    amount: Annotated[str, Meta(pattern=r"^[0-9]{1,78}\Z")]
    asset: _Name
    pay_to: _Name


class _X402Terms(msgspec.Struct):
    accepts: list[object] = []
    error: object = ""
    resource: object = None


def read_payment_terms(headers: Mapping[str, str]) -> PaymentRequired | None:
    """Return the error for a 402 with a price; None if no header names one.

    >>> error = read_payment_terms({"crawler-price": "USD 0.01"})
    >>> error and (str(error.amount), error.currency, error.scheme)
    ('0.01', 'USD', 'crawler-price')
    """
    crawler_price = headers.get(CRAWLER_PRICE, "")[:_MAX_HEADER_CHARS].strip()
    x402 = headers.get(X402_TERMS, "").strip()
    if not crawler_price and not x402:
        return None
    terms = _decode_x402_terms(x402) if len(x402) <= _MAX_HEADER_CHARS else _X402Terms()
    texts = (crawler_price, terms.error, _x402_description(terms.resource))
    detail = "; ".join(text for text in texts if isinstance(text, str) and text)
    offers = (*_crawler_offers(crawler_price), *_x402_offers(terms))
    first = offers[0] if offers else PaymentRequired()
    return msgspec.structs.replace(first, offers=len(offers), detail=detail[:_MAX_DETAIL_CHARS])


def _crawler_offers(value: str) -> Iterator[PaymentRequired]:
    price = _CRAWLER_PRICE_PATTERN.fullmatch(value)
    if price is not None:
        amount, currency = Decimal(price[2]), price[1]
        yield PaymentRequired(amount=amount, currency=currency, scheme=CRAWLER_PRICE)


def _x402_offers(terms: _X402Terms) -> Iterator[PaymentRequired]:
    for written in terms.accepts[:_MAX_OFFERS]:
        try:
            offer = msgspec.convert(written, _X402Offer)
        except ValueError:
            continue
        yield PaymentRequired(
            amount=Decimal(offer.amount),
            currency=offer.asset,
            payee=offer.pay_to,
            scheme=f"x402:{offer.scheme}",
            network=offer.network,
        )


def _decode_x402_terms(value: str) -> _X402Terms:
    try:
        return msgspec.json.decode(base64.b64decode(value, validate=True), type=_X402Terms)
    except (ValueError, RecursionError):
        return _X402Terms()


def _x402_description(resource: object) -> object:
    return resource.get("description") if isinstance(resource, dict) else ""

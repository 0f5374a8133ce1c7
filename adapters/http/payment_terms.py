"""Read the price of a 402, and check what pays it: Cloudflare's pay per crawl, and x402 v2.

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
from returns.result import Failure, Result, Success

from webseam.ports.errors import PaymentRequired

CRAWLER_PRICE, X402_TERMS = "crawler-price", "payment-required"
PAYMENT_PROOF_HEADERS = ("crawler-exact-price", "payment-signature")
_PROOF_PATTERN = re.compile(r"[!-~](?:[ -~]{0,16000}[!-~])?")
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
    """The offers of a site, or the one that a payment has ``accepted``."""

    accepts: list[object] = []
    accepted: object = None
    error: object = ""
    resource: object = None


def read_payment_terms(headers: Mapping[str, str]) -> PaymentRequired | None:
    """Return the error for a 402 with a price; None if no header names one.

    >>> error = read_payment_terms({"crawler-price": "USD 0.01"})
    >>> error and (str(error.amount), error.currency, error.scheme)
    ('0.01', 'USD', 'crawler-price')
    """
    crawler_price = headers.get(CRAWLER_PRICE, "")[:_MAX_HEADER_CHARS].strip()
    if not crawler_price and not headers.get(X402_TERMS, "").strip():
        return None
    terms, offers = _decode_x402_terms(headers.get(X402_TERMS, "")), read_payment_offers(headers)
    texts = (crawler_price, terms.error, _x402_description(terms.resource))
    detail = "; ".join(text for text in texts if isinstance(text, str) and text)
    first = offers[0] if offers else PaymentRequired()
    return msgspec.structs.replace(first, offers=len(offers), detail=detail[:_MAX_DETAIL_CHARS])


def read_payment_offers(headers: Mapping[str, str]) -> tuple[PaymentRequired, ...]:
    """Return the valid offers of a 402, in its order."""
    crawler_offers = _crawler_offers(headers.get(CRAWLER_PRICE, "")[:_MAX_HEADER_CHARS].strip())
    return (*crawler_offers, *_x402_offers(_decode_x402_terms(headers.get(X402_TERMS, "")).accepts))


def check_payment_proof(offer: PaymentRequired, headers: object) -> Result[tuple[str, str], str]:
    """Return the header that pays ``offer`` and nothing else, or what is wrong with ``headers``.

    >>> offer = PaymentRequired(amount=Decimal(1), currency="USD", scheme=CRAWLER_PRICE)
    >>> [check_payment_proof(offer, {"Crawler-Exact-Price": price}) for price in ("USD 1", "USD 2")]
    [<Success: ('crawler-exact-price', 'USD 1')>, <Failure: states another price or payee>]
    """
    is_crawler_price = offer.scheme == CRAWLER_PRICE
    name = PAYMENT_PROOF_HEADERS[0 if is_crawler_price else 1]
    items = [*headers.items()] if type(headers) is dict else []
    if len(items) != 1 or type(items[0][0]) is not str or items[0][0].lower() != name:
        return Failure(f"is not the one header {name}")
    value = items[0][1]
    if type(value) is not str or not _PROOF_PATTERN.fullmatch(value):
        return Failure(f"has a value of {name} that is not one line of printable ASCII text")
    accepted = _x402_offers([_decode_x402_terms(value).accepted])
    if [offer] != [*(_crawler_offers(value) if is_crawler_price else accepted)]:
        return Failure("states another price or payee")
    return Success((name, value))


def _crawler_offers(value: str) -> Iterator[PaymentRequired]:
    price = _CRAWLER_PRICE_PATTERN.fullmatch(value)
    if price is not None:
        amount, currency = Decimal(price[2]), price[1]
        yield PaymentRequired(amount=amount, currency=currency, scheme=CRAWLER_PRICE)


def _x402_offers(written_offers: list[object]) -> Iterator[PaymentRequired]:
    for written in written_offers[:_MAX_OFFERS]:
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
    if len(value := value.strip()) > _MAX_HEADER_CHARS:
        return _X402Terms()
    try:
        return msgspec.json.decode(base64.b64decode(value, validate=True), type=_X402Terms)
    except (ValueError, RecursionError):
        return _X402Terms()


def _x402_description(resource: object) -> object:
    return resource.get("description") if isinstance(resource, dict) else ""

"""Currencies as pages write them, and amounts of money in plain form: ``"19.90 EUR"``."""

import re
from decimal import Decimal
from typing import Final

from .number_forms import parse_number

# ISO 4217 codes by the signs that pages write beside a price.
_SIGNS: Final = {
    "$": "USD CAD AUD NZD MXN CLP ARS COP SGD HKD", "us$": "USD", "ca$": "CAD", "€": "EUR",
    "£": "GBP", "¥": "JPY CNY", "円": "JPY", "元": "CNY", "₹": "INR", "rs": "INR PKR LKR",
    "₽": "RUB", "руб": "RUB", "₩": "KRW", "₺": "TRY", "tl": "TRY", "₴": "UAH", "грн": "UAH",
    "₪": "ILS", "฿": "THB", "₫": "VND", "kr": "SEK NOK DKK ISK", "zł": "PLN", "zl": "PLN",
    "kč": "CZK", "kc": "CZK", "ft": "HUF", "lei": "RON", "лв": "BGN", "lv": "BGN", "r$": "BRL",
    "fr": "CHF",
}  # fmt: skip
_CODES: Final = (
    "usd eur gbp chf cad aud nzd sek nok dkk isk pln czk huf ron bgn rub uah inr pkr lkr clp ars "
    "cop brl mxn try aed sar jpy cny krw thb vnd ils sgd hkd zar"
)
_WORD_SIGNS: Final = "|".join(
    sorted((re.escape(sign) for sign in _SIGNS if sign[-1].isalpha()), key=len, reverse=True)
)
_CURRENCY_PATTERN: Final = re.compile(
    r"(?:us|ca|r)?\$|[€£¥₹₽₩₺₴₪฿₫円元]"
    rf"|(?<![^\W\d_])(?:{_WORD_SIGNS}|{_CODES.replace(' ', '|')})(?![^\W\d_])",
    re.IGNORECASE,
)


def currencies(text: str) -> frozenset[str]:
    """Return the ISO codes of the currencies that a text may name.

    >>> sorted(currencies("19,90 €")), sorted(currencies("Fr. 5")), currencies("free")
    (['EUR'], ['CHF'], frozenset())
    """
    codes: set[str] = set()
    for match in _CURRENCY_PATTERN.finditer(text):
        sign = match[0].lower()
        codes.update(_SIGNS.get(sign, sign.upper()).split())
    return frozenset(codes)


def format_money(amount: str, currency: str) -> str | None:
    """Return an amount and its currency in plain form; None if one of them is missing."""
    number, code = parse_number(amount), currency.strip().upper()
    if number is None or not code.isalpha() or len(code) != len("EUR"):
        return None
    return f"{number} {code}"


def split_money(plain: str) -> tuple[Decimal, str]:
    """Return the amount and the currency of a plain form."""
    amount, _, code = plain.partition(" ")
    return Decimal(amount), code

"""Personal data out of text: what identifies a person and is no use to a search engine."""

import re
from collections.abc import Callable

# From the start of a word and never back: a long one would be read again from each of its letters.
_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_IBAN = re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SOCIAL_SECURITY = re.compile(r"\b(?!000|666|9[0-9]{2})[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}\b")
_CARD = re.compile(r"(?<![\w.-])[0-9](?:[ -]?[0-9]){12,18}(?![\w-])")
# International, with a plus; or North American. Bare runs of digits are too often something else.
_PHONE = re.compile(
    r"(?<![\w+])(?:\+[0-9][0-9 ()./-]{5,18}[0-9]"
    r"|(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4})(?!\w)"
)

_MIN_IBAN_CHARS = 15
# ITU E.164 allows 15; below 7 nobody is reached from abroad.
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15


def redact_personal(text: str) -> str:
    """Put a word in brackets where an address, a number or an account of a person stood.

    >>> redact_personal("who is ada@example.org, +44 20 7946 0958?")
    'who is [email], [phone]?'
    """
    for pattern, mask in _KINDS:
        text = pattern.sub(mask, text)
    return text


def _mask_account(account: re.Match[str]) -> str:
    """Mask an account number; a word behind it may look like one more group of it."""
    groups = account[0].split(" ")
    for size in range(len(groups), 0, -1):
        if _is_account("".join(groups[:size])):
            return " ".join(["[account]", *groups[size:]])
    return account[0]


def _is_account(plain: str) -> bool:
    """Tell whether an IBAN is long enough and its check digits are right."""
    if len(plain) < _MIN_IBAN_CHARS:
        return False
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(each, 36)) for each in turned)) % 97 == 1


def _mask_phone(phone: re.Match[str]) -> str:
    """Mask what has as many digits as phone numbers have."""
    digits = sum(each.isdigit() for each in phone[0])
    return "[phone]" if _FEWEST_DIGITS <= digits <= _MOST_DIGITS else phone[0]


def _mask_card(card: re.Match[str]) -> str:
    """Mask digits that add up as those of payment cards do."""
    digits = [int(each) for each in reversed(card[0]) if each.isdigit()]
    doubled = [sum(divmod(2 * each, 10)) for each in digits[1::2]]
    return card[0] if (sum(digits[::2]) + sum(doubled)) % 10 else "[card]"


_KINDS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_EMAIL, "[email]"),
    (_IBAN, _mask_account),
    (_SOCIAL_SECURITY, "[id]"),
    # Before cards: with a plus in front, digits are a phone number whatever they add up to.
    (_PHONE, _mask_phone),
    (_CARD, _mask_card),
)

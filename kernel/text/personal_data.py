"""Redact data that identifies a person and is of no use to a search engine."""

import re
from collections.abc import Callable

# The possessive quantifier prevents a quadratic rescan of long words. What begins as a version is
# that of a package (lodash@4.17.21), and what ends with a path that of a program (git@host:path).
_EMAIL_PATTERN = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]++@(?![vV]?[0-9]++\.[0-9])"
    r"[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++(?<=[A-Za-z-][A-Za-z0-9])(?!:[A-Za-z0-9~/])"
)
_IBAN_PATTERN = re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SOCIAL_SECURITY_PATTERN = re.compile(
    r"\b(?!000|666|9[0-9]{2})[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}\b"
)
# ISO 7812: cards begin with 2 to 6. ISBN and times in milliseconds do not.
_CARD_PATTERN = re.compile(
    r"(?<![\w.-])[2-6](?:[0-9]{12,18}|[0-9]{3}(?P<sign>[ -])(?:[0-9]{4}(?P=sign)[0-9]{4}(?P=sign)"
    r"[0-9]{1,4}(?:(?P=sign)[0-9]{1,3})?|[0-9]{6}(?P=sign)[0-9]{4,5}))(?![\w-])"
)
# International with a plus, or North American. Bare runs of digits are too often something else.
_PHONE_PATTERN = re.compile(
    r"(?<![\w+])(?:\+[0-9][0-9 ()./-]{5,18}[0-9]"
    r"|(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4})(?!\w)"
)

_MIN_IBAN_CHARS = 15
# ITU E.164 allows 15 digits; fewer than 7 is no international number.
_MIN_PHONE_DIGITS, _MAX_PHONE_DIGITS = 7, 15


def redact_personal_data(text: str) -> str:
    """Replace email addresses, account, card, phone and identity numbers by a label in brackets.

    >>> redact_personal_data("who is ada@example.org, +44 20 7946 0958?")
    'who is [email], [phone]?'
    """
    for pattern, mask in _PATTERN_MASKS:
        text = pattern.sub(mask, text)
    return text


def _mask_iban(account: re.Match[str]) -> str:
    """Mask an account number; the word after it may look like one more group."""
    groups = account[0].split(" ")
    for size in range(len(groups), 0, -1):
        if _is_iban("".join(groups[:size])):
            return " ".join(["[account]", *groups[size:]])
    return account[0]


def _is_iban(iban: str) -> bool:
    """Tell whether an IBAN is long enough and its check digits are right."""
    if len(iban) < _MIN_IBAN_CHARS:
        return False
    rotated = iban[4:] + iban[:4]
    return int("".join(str(int(character, 36)) for character in rotated)) % 97 == 1


def _mask_phone_number(phone: re.Match[str]) -> str:
    """Mask a match that has as many digits as a phone number."""
    digits = sum(character.isdigit() for character in phone[0])
    return "[phone]" if _MIN_PHONE_DIGITS <= digits <= _MAX_PHONE_DIGITS else phone[0]


def _mask_payment_card(card: re.Match[str]) -> str:
    """Mask digits that pass the Luhn check of payment cards."""
    digits = [int(digit) for digit in reversed(card[0]) if digit.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return card[0] if (sum(digits[::2]) + sum(doubled)) % 10 else "[card]"


_PATTERN_MASKS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_EMAIL_PATTERN, "[email]"), (_IBAN_PATTERN, _mask_iban), (_SOCIAL_SECURITY_PATTERN, "[id]"),
    # Before cards: with a plus in front, digits are a phone number whatever their Luhn sum.
    (_PHONE_PATTERN, _mask_phone_number), (_CARD_PATTERN, _mask_payment_card),
)  # fmt: skip

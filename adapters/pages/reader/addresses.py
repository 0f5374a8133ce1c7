"""Addresses in a page: made absolute, and only of the kinds that a reader may follow."""

import re
from typing import Final
from urllib.parse import urljoin

_WEB: Final = re.compile(r"https?://[^\s/\[]", re.IGNORECASE)
_MAIL: Final = re.compile(r"mailto:[^\s@]+@[^\s@]+\Z", re.IGNORECASE)
# What would end a markdown link early, or hide in it.
_UNSAFE: Final = re.compile(
    r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
    r"\ud800-\udfff\U000e0000-\U000e0fff<>\"`\\^{|}\[\]]"
)
_LONGEST: Final = 2_000


def absolute(address: str, base: str) -> str | None:
    """Return an absolute http, https or mailto address; nothing for any other.

    >>> absolute("/a b", "https://example.com/x"), absolute("javascript:alert(1)", "")
    ('https://example.com/a%20b', None)
    """
    plain = address.strip()
    if len(plain) > _LONGEST:
        return None
    try:
        whole = plain if _WEB.match(plain) else urljoin(base, plain)
    except ValueError:
        return None
    if not (_WEB.match(whole) or _MAIL.match(whole)):
        return None
    return _UNSAFE.sub(_quoted, whole)


def _quoted(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))

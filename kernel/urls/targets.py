"""The strict URL parser: a host is read once, and what two readers could read apart is refused."""

import ipaddress
import re
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from returns.result import Failure, Result, Success

from ...ports.errors import DenialRule, InvalidUrl, UrlDenied
from ...ports.targets import DEFAULT_PORTS, MAX_URL_CHARACTERS, Scheme, Target
from ..text.display import shown
from ..text.redaction import redact_url
from .hosts import canonical_name, is_numeric

Refusal: TypeAlias = InvalidUrl | UrlDenied

_BLANKS = " \t\r\n\f"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_REST = re.compile(r"//([^/?#]+)([^#]*)", re.DOTALL)
_BRACKETED = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::([^:]*))?")
_ZONED = re.compile(r"\[[0-9A-Fa-f:.]+%")
_PORT = re.compile(r"[0-9]{0,5}")
_LARGEST_PORT = 65_535
# What goes on the wire as it is; the rest is percent-encoded, and escapes are left alone.
_SAFE = "/%:@!$&'()*+,;=?~[]|\\"


class _Host(NamedTuple):
    text: str
    literal: bool


def parse_target(url: object) -> Result[Target, Refusal]:
    """Take a URL apart, or say why it is not usable or not safe to read. Never raises.

    >>> parse_target("https://Example.com:443/a b#c").unwrap().url
    'https://example.com/a%20b'
    >>> parse_target("http://0x7f.1/").failure().rule
    'ambiguous'
    """
    if not isinstance(url, str):
        return Failure(InvalidUrl(reason=f"expected text, got {shown(url)}"))
    text = str(url).strip(_BLANKS)
    return _parse(text).alt(lambda refusal: _about(refusal, text))


def _parse(text: str) -> Result[Target, Refusal]:
    if not text:
        return _unusable("it is blank")
    if len(text) > MAX_URL_CHARACTERS:
        return _unusable(f"it is longer than {MAX_URL_CHARACTERS} characters")
    if _CONTROL.search(text):
        return _unusable("it has a control character; write it percent-encoded")
    parts = _URL.fullmatch(text)
    if parts is None:
        return _unusable("it has no scheme; write it with https:// in front")
    scheme = _scheme(parts[1])
    return _denied("scheme") if scheme is None else _parse_rest(scheme, parts[2])


def _parse_rest(scheme: Scheme, rest: str) -> Result[Target, Refusal]:
    if "\\" in re.split(r"[?#]", rest, maxsplit=1)[0]:
        return _denied("backslash")
    parts = _REST.match(rest)
    if parts is None:
        return _unusable("it has no host")
    authority, tail = parts[1], parts[2]
    if "@" in authority:
        return _denied("userinfo")
    return _parse_authority(authority, DEFAULT_PORTS[scheme]).map(
        lambda found: Target(
            scheme=scheme,
            host=found[0].text,
            literal=found[0].literal,
            port=found[1],
            path=wire_path(tail),
        )
    )


def _parse_authority(authority: str, usual: int) -> Result[tuple[_Host, int], Refusal]:
    if authority.startswith("["):
        host, digits = _read_bracketed(authority)
    else:
        name, _, digits = authority.partition(":")
        host = _read_name(name)
    if isinstance(host, Failure):
        return host
    port = _read_port(digits, usual)
    if port is None:
        return _unusable("its port is not valid")
    return Success((host.unwrap(), port))


def _read_bracketed(authority: str) -> tuple[Result[_Host, Refusal], str]:
    if _ZONED.match(authority):
        return _denied("link_local"), ""
    parts = _BRACKETED.fullmatch(authority)
    try:
        address = ipaddress.IPv6Address(parts[1] if parts else "")
    except ValueError:
        return _unusable("its IPv6 address is not valid"), ""
    return Success(_Host(str(address), literal=True)), (parts and parts[2]) or ""


def _read_name(text: str) -> Result[_Host, Refusal]:
    if "%" in text:
        return _denied("ambiguous")
    name = canonical_name(text)
    if name is None:
        return _unusable("its host is not valid") if text.isascii() else _denied("ambiguous")
    if not is_numeric(name):
        return Success(_Host(name, literal=False))
    return Success(_Host(name, literal=True)) if _is_plain_ipv4(text) else _denied("ambiguous")


def _is_plain_ipv4(text: str) -> bool:
    """Tell whether ``text`` is four decimal numbers, the one spelling all readers share."""
    try:
        return str(ipaddress.IPv4Address(text)) == text
    except ValueError:
        return False


def _read_port(digits: str, usual: int) -> int | None:
    if _PORT.fullmatch(digits) is None:
        return None
    port = int(digits or usual)
    return port if 0 < port <= _LARGEST_PORT else None


def wire_path(tail: str) -> str:
    """Return path and query as they go on the wire: no blank, nothing that is not ASCII.

    >>> wire_path("?q=ü")
    '/?q=%C3%BC'
    """
    encoded = quote(tail, safe=_SAFE)
    return encoded if encoded.startswith("/") else f"/{encoded}"


def _scheme(text: str) -> Scheme | None:
    lower = text.lower()
    if lower == "https":
        return "https"
    return "http" if lower == "http" else None


def _unusable(reason: str) -> Failure[Refusal]:
    return Failure(InvalidUrl(reason=reason))


def _denied(rule: DenialRule) -> Failure[Refusal]:
    return Failure(UrlDenied(rule=rule, stage="parse"))


def _about(refusal: Refusal, url: str) -> Refusal:
    return mention(refusal, shown(redact_url(url), 200)[1:-1])


def mention(refusal: Refusal, url: str) -> Refusal:
    """Return the refusal with the URL it is about."""
    if isinstance(refusal, InvalidUrl):
        return InvalidUrl(reason=refusal.reason, url=url)
    return UrlDenied(
        rule=refusal.rule, stage=refusal.stage, setting=refusal.setting, hop=refusal.hop, url=url
    )

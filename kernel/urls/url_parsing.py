"""Parse URLs strictly: refuse every URL that two parsers could read differently."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import ipaddress
import re
import unicodedata
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports import targets
from webseam.ports.errors import DenialRule, InvalidUrl, UrlDenied
from webseam.ports.text import lazy_pattern
from webseam.ports.web import HIDDEN_IN_URLS

from ..text.display import is_text, plain_text, quote_value
from ..text.redaction import redact_url

MAX_HOST_CHARS = 253
_LABEL_PATTERN = lazy_pattern(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# Browsers read a host whose last label looks like this as an IPv4 address.
_NUMBER_LABEL_PATTERN = lazy_pattern(r"0x[0-9a-f]*|[0-9]+")
# Reserved by RFC or ICANN, or never delegated and used inside networks. "example" is left out: no
# host answers there, and tests use it.
_LOCAL_SUFFIXES_TEXT = (
    "alt arpa cluster consul corp dmz docker domain gateway home i2p internal intra intranet"
    " invalid kube lan local localdomain localhost localnet mail nomad onion priv private router"
    " svc test workgroup"
)
_LOCAL_SUFFIXES = frozenset(_LOCAL_SUFFIXES_TEXT.split())
_METADATA_NAMES = frozenset({
    "api.metadata.cloud.ibm.com", "instance-data", "instance-data.ec2.internal", "metadata",
    "metadata.azure.internal", "metadata.exoscale.com", "metadata.goog", "metadata.google.internal",
    "metadata.packet.net", "metadata.platformequinix.com", "metadata.tencentyun.com",
    "rancher-metadata",
})  # fmt: skip
_HIDDEN_PATTERN = lazy_pattern(f"[{HIDDEN_IN_URLS}]")
_URL_PATTERN = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_AUTHORITY_PATTERN = lazy_pattern(r"//([^/?#]+)([^#]*)", re.DOTALL)
_BRACKETED_HOST_PATTERN = lazy_pattern(r"\[([0-9A-Fa-f:.]+)\](?::([^:]*))?")
_ZONED_HOST_PATTERN = lazy_pattern(r"\[[0-9A-Fa-f:.]+%")
# RFC 3986, 3.2.3, allows leading zeros. The URL law in ports/web.py does not, and a requested URL
# must be valid in a result.
_PORT_PATTERN = lazy_pattern(r"[1-9][0-9]{0,4}")
_MAX_PORT = 65_535
# Characters sent unchanged; others are percent-encoded.
_WIRE_SAFE_CHARACTERS = "/%:@!$&'()*+,;=?~[]|\\"


def canonical_host(text: str) -> str | None:
    """Return a host name as lower-case ASCII without its last dot; None if it is invalid.

    Unicode must already be in its mapped form, except for case and composition: a host is never
    repaired, because the next parser may repair it differently. A-labels must be exact.

    >>> canonical_host("Bücher.example."), canonical_host("ⓛocalhost")
    ('xn--bcher-kva.example', None)
    """
    if len(text) > MAX_HOST_CHARS + 1:
        return None
    name = (text.lower() if text.isascii() else host_to_ascii(text) or "").removesuffix(".")
    return name if len(name) <= MAX_HOST_CHARS and _is_valid_host(name) else None


def is_numeric_host(name: str) -> bool:
    """Tell whether some parser reads the name as an IPv4 address.

    >>> is_numeric_host("127.1"), is_numeric_host("example.0x7f"), is_numeric_host("1.example")
    (True, True, False)
    """
    return _NUMBER_LABEL_PATTERN.fullmatch(name.rpartition(".")[2]) is not None


def is_local_host_name(name: str) -> bool:
    """Tell whether a canonical name has one label or ends in a suffix that is not public."""
    return "." not in name or name.rpartition(".")[2] in _LOCAL_SUFFIXES


def is_metadata_host_name(name: str) -> bool:
    """Tell whether a canonical name belongs to a cloud's metadata service."""
    return any(suffix in _METADATA_NAMES for suffix in host_domain_suffixes(name))


def host_domain_suffixes(name: str) -> list[str]:
    """Return the name and every parent domain.

    >>> host_domain_suffixes("a.b.c")
    ['a.b.c', 'b.c', 'c']
    """
    labels = name.split(".")
    return [".".join(labels[index:]) for index in range(len(labels))]


def host_to_ascii(text: str) -> str | None:
    """Return a host name as DNS has it; None if it is none, or two letters look alike in it.

    >>> host_to_ascii("münchen.example")
    'xn--mnchen-3ya.example'
    """
    import idna  # few hosts need it

    # Lower letter by letter: str.lower writes a final sigma differently from IDNA.
    lower = unicodedata.normalize("NFC", "".join(map(str.lower, text)))
    if any(not char.isascii() and char.lower().isascii() for char in text):
        return None  # for example the Kelvin sign, which lower-cases to the letter k
    try:
        if idna.uts46_remap(lower, std3_rules=True, transitional=False) != lower:
            return None
        return idna.encode(lower, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        return None


def _is_valid_host(name: str) -> bool:
    return all(
        _LABEL_PATTERN.fullmatch(label) and _is_exact_host_label(label) for label in name.split(".")
    )


def _is_exact_host_label(label: str) -> bool:
    """Tell whether an A-label is the only spelling of its name."""
    if not label.startswith("xn--"):
        return True
    import idna  # few hosts need it

    try:
        return idna.encode(idna.decode(label)) == label.encode("ascii")
    except (idna.IDNAError, UnicodeError):
        return False


Refusal: TypeAlias = InvalidUrl | UrlDenied


class _Host(NamedTuple):
    text: str
    literal: bool


def parse_target(url: object) -> Result[targets.Target, Refusal]:
    """Parse a URL, or return why it is unusable or unsafe. Never raises.

    A URL with a blank or a hidden character inside is refused.

    >>> parse_target("https://Example.com:443/ü#c").unwrap().url
    'https://example.com/%C3%BC'
    >>> parse_target("http://0x7f.1/").failure().rule
    'ambiguous'
    """
    if not is_text(url):
        return Failure(InvalidUrl(reason=f"expected text, got {quote_value(url)}"))
    text = plain_text(url)
    parsed = _parse_text(targets.tidy_url(text))
    if isinstance(parsed, Failure):
        return Failure(replace(parsed.failure(), url=quote_value(redact_url(text), 200)[1:-1]))
    return parsed


def _parse_text(text: str) -> Result[targets.Target, Refusal]:
    if not text.strip():
        return _invalid_url("it is blank")
    if len(text) > targets.MAX_URL_CHARS:
        return _invalid_url(f"it is longer than {targets.MAX_URL_CHARS} characters")
    if _HIDDEN_PATTERN.search(text):
        return _invalid_url("it has a blank or a control character; write it percent-encoded")
    parts = _URL_PATTERN.fullmatch(text)
    if parts is None:
        return _invalid_url("it has no scheme; write it with https:// in front")
    scheme = next((scheme for scheme in targets.DEFAULT_PORTS if scheme == parts[1].lower()), None)
    return _deny_url("scheme") if scheme is None else _parse_after_scheme(text, scheme, parts[2])


def _parse_after_scheme(
    text: str, scheme: targets.Scheme, rest: str
) -> Result[targets.Target, Refusal]:
    if "\\" in re.split(r"[?#]", rest, maxsplit=1)[0]:
        return _deny_url("backslash")
    parts = _AUTHORITY_PATTERN.match(rest)
    if parts is None:
        return _invalid_url("it has no host")
    authority, tail = parts[1], parts[2]
    if "@" in authority:
        return _deny_url("userinfo")
    return _parse_authority(authority, targets.DEFAULT_PORTS[scheme]).map(
        lambda location: targets.Target(
            scheme=scheme,
            host=location[0].text,
            literal=location[0].literal,
            port=location[1],
            path=url_wire_path(tail),
            asked=text,
        )
    )


def _parse_authority(authority: str, default: int) -> Result[tuple[_Host, int], Refusal]:
    if authority.startswith("["):
        host, digits = _read_bracketed_host(authority)
    else:
        name, colon, number = authority.partition(":")
        host, digits = _read_host_name(name), number if colon else None
    if isinstance(host, Failure):
        return host
    port = default if digits is None else _read_port(digits)
    if port is None:
        return _invalid_url("its port is not valid")
    return Success((host.unwrap(), port))


def _read_bracketed_host(authority: str) -> tuple[Result[_Host, Refusal], str | None]:
    if _ZONED_HOST_PATTERN.match(authority):
        return _deny_url("link_local"), None
    parts = _BRACKETED_HOST_PATTERN.fullmatch(authority)
    try:
        address = ipaddress.IPv6Address(parts[1] if parts else "")
    except ValueError:
        return _invalid_url("its IPv6 address is not valid"), None
    return Success(_Host(str(address), literal=True)), parts[2] if parts else None


def _read_host_name(text: str) -> Result[_Host, Refusal]:
    if "%" in text:
        return _deny_url("ambiguous")
    name = canonical_host(text)
    if name is None:
        return _invalid_url("its host is not valid") if text.isascii() else _deny_url("ambiguous")
    if not is_numeric_host(name):
        return Success(_Host(name, literal=False))
    return Success(_Host(name, literal=True)) if _is_plain_ipv4(text) else _deny_url("ambiguous")


def _is_plain_ipv4(text: str) -> bool:
    """Tell whether ``text`` is four decimal numbers, the only spelling that all parsers share."""
    try:
        return str(ipaddress.IPv4Address(text)) == text
    except ValueError:
        return False


def _read_port(digits: str) -> int | None:
    is_port = _PORT_PATTERN.fullmatch(digits) and int(digits) <= _MAX_PORT
    return int(digits) if is_port else None


def url_wire_path(tail: str) -> str:
    """Return path and query for the wire: ASCII, without blanks and dot segments.

    Two spellings of one resource are sent as the same bytes, as ``requests`` sends them.

    >>> url_wire_path("?q=ü"), url_wire_path("/open/../closed?../x"), url_wire_path("/%7eme?")
    ('/?q=%C3%BC', '/closed?../x', '/~me')
    """
    path, _, query = url_wire_text(tail).partition("?")
    path = targets.remove_dot_segments(path) or "/"
    return f"{path}?{query}" if query else path


def url_wire_text(text: str) -> str:
    """Return a part of a URL in ASCII, each character escaped in one way, or not at all."""
    escaped = quote(text, safe=_WIRE_SAFE_CHARACTERS, errors="surrogatepass")
    return targets.normalise_escapes(escaped)


def _invalid_url(reason: str) -> Failure[Refusal]:
    return Failure(InvalidUrl(reason=reason))


def _deny_url(rule: DenialRule) -> Failure[Refusal]:
    return Failure(UrlDenied(rule=rule, stage="parse"))

"""The one URL parser: strict, so that what two readers could read apart is refused."""

import ipaddress
import re
import unicodedata
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

import idna
from returns.result import Failure, Result, Success

from ...ports.errors import DenialRule, InvalidUrl, UrlDenied
from ...ports.targets import DEFAULT_PORTS, MAX_URL_CHARS, Scheme, Target, remove_dot_segments
from ...ports.web import HIDDEN_IN_URLS
from ..text.display import quote_value
from ..text.redaction import redact_url

MAX_NAME_CHARS = 253
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# A host whose last label looks like this is an IPv4 address to a browser, however odd.
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
# Reserved by RFC or ICANN, or never delegated and used inside networks since ever. "example" is
# left out: nothing answers there, and people write it in tests.
_LOCAL = (
    "alt arpa cluster consul corp dmz docker domain gateway home i2p internal intra intranet"
    " invalid kube lan local localdomain localhost localnet mail nomad onion priv private router"
    " svc test workgroup"
)
_LOCAL_SUFFIXES = frozenset(_LOCAL.split())
_METADATA_NAMES = frozenset(
    {
        "api.metadata.cloud.ibm.com",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata",
        "metadata.azure.internal",
        "metadata.exoscale.com",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
        "rancher-metadata",
    }
)


def canonical_name(text: str) -> str | None:
    """Return a host name as ASCII in lower case, without its last dot; None if it is not one.

    Unicode must be in its mapped form already but for case and composition: a host is never
    repaired, because the next reader may repair it differently. A-labels must be exact.

    >>> canonical_name("Bücher.example."), canonical_name("ⓛocalhost")
    ('xn--bcher-kva.example', None)
    """
    if len(text) > MAX_NAME_CHARS + 1:
        return None
    name = text.lower() if text.isascii() else _to_ascii(text)
    if name is None:
        return None
    name = name.removesuffix(".")
    return name if len(name) <= MAX_NAME_CHARS and _is_well_formed(name) else None


def is_numeric(name: str) -> bool:
    """Tell whether some reader takes the name for an IPv4 address.

    >>> is_numeric("127.1"), is_numeric("example.0x7f"), is_numeric("1.example")
    (True, True, False)
    """
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def is_local_name(name: str) -> bool:
    """Tell whether a canonical name is a single word or ends in a suffix that is not public."""
    return "." not in name or name.rpartition(".")[2] in _LOCAL_SUFFIXES


def is_metadata_name(name: str) -> bool:
    """Tell whether a canonical name is one of a cloud's metadata services."""
    return any(suffix in _METADATA_NAMES for suffix in domain_suffixes(name))


def domain_suffixes(name: str) -> list[str]:
    """Return the name and every domain above it.

    >>> domain_suffixes("a.b.c")
    ['a.b.c', 'b.c', 'c']
    """
    labels = name.split(".")
    return [".".join(labels[place:]) for place in range(len(labels))]


def _to_ascii(text: str) -> str | None:
    # Letter by letter: str.lower would write a last sigma otherwise than IDNA does.
    lower = unicodedata.normalize("NFC", "".join(map(str.lower, text)))
    if any(not char.isascii() and char.lower().isascii() for char in text):
        return None  # e.g. the Kelvin sign, which lower-cases into the letter k
    try:
        if idna.uts46_remap(lower, std3_rules=True, transitional=False) != lower:
            return None
        return idna.encode(lower, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        return None


def _is_well_formed(name: str) -> bool:
    return all(_LABEL.fullmatch(label) and _is_exact(label) for label in name.split("."))


def _is_exact(label: str) -> bool:
    """Tell whether an A-label is the one spelling of what it stands for."""
    if not label.startswith("xn--"):
        return True
    try:
        return idna.encode(idna.decode(label)) == label.encode("ascii")
    except (idna.IDNAError, UnicodeError):
        return False


# The one URL parser: strict, so that what two readers could read apart is refused.

Refusal: TypeAlias = InvalidUrl | UrlDenied
_HIDDEN = re.compile(f"[{HIDDEN_IN_URLS}]")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_REST = re.compile(r"//([^/?#]+)([^#]*)", re.DOTALL)
_BRACKETED = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::([^:]*))?")
_ZONED = re.compile(r"\[[0-9A-Fa-f:.]+%")
# RFC 3986, 3.2.3, allows an empty port and zeros in front. The law of URLs in ports/web.py does
# not, and what is asked for must be what a result may hold.
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_MAX_PORT = 65_535
# What goes on the wire as it is; the rest is percent-encoded, and escapes are left alone.
_SAFE = "/%:@!$&'()*+,;=?~[]|\\"


class _Host(NamedTuple):
    text: str
    literal: bool


def parse_target(url: object) -> Result[Target, Refusal]:
    """Take a URL apart, or say why it is not usable or not safe to read. Never raises.

    What has a blank around it or inside, or a character that nobody sees, is refused.

    >>> parse_target("https://Example.com:443/ü#c").unwrap().url
    'https://example.com/%C3%BC'
    >>> parse_target("http://0x7f.1/").failure().rule
    'ambiguous'
    """
    # A subclass of str may lie about its text: what is checked must be what is used.
    if type(url) is not str:
        return Failure(InvalidUrl(reason=f"expected text, got {quote_value(url)}"))
    return _parse(url).alt(lambda refusal: _about(refusal, url))


def _parse(text: str) -> Result[Target, Refusal]:
    if not text.strip():
        return _unusable("it is blank")
    if len(text) > MAX_URL_CHARS:
        return _unusable(f"it is longer than {MAX_URL_CHARS} characters")
    if _HIDDEN.search(text):
        return _unusable("it has a blank or a control character; write it percent-encoded")
    parts = _URL.fullmatch(text)
    if parts is None:
        return _unusable("it has no scheme; write it with https:// in front")
    scheme = _scheme(parts[1])
    return _denied("scheme") if scheme is None else _parse_rest(text, scheme, parts[2])


def _parse_rest(text: str, scheme: Scheme, rest: str) -> Result[Target, Refusal]:
    if "\\" in re.split(r"[?#]", rest, maxsplit=1)[0]:
        return _denied("backslash")
    parts = _REST.match(rest)
    if parts is None:
        return _unusable("it has no host")
    authority, tail = parts[1], parts[2]
    if "@" in authority:
        return _denied("userinfo")
    return _parse_authority(authority, DEFAULT_PORTS[scheme]).map(
        lambda place: Target(
            scheme=scheme,
            host=place[0].text,
            literal=place[0].literal,
            port=place[1],
            path=wire_path(tail),
            asked=text,
        )
    )


def _parse_authority(authority: str, usual: int) -> Result[tuple[_Host, int], Refusal]:
    if authority.startswith("["):
        host, digits = _read_bracketed(authority)
    else:
        name, colon, number = authority.partition(":")
        host, digits = _read_name(name), number if colon else None
    if isinstance(host, Failure):
        return host
    port = usual if digits is None else _read_port(digits)
    if port is None:
        return _unusable("its port is not valid")
    return Success((host.unwrap(), port))


def _read_bracketed(authority: str) -> tuple[Result[_Host, Refusal], str | None]:
    if _ZONED.match(authority):
        return _denied("link_local"), None
    parts = _BRACKETED.fullmatch(authority)
    try:
        address = ipaddress.IPv6Address(parts[1] if parts else "")
    except ValueError:
        return _unusable("its IPv6 address is not valid"), None
    return Success(_Host(str(address), literal=True)), parts[2] if parts else None


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


def _read_port(digits: str) -> int | None:
    if _PORT.fullmatch(digits) is None:
        return None
    port = int(digits)
    return port if port <= _MAX_PORT else None


def wire_path(tail: str) -> str:
    """Return path and query as they go on the wire: no blank, no step, nothing that is not ASCII.

    >>> wire_path("?q=ü"), wire_path("/open/../closed?../x")
    ('/?q=%C3%BC', '/closed?../x')
    """
    path, mark, query = quote(tail, safe=_SAFE).partition("?")
    return f"{remove_dot_segments(path) or '/'}{mark}{query}"


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
    return attach_url(refusal, quote_value(redact_url(url), 200)[1:-1])


def attach_url(refusal: Refusal, url: str) -> Refusal:
    """Return the refusal with the URL it is about."""
    if isinstance(refusal, InvalidUrl):
        return InvalidUrl(reason=refusal.reason, url=url)
    return UrlDenied(
        rule=refusal.rule, stage=refusal.stage, setting=refusal.setting, hop=refusal.hop, url=url
    )

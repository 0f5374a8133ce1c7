"""Host names: one canonical spelling, and which of them are not on the public internet."""

import re
import unicodedata

import idna

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

"""Detection of files that hold secrets, by name and by content: they stay out of an index. Pure."""

import re
from typing import Final

# Private keys, credential stores, settings with keys. Names that a chapter of a manual may also
# have (secrets, tokens) count only with the ending of a data file.
_SECRET_NAME_PATTERN: Final = re.compile(
    r"\.env(\..+)?|.+\.env|[._]netrc|\.pgpass|\.pypirc|\.npmrc|\.git-credentials|\.?htpasswd"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\.(?!pub$).+)?"
    r"|.+\.(pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|ovpn)"
    r"|(passwords?|passwd|(recovery|backup)[-_ ]?codes?|private[-_ ]?keys?)(\.[a-z]+)?"
    r"|(credentials?|secrets?|tokens?|api[-_ ]?keys?|service[-_ ]?account[^.]*)"
    r"(\.(txt|text|json|ya?ml|toml|ini|cfg|conf|csv|xlsx))?",
    re.IGNORECASE,
)
# A key itself, not a text that mentions one.
_SECRET_KEY_PATTERN: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n)+[\w+/=:;,. \-\s\\]{60}"
    r"|\baws_secret_access_key\s*=\s*[\w+/]{40}"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_\w{60}|\bxox[abprs]-[0-9A-Za-z-]{20}"
    r"|\bsk_live_[0-9A-Za-z]{20}|\bAGE-SECRET-KEY-1[0-9A-Z]{50}",
    re.IGNORECASE,
)
_ASSIGNMENT_PATTERN: Final = re.compile(r"(?:export\s+)?[A-Za-z_]\w*\s*=.*|#.*")
_SECRET_ASSIGNMENT_PATTERN: Final = re.compile(
    r"(?:export\s+)?\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)\w*\s*=\s*[\"']?[^\s\"'$<{]{12,}.*",
    re.IGNORECASE,
)
_MAX_SCANNED_CHARS: Final = 1_000_000


def has_secret_name(name: str) -> bool:
    """Tell whether a file has the name of a private key or a credential store.

    >>> [has_secret_name(name) for name in ("id_rsa", "id_rsa.pub", "secrets.md", ".env.local")]
    [True, False, False, True]
    """
    return _SECRET_NAME_PATTERN.fullmatch(name) is not None


def has_secret_text(text: str) -> bool:
    """Tell whether a text contains a key; a text about keys does not count.

    >>> has_secret_text("API_KEY=0123456789abcdef"), has_secret_text("Set API_KEY=your-own-key.")
    (True, False)
    """
    start = text[:_MAX_SCANNED_CHARS]
    return _SECRET_KEY_PATTERN.search(start) is not None or _is_secret_assignments(start)


def _is_secret_assignments(text: str) -> bool:
    """Tell whether a text has only assignments and comments, and assigns a secret."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    return (
        bool(lines)
        and all(map(_ASSIGNMENT_PATTERN.fullmatch, lines))
        and any(map(_SECRET_ASSIGNMENT_PATTERN.fullmatch, lines))
    )

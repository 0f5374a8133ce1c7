"""Files that look like secrets: keys and passwords do not belong into an index. Pure."""

import re
from typing import Final

# By name: private keys, stores of credentials, settings with keys in them. Words that are also
# chapters of a manual (secrets, tokens) count only where the file is a list, not a text.
_NAMES: Final = re.compile(
    r"\.env(\..+)?|.+\.env|[._]netrc|\.pgpass|\.pypirc|\.npmrc|\.git-credentials|\.?htpasswd"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\.(?!pub$).+)?"
    r"|.+\.(pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|ovpn)"
    r"|(passwords?|passwd|(recovery|backup)[-_ ]?codes?|private[-_ ]?keys?)(\.[a-z]+)?"
    r"|(credentials?|secrets?|tokens?|api[-_ ]?keys?|service[-_ ]?account[^.]*)"
    r"(\.(txt|text|json|ya?ml|toml|ini|cfg|conf|csv|xlsx))?",
    re.IGNORECASE,
)
# By content: a key itself, not a text that mentions one.
_KEYS: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n)+[\w+/=:;,. \-\s\\]{60}"
    r"|\baws_secret_access_key\s*=\s*[\w+/]{40}"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_\w{60}|\bxox[abprs]-[0-9A-Za-z-]{20}"
    r"|\bsk_live_[0-9A-Za-z]{20}|\bAGE-SECRET-KEY-1[0-9A-Z]{50}",
    re.IGNORECASE,
)
_ASSIGNMENT: Final = re.compile(r"(?:export\s+)?[A-Za-z_]\w*\s*=.*|#.*")
_SECRET_ASSIGNMENT: Final = re.compile(
    r"(?:export\s+)?\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)\w*\s*=\s*[\"']?[^\s\"'$<{]{12,}.*",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 1_000_000


def has_secret_name(name: str) -> bool:
    """Tell whether a file is called as private keys and stores of credentials are.

    >>> [has_secret_name(name) for name in ("id_rsa", "id_rsa.pub", "secrets.md", ".env.local")]
    [True, False, False, True]
    """
    return _NAMES.fullmatch(name) is not None


def has_secret_text(text: str) -> bool:
    """Tell whether a text is, or holds, a key: not whether it is about keys.

    >>> has_secret_text("API_KEY=0123456789abcdef"), has_secret_text("Set API_KEY=your-own-key.")
    (True, False)
    """
    start = text[:_LOOKED_AT]
    return _KEYS.search(start) is not None or _is_list_of_secrets(start)


def _is_list_of_secrets(text: str) -> bool:
    """Tell whether there is nothing but assignments, and a secret among them."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    return (
        bool(lines)
        and all(map(_ASSIGNMENT.fullmatch, lines))
        and any(map(_SECRET_ASSIGNMENT.fullmatch, lines))
    )

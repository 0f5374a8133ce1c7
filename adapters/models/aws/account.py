"""Who calls Bedrock: an API key as bearer, or keys that sign each request."""

import re
from collections.abc import Mapping

from returns.result import Result, Success

from ....ports.errors import NotConfigured
from ....ports.secrets import Secret
from ..declaration.account import Account, Login, Outgoing, bearer, keyless_error, unset_error
from ..declaration.provider import Headers
from .sigv4 import AwsKeys, SigningScope, UnsignedRequest, sign_request

DEFAULT_REGION = "us-east-1"
_ACCESS, _SECRET, _TOKEN = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"
PAIR = (_ACCESS, _SECRET)
SIGNING = (*PAIR, _TOKEN)
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
# Where a call goes, and whose profile signs it.
PLACES = (*_REGIONS, "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
_REGION = re.compile(r"(?:^|\.)([a-z]{2,4}(?:-[a-z]+)+-\d+)(?=\.)")
_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")
_NAME = re.compile(r"[a-z0-9-]+")
# Nothing on the way may change these; what a proxy adds or rewrites is left unsigned.
_SIGNED = frozenset({"content-type"})


def aws_account(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take an API key, else a pair of signing keys, and the region from the environment.

    ``{region}`` in the login's base URL is filled in; blank counts as absent.
    """
    variables = {name: value.strip() for name, value in environment.items()}
    regions = (variables[name] for name in _REGIONS if variables.get(name))
    region = next(regions, DEFAULT_REGION)
    if not _NAME.fullmatch(region):
        return unset_error(f"{region!r} is no AWS region", "AWS_REGION")
    address = variables.get(login.base_url_env or "") or login.base_url
    base = address.rstrip("/").replace("{region}", region)
    if region.startswith("cn-") and base.endswith(".amazonaws.com"):
        base += ".cn"
    key = next((variables[name] for name in login.env if variables.get(name)), "")
    if key:
        return Success(Account(base_url=base, key=Secret(key)))
    if not (variables.get(_ACCESS) and variables.get(_SECRET)):
        return keyless_error(title, *login.env, *PAIR, remedy=_remedy(login.env))
    parts = {name: Secret(variables[name]) for name in SIGNING if variables.get(name)}
    if url_region(base) is None:
        parts["region"] = Secret(region)
    return Success(Account(base_url=base, parts=parts))


def aws_auth(outgoing: Outgoing, account: Account, now: float) -> Headers:
    """Prove who calls: the API key if there is one, else a signature over these very bytes."""
    if account.key or _ACCESS not in account.parts:
        return bearer(outgoing, account, now)
    held = {name: secret.reveal() for name, secret in account.parts.items()}
    keys = AwsKeys(
        access_key=held[_ACCESS],
        secret_key=account.parts.get(_SECRET, Secret("")),
        session_token=account.parts.get(_TOKEN, Secret("")),
    )
    region = url_region(outgoing.url) or held.get("region", DEFAULT_REGION)
    signed = tuple(pair for pair in outgoing.headers if pair[0].lower() in _SIGNED)
    request = UnsignedRequest(
        method=outgoing.method, url=outgoing.url, headers=signed, body=outgoing.content
    )
    return sign_request(request, keys, SigningScope(region=region), now)


def url_region(url: str) -> str | None:
    """Return the region that a host of AWS names.

    >>> url_region("https://bedrock-runtime.eu-central-1.amazonaws.com/model/x")
    'eu-central-1'
    """
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    match = _REGION.search(host) if host.endswith(_DOMAINS) else None
    return match.group(1) if match else None


def _remedy(keys: tuple[str, ...]) -> str:
    pair = f"both {' and '.join(PAIR)}"
    return f"Set {' or '.join(keys)}, or {pair}." if keys else f"Set {pair}."

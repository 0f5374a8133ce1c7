"""URLs that open something by themselves: signed links, and keys or tokens in the query."""

import re
from urllib.parse import unquote

from ..text.redaction import looks_like_key

# Compared without case and separators, so that X-Amz-Signature is x_amz_signature. Left out on
# purpose, since ordinary pages use them: auth, code, key, session, sig, state.
_NAMED = (
    "accesskey accesskeyid accesstoken apikey apisecret apitoken appsecret authkey authorization"
    " authtoken awsaccesskeyid bearer bearertoken clientsecret credential credentials"
    " googleaccessid idtoken jsessionid jwt keypairid magictoken oauthsignature oauthtoken"
    " ossaccesskeyid passcode passphrase passwd password phpsessid privatekey privatetoken pwd"
    " qsignature refreshtoken resettoken sastoken secret secretkey secrettoken securitytoken"
    " sessionid sessiontoken signature sshkey token usertoken xaccesstoken xamzcredential"
    " xamzsecuritytoken xamzsignature xapikey xauthtoken xgoogcredential xgoogsignature"
    " xosscredential xosssecuritytoken xosssignature"
)
_NAMES = frozenset(_NAMED.split())
# Azure signs with a bare "sig", known by its companions.
_AZURE = frozenset({"se", "sp", "sr", "sv"})
_SEPARATORS = re.compile(r"[-_.\]]")
_FIELDS = re.compile(r"[?&;#]")
_USERINFO = re.compile(r"//[^/?#]*@")
_ROUNDS = 3


def carries_credentials(url: str) -> bool:
    """Tell whether handing ``url`` to somebody else hands over a key, a token or a signature.

    Escapes are undone, so a signed URL inside another URL's query is seen too.

    >>> carries_credentials("https://b.example/o?X-Amz-Signature=ab12")
    True
    >>> carries_credentials("https://b.example/?q=token")
    False
    """
    return any(_shows_credentials(form) for form in _forms(url))


def _forms(url: str) -> list[str]:
    """Return the URL as written and with its escapes undone, round after round."""
    forms = [url]
    while len(forms) <= _ROUNDS and (plain := unquote(forms[-1])) != forms[-1]:
        forms.append(plain)
    return forms


def _shows_credentials(text: str) -> bool:
    if _USERINFO.search(text) or looks_like_key(text):
        return True
    fields = [field.partition("=") for field in _FIELDS.split(text)[1:]]
    named = {_plain(name) for name, _, value in fields if value.strip()}
    return not named.isdisjoint(_NAMES) or ("sig" in named and not named.isdisjoint(_AZURE))


def _plain(name: str) -> str:
    """Return a field's name without case and separators; of ``user[token]`` the inner one."""
    return _SEPARATORS.sub("", name.rpartition("[")[2].lower())

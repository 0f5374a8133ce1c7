"""The verdicts: on a URL, on the addresses its name has, on the connection that was made."""

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import unquote

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ...ports.errors import DenialRule, DenialStage, InvalidUrl, UrlDenied
from ...ports.targets import Target
from ..text.redaction import looks_like_key, redact_url
from ..urls.service_endpoints import is_loopback
from ..urls.url_parsing import (
    Refusal,
    domain_suffixes,
    is_local_name,
    is_metadata_name,
    parse_target,
)
from .address_ranges import NumericAddress, inside_nat64, is_metadata, read_address, rule_against
from .policy_rules import AddressRange, Policy, allows_address, allows_host, allows_port, join_port

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


# The verdicts: on a URL, on the addresses its name has, on the connection that was made.


def judge_url(url: object, policy: Policy) -> Result[Target, Refusal]:
    """Parse ``url`` and judge it: for whoever is handed text, as the fetcher is.

    >>> judge_url("http://10.0.0.1/", Policy()).failure().setting
    'policy.allow_private: [10.0.0.1/32:80]'
    """
    return parse_target(url).bind(lambda target: judge_target(target, policy))


def judge_target(target: Target, policy: Policy) -> Result[Target, Refusal]:
    """Judge all that can be judged without asking a name server."""
    refusal = _against_host(target, policy) or _against_place(target, policy)
    return Success(target) if refusal is None else Failure(refusal)


def judge_remote(target: Target, policy: Policy) -> Result[Target, Refusal]:
    """Judge a URL that is about to be told to a third party: it must not carry credentials."""
    judged = judge_target(target, policy)
    if isinstance(judged, Failure) or policy.allow_credential_urls:
        return judged
    if not carries_credentials(target.asked):
        return judged
    setting = "policy.allow_credential_urls: true"
    return Failure(_denied(target, "credentials", setting))


def judge_domain(url: str, policy: Policy) -> Refusal | None:
    """Judge a URL by the user's lists of domains alone: it is named, not fetched."""
    parsed = parse_target(url)
    if isinstance(parsed, Failure):
        refusal: Refusal = parsed.failure()
        return refusal
    return _against_host(parsed.unwrap(), policy)


def judge_addresses(
    target: Target, addresses: Sequence[str], policy: Policy
) -> Result[tuple[str, ...], UrlDenied]:
    """Return the addresses that may be dialled for ``target``: all of them, or none.

    One bad answer denies the host, since whoever gave it chose the others too.
    """
    for text in addresses:
        refusal = _against_answer(target, text, policy)
        if refusal is not None:
            return Failure(refusal)
    return Success(tuple(addresses))


def judge_connection(
    target: Target, dialled: str, ends: tuple[str, str], policy: Policy
) -> UrlDenied | None:
    """Judge a connection by its ends, ours and theirs, before a byte is sent.

    The other end must be the address that was checked, and not this machine unless that is
    allowed: a public address may be our own.
    """
    ours, theirs = map(read_address, ends)
    address = read_address(dialled)
    if address is None or theirs != address:
        return _denied(target, "ambiguous", None, _stage(target))
    if ours != theirs or _is_opened(target, address, policy):
        return None
    return _denied(target, "self_connection", _opening(target, policy), _stage(target))


def _against_host(target: Target, policy: Policy) -> UrlDenied | None:
    """Judge what no opt-out opens, and the user's own lists."""
    if not target.literal and is_metadata_name(target.host):
        return _denied(target, "metadata", None)
    above = [target.host] if target.literal else domain_suffixes(target.host)
    denied = next((name for name in above if name in policy.deny_domains), None)
    if denied is not None:
        return _denied(target, "denied_domain", f"policy.deny_domains without {denied}")
    if not policy.allow_domains or allows_host(policy, target):
        return None
    if any(name in policy.allow_domains for name in above):
        return None
    return _denied(target, "unlisted_domain", f"policy.allow_domains: [{target.host}]")


def _against_place(target: Target, policy: Policy) -> UrlDenied | None:
    if target.literal:
        return _against_answer(target, target.host, policy)
    if allows_host(policy, target):
        return None
    if is_local_name(target.host):
        return _denied(target, "local_name", _opening(target, policy))
    return None if allows_port(policy, target.port) else _wrong_port(target, policy, "parse")


def _against_answer(target: Target, text: str, policy: Policy) -> UrlDenied | None:
    """Judge one address of the target."""
    address = read_address(text)
    if address is None:
        return _denied(target, "ambiguous", None, _stage(target))
    if is_metadata(address):
        return _denied(target, "metadata", None, _stage(target))
    if _is_opened(target, address, policy):
        return None
    return _against_public(target, address, policy)


def _against_public(target: Target, address: NumericAddress, policy: Policy) -> UrlDenied | None:
    nat64 = inside_nat64(address)
    if nat64 is not None and policy.nat64 == "decode":
        address = nat64
    rule = rule_against(address)
    if rule is not None and not _is_fake(target, address, policy):
        return _denied(target, rule, _hint(target, address, nat64, policy), _stage(target))
    stage: DenialStage = "parse" if target.literal else "dns"
    return None if target.port in policy.ports else _wrong_port(target, policy, stage)


def _is_opened(target: Target, address: NumericAddress, policy: Policy) -> bool:
    return allows_host(policy, target) or allows_address(policy, address, target.port)


def _is_fake(target: Target, address: NumericAddress, policy: Policy) -> bool:
    """Tell whether a name's address is one that a VPN made up to route it."""
    return not target.literal and any(span.holds(address) for span in policy.fake_ip_ranges)


def _hint(
    target: Target, address: NumericAddress, nat64: NumericAddress | None, policy: Policy
) -> str | None:
    """Return the setting that opens the address, without telling the address of a name."""
    if nat64 is not None and policy.nat64 == "deny" and rule_against(nat64) is None:
        return "policy.nat64: decode"
    if not target.literal and _BENCHMARKING.holds(address):
        return "policy.fake_ip_ranges: [198.18.0.0/15]"
    return _opening(target, policy)


def _opening(target: Target, policy: Policy) -> str:
    """Return the narrowest setting that opens the target."""
    if not target.literal:
        usual = target.port in policy.ports
        host = target.host if usual else join_port(target.host, target.port)
        return f"policy.allow_hosts: [{host}]"
    address = ipaddress.ip_address(target.host)
    span = join_port(f"{target.host}/{address.max_prefixlen}", target.port)
    # In a settings file, brackets inside brackets would be a list of their own.
    listed = f'"{span}"' if ":" in target.host else span
    return f"policy.allow_private: [{listed}]"


def _wrong_port(target: Target, policy: Policy, stage: DenialStage) -> UrlDenied:
    ports = ", ".join(map(str, sorted({*policy.ports, target.port})))
    return _denied(target, "port", f"policy.ports: [{ports}]", stage)


def _stage(target: Target) -> DenialStage:
    return "address" if target.literal else "dns"


def _denied(
    target: Target, rule: DenialRule, setting: str | None, stage: DenialStage = "parse"
) -> UrlDenied:
    return UrlDenied(rule=rule, stage=stage, setting=setting, url=redact_url(target.url))


# 198.18.0.0/15: where VPNs take their fake addresses from.
_BENCHMARKING = AddressRange(32, 0xC612_0000, 0xC613_FFFF)


# Addresses of services and models: judged as those of pages are, and opened by who wrote them.


def judge_endpoint(
    origin: str, addresses: Sequence[str], policy: Policy, *, is_user_written: bool
) -> Result[tuple[str, ...], UrlDenied | InvalidUrl]:
    """Return the addresses that may be dialled for a service at ``origin``: all, or none.

    ``is_user_written`` says that the user wrote the address down in settings that nobody else can
    write: such a host may be on a private network, as may this machine. Every other host is on the
    public internet, unless ``policy.allow_hosts`` or ``policy.allow_private`` opens it. Any port
    will do. A machine's own credentials are served to nobody.

    >>> origin, address = "https://api.example", "10.0.0.1"
    >>> verdict = judge_endpoint(origin, [address], Policy(), is_user_written=False)
    >>> verdict.failure().setting
    'policy.allow_hosts: [api.example]'
    """
    parsed = parse_target(origin)
    if isinstance(parsed, Failure):
        return parsed
    target = parsed.unwrap()
    opened = is_user_written or is_loopback(target.host)
    hosts = (join_port(target.host, target.port),) if opened else ()
    ports = (*policy.ports, target.port)
    return judge_addresses(
        target, addresses, replace(policy, ports=ports, allow_hosts=(*policy.allow_hosts, *hosts))
    )

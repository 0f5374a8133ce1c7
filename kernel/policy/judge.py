"""Judge URLs, the addresses of their names, and the connections that were made."""

import ipaddress
from collections.abc import Sequence
from urllib.parse import unquote

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import DenialRule, DenialStage, InvalidUrl, UrlDenied
from webseam.ports.targets import Target
from webseam.ports.text import lazy_pattern

from ..text.redaction import CREDENTIAL_NAMES, looks_like_key, normalise_url_field, redact_url
from ..urls.service_endpoints import is_loopback
from ..urls.url_parsing import (
    Refusal,
    host_domain_suffixes,
    is_local_host_name,
    is_metadata_host_name,
    parse_target,
)
from .address_ranges import NumericAddress, ip_denial_rule, is_metadata_ip, nat64_ipv4, read_address
from .policy_rules import (
    AddressRange,
    Policy,
    allows_address,
    allows_host,
    allows_port,
    join_host_port,
)

# Azure signs with a bare "sig"; these companions identify it.
_AZURE_SAS_NAMES = frozenset({"se", "sp", "sr", "sv"})
_URL_FIELD_PATTERN = lazy_pattern(r"[?&;#]")
_USERINFO_PATTERN = lazy_pattern(r"//[^/?#]*@")
_MAX_DECODE_ROUNDS = 3
# 198.18.0.0/15: VPNs take fake addresses from this range.
_BENCHMARKING_RANGE = AddressRange(32, 0xC612_0000, 0xC613_FFFF)


def carries_credentials(url: str) -> bool:
    """Tell whether ``url`` contains a key, a token or a signature that others must not see.

    Percent escapes are decoded, so a signed URL inside another URL's query is found too.

    >>> carries_credentials("https://b.example/o?X-Amz-Signature=ab12")
    True
    >>> not carries_credentials("https://b.example/?q=token")
    True
    """
    return any(_has_credentials(form) for form in _decoded_forms(url))


def _decoded_forms(url: str) -> list[str]:
    """Return the URL as written, and after each round of percent-decoding."""
    forms = [url]
    while len(forms) <= _MAX_DECODE_ROUNDS and (decoded := unquote(forms[-1])) != forms[-1]:
        forms.append(decoded)
    return forms


def _has_credentials(text: str) -> bool:
    if _USERINFO_PATTERN.search(text) or looks_like_key(text):
        return True
    fields = [field.partition("=") for field in _URL_FIELD_PATTERN.split(text)[1:]]
    names = {normalise_url_field(name) for name, _, value in fields if value.strip()}
    return not names.isdisjoint(CREDENTIAL_NAMES) or (
        "sig" in names and not names.isdisjoint(_AZURE_SAS_NAMES)
    )


def judge_url(url: object, policy: Policy) -> Result[Target, Refusal]:
    """Parse ``url`` and judge it.

    >>> refusal = judge_url("http://10.0.0.1/", Policy()).failure()
    >>> isinstance(refusal, UrlDenied)
    True
    >>> refusal.setting
    'policy.allow_private: [10.0.0.1/32:80]'
    """
    return parse_target(url).bind(lambda target: judge_target(target, policy))


def judge_fetch(url: object, policy: Policy) -> Result[Target, Refusal]:
    """Parse and judge the URL of a request that is about to be sent."""
    judged = judge_url(url, policy)
    if isinstance(judged, Success) and policy.follow == "cache":
        return Failure(_deny_target(judged.unwrap(), "cache_only", "policy.follow: any"))
    return judged


def judge_target(target: Target, policy: Policy) -> Result[Target, Refusal]:
    """Judge a target by everything that needs no name server."""
    refusal = _judge_host(target, policy) or _judge_location(target, policy)
    return Success(target) if refusal is None else Failure(refusal)


def judge_remote(target: Target, policy: Policy) -> Result[Target, Refusal]:
    """Judge a URL that will be sent to a third party: it must not carry credentials."""
    judged = judge_target(target, policy)
    is_allowed = policy.allow_credential_urls or not carries_credentials(target.asked)
    if isinstance(judged, Failure) or is_allowed:
        return judged
    return Failure(_deny_target(target, "credentials", "policy.allow_credential_urls: true"))


def judge_domain(url: str, policy: Policy) -> Refusal | None:
    """Judge a URL by the user's domain lists alone; return the refusal, or None."""
    parsed = parse_target(url)
    if isinstance(parsed, Failure):
        refusal: Refusal = parsed.failure()
        return refusal
    return _judge_host(parsed.unwrap(), policy)


def judge_addresses(
    target: Target, addresses: Sequence[str], policy: Policy
) -> Result[tuple[str, ...], UrlDenied]:
    """Return the addresses that may be dialled for ``target``: all of them, or none.

    One bad address denies the host: the same DNS answer supplied the other addresses.
    """
    for text in addresses:
        refusal = _judge_address(target, text, policy)
        if refusal is not None:
            return Failure(refusal)
    return Success(tuple(addresses))


def judge_connection(
    target: Target, dialled: str, ends: tuple[str, str], policy: Policy
) -> UrlDenied | None:
    """Judge a connection by its two ends before a byte is sent; return the refusal, or None.

    The remote end must be the checked address. It must not be this machine, unless that is allowed:
    a public address may be our own.
    """
    local, remote = map(read_address, ends)
    address = read_address(dialled)
    if address is None or remote != address:
        return _deny_target(target, "ambiguous", None, _denial_stage(target))
    if local != remote or _is_target_allowed(target, address, policy):
        return None
    setting = _target_setting(target, policy)
    return _deny_target(target, "self_connection", setting, _denial_stage(target))


def _judge_host(target: Target, policy: Policy) -> UrlDenied | None:
    """Judge by rules without an opt-out, and by the user's domain lists."""
    if not target.literal and is_metadata_host_name(target.host):
        return _deny_target(target, "metadata", None)
    domains = [target.host] if target.literal else host_domain_suffixes(target.host)
    denied = next((name for name in domains if name in policy.deny_domains), None)
    if denied is not None:
        return _deny_target(target, "denied_domain", f"policy.deny_domains without {denied}")
    if not policy.allow_domains or allows_host(policy, target):
        return None
    if any(name in policy.allow_domains for name in domains):
        return None
    return _deny_target(target, "unlisted_domain", f"policy.allow_domains: [{target.host}]")


def _judge_location(target: Target, policy: Policy) -> UrlDenied | None:
    if target.literal:
        return _judge_address(target, target.host, policy)
    if allows_host(policy, target):
        return None
    if is_local_host_name(target.host):
        return _deny_target(target, "local_name", _target_setting(target, policy))
    return None if allows_port(policy, target.port) else _deny_target_port(target, policy, "parse")


def _judge_address(target: Target, text: str, policy: Policy) -> UrlDenied | None:
    """Judge one address of the target; return the refusal, or None."""
    address = read_address(text)
    if address is None:
        return _deny_target(target, "ambiguous", None, _denial_stage(target))
    if is_metadata_ip(address):
        return _deny_target(target, "metadata", None, _denial_stage(target))
    if _is_target_allowed(target, address, policy):
        return None
    if target.literal and any(span.contains(address) for span in policy.allow_private):
        # The port alone is at fault. For a name, this would reveal its address.
        setting = _target_setting(target, policy)
        return _deny_target(target, "port", setting, _denial_stage(target))
    return _judge_unlisted_address(target, address, policy)


def _judge_unlisted_address(
    target: Target, address: NumericAddress, policy: Policy
) -> UrlDenied | None:
    nat64 = nat64_ipv4(address)
    if nat64 is not None and policy.nat64 == "decode":
        address = nat64
    rule = ip_denial_rule(address)
    if rule is not None and not _is_fake_vpn_ip(target, address, policy):
        setting = _address_setting(target, address, nat64, policy)
        return _deny_target(target, rule, setting, _denial_stage(target))
    stage: DenialStage = "parse" if target.literal else "dns"
    return None if target.port in policy.ports else _deny_target_port(target, policy, stage)


def _is_target_allowed(target: Target, address: NumericAddress, policy: Policy) -> bool:
    return allows_host(policy, target) or allows_address(policy, address, target.port)


def _is_fake_vpn_ip(target: Target, address: NumericAddress, policy: Policy) -> bool:
    """Tell whether the address of a name is one that a VPN made up for routing."""
    return not target.literal and any(span.contains(address) for span in policy.fake_ip_ranges)


def _address_setting(
    target: Target, address: NumericAddress, nat64: NumericAddress | None, policy: Policy
) -> str | None:
    """Return the setting that allows the address; do not reveal the address of a name."""
    if nat64 is not None and policy.nat64 == "deny" and ip_denial_rule(nat64) is None:
        return "policy.nat64: decode"
    if not target.literal and _BENCHMARKING_RANGE.contains(address):
        return "policy.fake_ip_ranges: [198.18.0.0/15]"
    return _target_setting(target, policy)


def _target_setting(target: Target, policy: Policy) -> str:
    """Return the narrowest setting that allows the target."""
    if not target.literal:
        is_web_port = target.port in policy.ports
        host = target.host if is_web_port else join_host_port(target.host, target.port)
        return f"policy.allow_hosts: [{host}]"
    address = ipaddress.ip_address(target.host)
    span = join_host_port(f"{target.host}/{address.max_prefixlen}", target.port)
    # YAML would read unquoted brackets inside brackets as a nested list.
    entry = f'"{span}"' if ":" in target.host else span
    return f"policy.allow_private: [{entry}]"


def _deny_target_port(target: Target, policy: Policy, stage: DenialStage) -> UrlDenied:
    ports = ", ".join(map(str, sorted({*policy.ports, target.port})))
    return _deny_target(target, "port", f"policy.ports: [{ports}]", stage)


def _denial_stage(target: Target) -> DenialStage:
    return "address" if target.literal else "dns"


def _deny_target(
    target: Target, rule: DenialRule, setting: str | None, stage: DenialStage = "parse"
) -> UrlDenied:
    return UrlDenied(rule=rule, stage=stage, setting=setting, url=redact_url(target.url))


def judge_endpoint(
    origin: str, addresses: Sequence[str], policy: Policy, *, is_user_written: bool
) -> Result[tuple[str, ...], UrlDenied | InvalidUrl]:
    """Return the addresses that may be dialled for a service at ``origin``: all, or none.

    ``is_user_written`` means that the address comes from settings that only the user can write;
    such a host may be on a private network or this machine. Every other host must be public, unless
    ``policy.allow_hosts`` or ``policy.allow_private`` allows it. Any port is allowed. Metadata
    services are always denied.

    >>> origin, address = "https://api.example", "10.0.0.1"
    >>> refusal = judge_endpoint(origin, [address], Policy(), is_user_written=False).failure()
    >>> isinstance(refusal, UrlDenied)
    True
    >>> refusal.setting
    'policy.allow_hosts: [api.example]'
    """
    parsed = parse_target(origin)
    if isinstance(parsed, Failure):
        return parsed
    target = parsed.unwrap()
    is_allowed = is_user_written or is_loopback(target.host)
    hosts = (join_host_port(target.host, target.port),) if is_allowed else ()
    ports = (*policy.ports, target.port)
    return judge_addresses(
        target, addresses, replace(policy, ports=ports, allow_hosts=(*policy.allow_hosts, *hosts))
    )

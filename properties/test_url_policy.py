"""The laws of the URL policy: total, strict, and public means public."""

import ipaddress
from urllib.parse import urlsplit

import httpx
import msgspec
from hypothesis import example, given, strategies as st
from returns.result import Failure, Result, Success

from webseam.kernel.policy import (
    Policy,
    carries_credentials,
    classify_address,
    explain,
    judge_addresses,
    judge_redirect,
    judge_url,
    parse_target,
)
from webseam.kernel.urls.spelling import is_web_url

# IANA's special-purpose registries, as networks that are not globally reachable, and what we hold
# back besides: multicast, withdrawn ranges, what is not handed out, metadata services.
NOT_PUBLIC_4 = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
"""
NOT_PUBLIC_6 = """
::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20
"""
NETWORKS_4 = [ipaddress.IPv4Network(text) for text in NOT_PUBLIC_4.split()]
NETWORKS_6 = [ipaddress.IPv6Network(text) for text in NOT_PUBLIC_6.split()]
METADATA_4 = [
    ipaddress.IPv4Network(text)
    for text in [
        "169.254.169.0/24",
        "169.254.170.0/24",
        "169.254.0.23",
        "169.254.42.42",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
    ]
]


def inside(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> st.SearchStrategy[int]:
    """Numbers in a network, its edges and the neighbours of those more often than not."""
    first, last = int(network[0]), int(network[-1])
    largest = (1 << network.max_prefixlen) - 1
    edges = [first, last, max(first - 1, 0), min(last + 1, largest)]
    return st.sampled_from(edges) | st.integers(first, last)


ipv4_addresses = st.builds(
    ipaddress.IPv4Address,
    st.one_of(st.integers(0, 2**32 - 1), *map(inside, NETWORKS_4)),
)
denied_ipv4_addresses = ipv4_addresses.filter(
    lambda address: any(address in network for network in NETWORKS_4)
)
ipv6_addresses = st.builds(
    ipaddress.IPv6Address,
    st.one_of(
        st.integers(0, 2**128 - 1),
        st.integers(0x2 << 124, (0x4 << 124) - 1),
        *map(inside, NETWORKS_6),
    ),
)


def embeddings(address: ipaddress.IPv4Address) -> st.SearchStrategy[ipaddress.IPv6Address]:
    """Every way in which IPv6 carries an IPv4 address."""
    number = int(address)
    words = st.integers(0, 2**64 - 1)
    prefixes = st.integers(0x2000, 0x3FFE).map(lambda top: top << 112)
    forms = st.one_of(
        st.just(number),  # compatible
        st.just(0xFFFF << 32 | number),  # mapped
        st.just(0xFFFF << 48 | number),  # translated
        st.just(0x64_FF9B << 96 | number),  # NAT64
        words.map(lambda low: 0x64_FF9B_0001 << 80 | (low >> 16) << 32 | number),
        words.map(lambda low: 0x2002 << 112 | number << 80 | low),  # 6to4
        words.map(lambda high: 0x2001 << 112 | (high >> 32) << 64 | (number ^ 0xFFFF_FFFF)),
        prefixes.map(lambda high: high | 0x5EFE << 32 | number),  # ISATAP
        prefixes.map(lambda high: high | 0x0200_5EFE << 32 | number),
    )
    return forms.map(ipaddress.IPv6Address)


hosts = st.one_of(
    st.text(alphabet="abz019.-_x", min_size=1, max_size=30),
    st.text(min_size=1, max_size=12),
    st.lists(
        st.text(st.characters(categories=["L", "M", "Nd"]), min_size=1, max_size=8), min_size=1
    ).map(".".join),
    ipv4_addresses.map(str),
    ipv6_addresses.map(lambda address: f"[{address}]"),
    st.sampled_from(["xn--bcher-kva.de", "example.com", "bücher.de", "ΟΔΟΣ.gr", "İ.com", "faß.de"]),
)
urls = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["http://", "https://", "HTTPS://", "http:", "//", "ftp://", ""]),
    st.sampled_from(["", "", "", "u@", "a:b@", "\\", " "]),
    hosts,
    st.sampled_from(["", ":80", ":8443", ":", ":0", ":x", ":080"]),
    st.sampled_from(["", "/", "/a?b#c", "?q", "#f"]) | st.text(max_size=8).map("/{}".format),
)

# Hosts that a browser would take, in any script: most of these are accepted.
labels = st.one_of(
    st.from_regex(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,8}[A-Za-z0-9_])?", fullmatch=True),
    st.text(st.characters(categories=["Ll", "Lo", "Lu"]), min_size=1, max_size=8),
    st.text(st.characters(categories=["Ll", "Lu", "Mn", "Nd"]), min_size=1, max_size=8),
)
likely_urls = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["http://", "https://", "HTTPS://", " http://"]),
    st.lists(labels, min_size=1, max_size=4).map(".".join),
    st.sampled_from([".com", ".DE", ".com.", ".example"]),
    st.sampled_from(["", ":80", ":8443", ":", ":080"]),
    st.text(st.characters(exclude_categories=["C"]), max_size=8).map("/{}".format) | st.just("?q"),
)


@given(st.text() | urls)
@example("http://xn--0.example.com/")
@example("http://" + "a" * 300)
@example("http://[::1]:99999999999999999999/")
@example("http://\ud800/")
def test_any_text_gets_a_verdict(text: str) -> None:
    assert isinstance(parse_target(text), Result)
    assert explain(text, Policy()).verdict in ("allow", "deny")
    assert carries_credentials(text) in (True, False)


@given(st.text() | urls)
@example("///")
@example("//[")
@example("//a]")
@example("?")
@example("a:b")
def test_any_location_gets_a_verdict(location: str) -> None:
    source = parse_target("https://example.com/a/b").unwrap()

    assert isinstance(judge_redirect(source, 302, location, Policy()), Result)


@given(st.lists(st.text() | ipv4_addresses.map(str) | ipv6_addresses.map(str)))
def test_any_answers_get_a_verdict(answers: list[str]) -> None:
    target = parse_target("https://example.com/").unwrap()

    judged = judge_addresses(target, answers, Policy())

    assert isinstance(judged, Success) == all(classify_address(text).public for text in answers)


@given(ipv4_addresses)
@example(ipaddress.IPv4Address("168.63.129.16"))
def test_an_ipv4_address_is_public_unless_a_registry_says_otherwise(
    address: ipaddress.IPv4Address,
) -> None:
    special = any(address in network for network in NETWORKS_4)

    assert classify_address(str(address)).public is not special


@given(ipv6_addresses)
@example(ipaddress.IPv6Address("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"))
@example(ipaddress.IPv6Address("3fff:1000::"))
def test_an_ipv6_address_is_public_only_where_addresses_are_handed_out(
    address: ipaddress.IPv6Address,
) -> None:
    special = any(address in network for network in NETWORKS_6)

    public = classify_address(str(address)).public

    assert not (public and special)
    assert public or special or _carries_ipv4(address)


@given(denied_ipv4_addresses.flatmap(embeddings))
def test_an_address_that_is_denied_is_denied_inside_any_ipv6_form(
    address: ipaddress.IPv6Address,
) -> None:
    assert not classify_address(str(address)).public
    assert isinstance(judge_url(f"https://[{address}]/", Policy()), Failure)


@given(likely_urls | urls)
@example("https://MÜNCHEN.de/")
@example("https://example.com.:8443/x?y#z")
@example("https://[2606:4700:0:0::1]:8443/")
def test_accepted_urls_are_read_alike_by_urllib_and_httpx(url: str) -> None:
    judged = judge_url(url, Policy())
    if isinstance(judged, Failure):
        return
    target = judged.unwrap()

    for spelling in {target.url, url}:
        assert _plain_host(urlsplit(spelling).hostname or "") == target.host
        assert (urlsplit(spelling).port or _usual(spelling)) == target.port
    parsed = httpx.URL(target.url)
    assert parsed.raw_host.decode("ascii") == target.host
    assert (parsed.port or _usual(target.url)) == target.port
    assert parsed.scheme == target.scheme == urlsplit(url).scheme


@given(likely_urls)
def test_parsing_is_idempotent(url: str) -> None:
    parsed = parse_target(url)

    if isinstance(parsed, Failure):
        return
    target = parsed.unwrap()
    assert parse_target(target.url).unwrap() == msgspec.structs.replace(target, asked=target.url)


@given(likely_urls | urls | st.text())
@example("https://a.example:00443/")
@example("https://a.example:/")
@example("https://a.example/\u205f")
def test_a_url_that_is_parsed_keeps_the_law_of_urls(url: str) -> None:
    parsed = parse_target(url)

    assert isinstance(parsed, Failure) or is_web_url(parsed.unwrap().asked)


def _carries_ipv4(address: ipaddress.IPv6Address) -> bool:
    """Tell by text whether an ISATAP or a metadata address may hide in a public one."""
    words = address.exploded.split(":")
    low = ipaddress.IPv4Address(int("".join(words[6:]), 16))
    isatap = words[5] == "5efe" and words[4] in ("0000", "0200")
    hidden = any(low in network for network in METADATA_4)
    return isatap or hidden or words[4].startswith("00")


def _plain_host(host: str) -> str:
    if ":" in host:
        return str(ipaddress.IPv6Address(host))
    judged = parse_target(f"http://{host}/")
    return judged.unwrap().host


def _usual(url: str) -> int:
    return 443 if url.lower().startswith("https") else 80

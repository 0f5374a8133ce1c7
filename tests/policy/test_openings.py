"""The policy's opt-outs: each opens exactly what it names."""

import msgspec
import pytest
from returns.result import Failure, Result, Success

from webseam.kernel.policy import (
    Policy,
    PolicySettings,
    judge_addresses,
    judge_remote,
    judge_url,
    make_policy,
    parse_target,
)
from webseam.ports import InvalidUrl, NotConfigured, UrlDenied
from webseam.ports.targets import Target


def judged(url: str, settings: PolicySettings) -> Result[Target, InvalidUrl | UrlDenied]:
    return judge_url(url, make_policy(settings).unwrap())


def answered(
    url: str, answers: tuple[str, ...], settings: PolicySettings
) -> Result[tuple[str, ...], UrlDenied]:
    return judge_addresses(parse_target(url).unwrap(), answers, make_policy(settings).unwrap())


def denial(url: str, settings: PolicySettings | None = None) -> tuple[str, str, str | None]:
    refusal = judged(url, settings or PolicySettings()).failure()
    assert isinstance(refusal, UrlDenied)
    return refusal.rule, refusal.stage, refusal.setting


ALL_PORTS = "[80, 443, 8000, 8008, 8080, 8443, 8888, 9000]"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://10.0.0.1/", ("private", "address", "policy.allow_private: [10.0.0.1/32:80]")),
        (
            "http://[fd00::1]:8080/",
            ("private", "address", 'policy.allow_private: ["[fd00::1/128]:8080"]'),
        ),
        (
            "http://127.0.0.1:6379/",
            ("loopback", "address", "policy.allow_private: [127.0.0.1/32:6379]"),
        ),
        ("http://wiki/", ("local_name", "parse", "policy.allow_hosts: [wiki]")),
        ("http://wiki.corp:3000/", ("local_name", "parse", "policy.allow_hosts: [wiki.corp:3000]")),
        ("http://example.com:9000/", ("port", "parse", f"policy.ports: {ALL_PORTS}")),
        ("https://1.1.1.1:9000/", ("port", "parse", f"policy.ports: {ALL_PORTS}")),
        ("http://[64:ff9b::808:808]/", ("embedded", "address", "policy.nat64: decode")),
        (
            "http://[64:ff9b::a00:1]/",
            ("embedded", "address", 'policy.allow_private: ["[64:ff9b::a00:1/128]:80"]'),
        ),
        ("http://169.254.169.254/", ("metadata", "address", None)),
        ("http://metadata.goog/", ("metadata", "parse", None)),
        ("http://0x7f.1/", ("ambiguous", "parse", None)),
        ("http://a\\b/", ("backslash", "parse", None)),
        ("ftp://example.com/", ("scheme", "parse", None)),
        ("http://u:p@example.com/", ("userinfo", "parse", None)),
        ("http://[fe80::1%25eth0]/", ("link_local", "parse", None)),
    ],
)
def test_a_refusal_names_the_setting_that_would_allow_it(
    url: str, told: tuple[str, str, str | None]
) -> None:
    assert denial(url) == told


OPENED = [
    ("http://10.0.0.1/", PolicySettings(allow_private=("10.0.0.1/32:80",))),
    ("http://10.0.0.1:8080/", PolicySettings(allow_private=("10.0.0.0/8",))),
    ("http://10.0.0.1:6379/", PolicySettings(allow_private=("10.0.0.0/8:6379",))),
    ("http://[fd00::1]:8080/", PolicySettings(allow_private=("[fd00::1/128]:8080",))),
    ("http://[fd00::1]/", PolicySettings(allow_private=("fd00::/8",))),
    ("http://wiki/", PolicySettings(allow_hosts=("wiki",))),
    ("http://WIKI.corp.:3000/", PolicySettings(allow_hosts=("wiki.corp:3000",))),
    ("http://10.0.0.1/", PolicySettings(allow_hosts=("10.0.0.1",))),
    ("http://10.0.0.1:81/", PolicySettings(allow_hosts=("10.0.0.1:81",))),
    ("http://[fd00::1]:81/", PolicySettings(allow_hosts=("[FD00::1]:81",))),
    ("http://[fd00::1]/", PolicySettings(allow_hosts=("[fd00::1]",))),
    ("http://example.com:9000/", PolicySettings(ports=(9000,))),
    ("http://[64:ff9b::808:808]/", PolicySettings(nat64="decode")),
    ("http://a.example.com/", PolicySettings(allow_domains=("example.com",))),
    ("http://wiki/", PolicySettings(allow_domains=("example.com",), allow_hosts=("wiki",))),
    ("http://1.1.1.1/", PolicySettings(allow_domains=("1.1.1.1",))),
]


@pytest.mark.parametrize(("url", "settings"), OPENED)
def test_a_setting_opens_what_it_names(url: str, settings: PolicySettings) -> None:
    assert isinstance(judged(url, settings), Success)


STILL_CLOSED = [
    ("http://10.0.0.2/", PolicySettings(allow_private=("10.0.0.1/32",)), "private"),
    ("http://10.0.0.1:81/", PolicySettings(allow_private=("10.0.0.0/8",)), "port"),
    ("http://10.0.0.1:8080/", PolicySettings(allow_private=("10.0.0.0/8:6379",)), "port"),
    ("http://[::ffff:10.0.0.1]/", PolicySettings(allow_private=("10.0.0.0/8",)), "embedded"),
    ("http://a.wiki.corp/", PolicySettings(allow_hosts=("wiki.corp",)), "local_name"),
    ("http://wiki:3001/", PolicySettings(allow_hosts=("wiki:3000",)), "local_name"),
    ("http://wiki:3000/", PolicySettings(allow_hosts=("wiki",)), "local_name"),
    ("http://example.com/", PolicySettings(ports=(9000,)), "port"),
    ("http://1.1.1.1:6379/", PolicySettings(allow_private=("10.0.0.0/8:6379",)), "port"),
    ("http://198.18.0.1/", PolicySettings(fake_ip_ranges=("198.18.0.0/15",)), "reserved"),
    ("http://[64:ff9b::a00:1]/", PolicySettings(nat64="decode"), "private"),
    ("http://notexample.com/", PolicySettings(allow_domains=("example.com",)), "unlisted_domain"),
    ("http://example.com/", PolicySettings(deny_domains=("example.com",)), "denied_domain"),
    ("http://1.1.1.1/", PolicySettings(deny_domains=("1.1.1.1",)), "denied_domain"),
]


@pytest.mark.parametrize(("url", "settings", "rule"), STILL_CLOSED)
def test_a_setting_opens_nothing_else(url: str, settings: PolicySettings, rule: str) -> None:
    assert denial(url, settings)[0] == rule


@pytest.mark.parametrize(
    "url",
    [
        "http://blocked.example.com/",
        "HTTPS://BLOCKED.EXAMPLE.COM:8443/x",
        "http://blocked.example.com./",
        "http://www.blocked.example.com/",
        "http://a.b.c.blocked.example.com/?x",
        "http://blocked.example.com?x=1",
        "http://blocked.example.com#x",
        "http://b\u00fccher.blocked.example.com/",
        "https://b\u00fccher.de/",
        "https://B\u00dcCHER.de/",
        "https://bu\u0308cher.de/",
        "https://xn--bcher-kva.de/",
        "https://XN--BCHER-KVA.DE./",
        "https://a.b\u00fccher.de:8443/",
    ],
)
def test_a_denied_domain_is_denied_in_every_spelling_and_whatever_else_allows_it(url: str) -> None:
    settings = PolicySettings(
        deny_domains=("*.Blocked.Example.com", "bücher.de"),
        allow_domains=("example.com", "de"),
        allow_hosts=("blocked.example.com",),
    )

    rule, stage, setting = denial(url, settings)

    assert (rule, stage) == ("denied_domain", "parse")
    assert setting in (
        "policy.deny_domains without blocked.example.com",
        "policy.deny_domains without xn--bcher-kva.de",
    )


def test_an_allowed_host_may_have_private_addresses_but_no_metadata_one() -> None:
    settings = PolicySettings(allow_hosts=("wiki.corp",))

    fine = answered("http://wiki.corp/", ("10.0.0.1", "1.1.1.1"), settings)
    worse = answered("http://wiki.corp/", ("10.0.0.1", "169.254.169.254"), settings)

    assert fine == Success(("10.0.0.1", "1.1.1.1"))
    assert worse.failure().rule == "metadata"


def test_a_name_in_an_allowed_range_is_fetched_on_that_ranges_port_alone() -> None:
    settings = PolicySettings(allow_private=("10.0.0.0/8:3000",))
    url = "http://app.example.com:3000/"

    assert isinstance(judged(url, settings), Success)
    assert answered(url, ("10.0.0.1",), settings) == Success(("10.0.0.1",))
    assert answered(url, ("1.1.1.1",), settings).failure().rule == "port"
    assert answered(url, ("1.1.1.1",), settings).failure().stage == "dns"
    assert answered("http://app.example.com/", ("10.0.0.1",), settings).failure().rule == "private"


def test_a_vpns_fake_addresses_are_fine_for_names() -> None:
    url, answers = "https://example.com/", ("198.18.0.9",)

    refusal = answered(url, answers, PolicySettings()).failure()
    opened = answered(url, answers, PolicySettings(fake_ip_ranges=("198.18.0.0/15",)))

    assert refusal.setting == "policy.fake_ip_ranges: [198.18.0.0/15]"
    assert opened == Success(answers)


def test_a_made_up_nat64_answer_is_judged_by_what_is_inside_when_the_network_says_so() -> None:
    settings = PolicySettings(nat64="decode")
    url = "https://example.com/"

    assert isinstance(answered(url, ("64:ff9b::101:101",), settings), Success)
    assert answered(url, ("64:ff9b::a00:1",), settings).failure().rule == "private"
    assert answered(url, ("64:ff9b::a9fe:a9fe",), settings).failure().rule == "metadata"
    assert answered(url, ("64:ff9b:1::101:101",), settings).failure().rule == "embedded"
    assert (
        answered(url, ("64:ff9b::101:101",), PolicySettings()).failure().setting
        == "policy.nat64: decode"
    )


def test_a_refusal_by_address_names_the_host_and_never_the_address() -> None:
    refusal = answered("https://app.example.com/", ("10.11.12.13",), PolicySettings()).failure()

    assert refusal == UrlDenied(
        rule="private",
        stage="dns",
        setting="policy.allow_hosts: [app.example.com]",
        url="https://app.example.com/",
    )


@pytest.mark.parametrize(
    ("settings", "setting", "entry"),
    [
        (PolicySettings(ports=(80, 0)), "policy.ports", "0"),
        (PolicySettings(ports=(65_536,)), "policy.ports", "65536"),
        (PolicySettings(allow_private=("10.0.0.1/8",)), "policy.allow_private", "10.0.0.1/8"),
        (PolicySettings(allow_private=("10.0.0.0/8:0",)), "policy.allow_private", "10.0.0.0/8:0"),
        (PolicySettings(allow_private=("true",)), "policy.allow_private", "true"),
        (PolicySettings(allow_private=("",)), "policy.allow_private", "''"),
        (PolicySettings(allow_hosts=("http://wiki/",)), "policy.allow_hosts", "http://wiki/"),
        (PolicySettings(allow_hosts=("wiki:99999",)), "policy.allow_hosts", "wiki:99999"),
        (PolicySettings(allow_hosts=("*.corp",)), "policy.allow_hosts", "*.corp"),
        (PolicySettings(fake_ip_ranges=("198.18.0.0/15:80",)), "policy.fake_ip_ranges", "198.18"),
        (PolicySettings(fake_ip_ranges=("x",)), "policy.fake_ip_ranges", "x"),
        (PolicySettings(allow_domains=("a b",)), "policy.allow_domains", "a b"),
        (PolicySettings(deny_domains=("ok.example", "")), "policy.deny_domains", "''"),
    ],
)
def test_an_entry_that_cannot_be_read_is_an_error_and_never_an_opening(
    settings: PolicySettings, setting: str, entry: str
) -> None:
    fault = make_policy(settings).failure()

    assert isinstance(fault, NotConfigured)
    assert fault.settings == (setting,)
    assert entry in fault.reason


@pytest.mark.parametrize(
    ("answer", "setting"),
    [
        ("198.17.255.255", None),
        ("198.18.0.0", "policy.fake_ip_ranges: [198.18.0.0/15]"),
        ("198.19.255.255", "policy.fake_ip_ranges: [198.18.0.0/15]"),
        ("198.20.0.0", None),
        ("::198.18.0.0", "policy.allow_hosts: [example.com]"),
    ],
)
def test_the_range_that_vpns_use_is_told_to_the_last_address(
    answer: str, setting: str | None
) -> None:
    judged = answered("https://example.com/", (answer,), PolicySettings())

    assert judged.alt(lambda refusal: refusal.setting) == (
        Success((answer,)) if setting is None else Failure(setting)
    )


@pytest.mark.parametrize("port", [1, 65_535])
def test_every_port_can_be_allowed(port: int) -> None:
    opened = PolicySettings(ports=(port,))

    assert judged(f"http://example.com:{port}/", opened).unwrap().port == port
    assert make_policy(PolicySettings(ports=(port * 65_536,))).failure().settings == (
        "policy.ports",
    )


def test_a_setting_that_does_not_exist_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="allow_everything"):
        msgspec.convert({"allow_everything": True}, PolicySettings)


def test_the_default_settings_are_the_default_policy() -> None:
    assert make_policy(PolicySettings()) == Success(Policy())


def test_a_url_with_credentials_is_fetched_but_not_told_to_a_third_party() -> None:
    url = "https://bucket.example.com/o?X-Amz-Signature=abc"
    allowing = make_policy(PolicySettings(allow_credential_urls=True)).unwrap()

    refusal = judge_remote(parse_target(url).unwrap(), Policy()).failure()

    assert isinstance(judge_url(url, Policy()), Success)
    assert isinstance(judge_remote(parse_target(url).unwrap(), allowing), Success)
    assert isinstance(
        judge_remote(parse_target("https://example.com/").unwrap(), Policy()), Success
    )
    assert isinstance(judge_remote(parse_target("http://localhost/").unwrap(), allowing), Failure)
    assert refusal == UrlDenied(
        rule="credentials",
        stage="parse",
        setting="policy.allow_credential_urls: true",
        url="https://bucket.example.com/o?X-Amz-Signature=***",
    )


def test_every_web_port_and_no_other_is_open() -> None:
    # All that services are known by, and some of the others: 65,535 take seconds.
    opened = [
        port
        for port in (*range(1, 10_000), *range(10_000, 65_536, 95))
        if isinstance(judge_url(f"https://example.com:{port}/", Policy()), Success)
    ]

    assert opened == [80, 443, 8000, 8008, 8080, 8443, 8888]


@pytest.mark.parametrize(
    ("proxy", "host", "port"),
    [
        ("http://proxy:3128", "proxy", 3128),
        ("http://Proxy.corp:80/", "proxy.corp", 80),
        ("http://127.0.0.1:8080", "127.0.0.1", 8080),
        ("http://[fd00::1]:8080", "fd00::1", 8080),
    ],
)
def test_a_proxy_is_a_host_and_a_port_wherever_it_is(proxy: str, host: str, port: int) -> None:
    proxy_target = make_policy(PolicySettings(proxy=proxy)).unwrap().proxy

    assert proxy_target is not None
    assert (proxy_target.scheme, proxy_target.host, proxy_target.port) == ("http", host, port)


@pytest.mark.parametrize(
    "proxy",
    [
        "",
        "proxy:3128",
        "http://proxy",
        "https://proxy:3128",
        "socks5://proxy:1080",
        "http://me:hunter2@proxy:3128",
        "http://proxy:3128/path",
        "http://proxy:3128?x",
        "http://proxy:3128#x",
        "http://proxy:0",
        "http://proxy:65536",
        "http://0x7f.1:3128",
        "http://pro xy:3128",
        " http://proxy:3128",
    ],
)
def test_another_proxy_is_an_error_that_does_not_repeat_it(proxy: str) -> None:
    reason = "The proxy is not of the form http://host:port, without a user name"

    assert make_policy(PolicySettings(proxy=proxy)).failure() == NotConfigured(
        settings=("policy.proxy",), reason=reason
    )


def test_behind_a_proxy_the_port_of_a_private_range_opens_no_name() -> None:
    direct = PolicySettings(allow_private=("10.0.0.0/8:6379",))
    behind = PolicySettings(allow_private=("10.0.0.0/8:6379",), proxy="http://proxy:3128")

    assert isinstance(judged("http://a.example.com:6379/", direct), Success)
    assert denial("http://a.example.com:6379/", behind)[0] == "port"
    assert isinstance(judged("http://10.0.0.1:6379/", behind), Success)


@pytest.mark.parametrize("port", [9000, 9002])
def test_the_port_of_a_range_opens_no_other_port(port: int) -> None:
    settings = PolicySettings(allow_private=("10.0.0.0/8:9001",))

    assert isinstance(judged("http://wiki.example.com:9001/", settings), Success)
    assert denial(f"http://wiki.example.com:{port}/", settings)[0] == "port"

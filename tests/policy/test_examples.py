from webseam.kernel.policy.address_ranges import classify_address
from webseam.kernel.policy.judge import carries_credentials, judge_endpoint, judge_url
from webseam.kernel.policy.narrowing import narrow_policy
from webseam.kernel.policy.policy_rules import (
    Policy,
    join_host_port,
    read_ip_range,
    read_policy_domain,
    read_policy_host,
    read_policy_proxy,
)
from webseam.ports.errors import UrlDenied


def test_an_example_of_classify_address() -> None:
    assert (classify_address("1.1.1.1").public, classify_address("::ffff:1.1.1.1").rule) == (
        True,
        "embedded",
    )


def test_an_example_of_carries_credentials() -> None:
    assert carries_credentials("https://b.example/o?X-Amz-Signature=ab12")
    assert not carries_credentials("https://b.example/?q=token")


def test_an_example_of_judge_url() -> None:
    refusal = judge_url("http://10.0.0.1/", Policy()).failure()
    assert isinstance(refusal, UrlDenied)
    assert refusal.setting == "policy.allow_private: [10.0.0.1/32:80]"


def test_an_example_of_judge_endpoint() -> None:
    origin, address = "https://api.example", "10.0.0.1"
    refusal = judge_endpoint(origin, [address], Policy(), is_user_written=False).failure()
    assert isinstance(refusal, UrlDenied)
    assert refusal.setting == "policy.allow_hosts: [api.example]"


def test_an_example_of_narrow_policy() -> None:
    wide = Policy(allow_domains=("example.com",))
    assert narrow_policy(wide, ["docs.example.com", "b.test"]).allow_domains == (
        "docs.example.com",
    )


def test_an_example_of_read_ip_range() -> None:
    addresses = read_ip_range("[fd00::/8]:8080")
    assert addresses is not None
    assert addresses.port == 8080
    assert read_ip_range("10.0.0.1/8") is None


def test_an_example_of_read_policy_host() -> None:
    assert tuple(map(read_policy_host, ("Wiki.corp:3000", "*.corp"))) == ("wiki.corp:3000", None)


def test_an_example_of_read_policy_domain() -> None:
    assert (read_policy_domain("*.Example.com"), read_policy_domain("https://example.com")) == (
        "example.com",
        None,
    )


def test_an_example_of_read_policy_proxy() -> None:
    proxy = read_policy_proxy("http://proxy.corp:3128")
    assert proxy is not None
    assert proxy.port == 3128
    assert read_policy_proxy("http://me:secret@proxy.corp:3128") is None


def test_an_example_of_join_host_port() -> None:
    assert join_host_port("fd00::1/128", 80) == "[fd00::1/128]:80"

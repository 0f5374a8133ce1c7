"""Which proxy a call goes through, by the variables that everybody uses and a setting of ours."""

import base64

import pytest

from webseam.kernel.urls.proxy_rules import choose_proxy, read_proxy_rules
from webseam.ports.secrets import Secret

PROXY = "http://proxy.corp:3128"


def choice(url: tuple[str, str, int], variables: dict[str, str], setting: str = "") -> str | None:
    proxy = choose_proxy(read_proxy_rules(Secret(setting), variables), *url).unwrap()
    return None if proxy is None else f"{proxy.setting} {proxy.host}:{proxy.port}"


HTTPS, HTTP = ("https", "api.example", 443), ("http", "api.example", 80)


@pytest.mark.parametrize(
    ("url", "variables", "expected"),
    [
        (HTTPS, {}, None),
        (HTTPS, {"HTTPS_PROXY": PROXY}, "HTTPS_PROXY proxy.corp:3128"),
        (HTTPS, {"https_proxy": PROXY}, "https_proxy proxy.corp:3128"),
        (HTTPS, {"https_proxy": PROXY, "HTTPS_PROXY": "http://b:1"}, "https_proxy proxy.corp:3128"),
        (HTTPS, {"HTTP_PROXY": PROXY}, None),
        (HTTP, {"HTTP_PROXY": PROXY}, "HTTP_PROXY proxy.corp:3128"),
        (HTTP, {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, None),
        (HTTP, {"http_proxy": PROXY, "REQUEST_METHOD": "GET"}, "http_proxy proxy.corp:3128"),
        (HTTP, {"HTTPS_PROXY": PROXY}, None),
        (HTTP, {"ALL_PROXY": PROXY}, "ALL_PROXY proxy.corp:3128"),
        (HTTPS, {"all_proxy": "proxy.corp"}, "all_proxy proxy.corp:80"),
        (HTTPS, {"HTTPS_PROXY": "  "}, None),
        (HTTPS, {"HTTPS_PROXY": "proxy.corp:8080"}, "HTTPS_PROXY proxy.corp:8080"),
        (("https", "localhost", 443), {"ALL_PROXY": PROXY}, None),
        (("http", "127.0.0.1", 80), {"ALL_PROXY": PROXY}, None),
        (("http", "::1", 80), {"ALL_PROXY": PROXY}, None),
    ],
)
def test_the_variables_name_a_proxy_for_each_scheme(
    url: tuple[str, str, int], variables: dict[str, str], expected: str | None
) -> None:
    assert choice(url, variables) == expected


@pytest.mark.parametrize(
    ("exempt", "host", "direct"),
    [
        ("*", "api.example", True),
        ("api.example", "api.example", True),
        ("example", "api.example", True),
        (".example", "api.example", True),
        ("*.example", "api.example", True),
        ("API.example", "api.EXAMPLE", True),
        ("pi.example", "api.example", False),
        ("api.example:443", "api.example", True),
        ("api.example:8443", "api.example", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.0.0.0/8", "api.example", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("fd00::/8", "fd00::1", True),
        ("[fd00::1]", "fd00::1", True),
        ("a.example, api.example", "api.example", True),
        (",,", "api.example", False),
        ("  ", "api.example", False),
        (".", "api.example", False),
    ],
)
@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
def test_exempt_hosts_are_called_without_a_proxy(
    name: str, exempt: str, host: str, *, direct: bool
) -> None:
    named = choice(("https", host, 443), {"HTTPS_PROXY": PROXY, name: exempt})

    assert (named is None) == direct


def test_a_setting_wins_over_the_variables_and_may_turn_them_off() -> None:
    variables = {"ALL_PROXY": "http://other:1", "NO_PROXY": "b.example"}

    assert choice(HTTP, variables, PROXY) == "proxy proxy.corp:3128"
    assert choice(HTTPS, variables, PROXY) == "proxy proxy.corp:3128"
    assert choice(("https", "b.example", 443), variables, PROXY) is None
    assert choice(HTTPS, variables, "None") is None


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("http://me:p%40ss@proxy.corp:3128", b"me:p@ss"),
        ("http://me@proxy.corp:3128", b"me:"),
        ("http://:secret@proxy.corp:3128", b":secret"),
        ("http://proxy.corp:3128", b""),
    ],
)
def test_a_user_name_and_a_password_become_a_header_and_never_show(text: str, pair: bytes) -> None:
    rules = read_proxy_rules(Secret(""), {"HTTPS_PROXY": text})
    proxy = choose_proxy(rules, *HTTPS).unwrap()

    assert proxy is not None
    assert proxy.credentials.reveal() == (
        f"Basic {base64.b64encode(pair).decode()}" if pair else ""
    )
    assert "p%40ss" not in f"{rules!r} {proxy!r}"


@pytest.mark.parametrize(
    "text",
    ["socks5://proxy.corp:1080", "https://proxy.corp", "http://:3128", "http://a:b:c", "http://[x"],
)
def test_a_proxy_that_cannot_be_used_is_named_by_its_setting(text: str) -> None:
    failure = choose_proxy(read_proxy_rules(Secret(""), {"ALL_PROXY": text}), *HTTPS).failure()

    assert failure.settings == ("ALL_PROXY",)
    assert failure.message.endswith(" Change ALL_PROXY, which names it.")
    assert text not in failure.message

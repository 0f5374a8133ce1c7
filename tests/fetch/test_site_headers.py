"""Headers and cookies of a site go to its exact origin, and to nobody else."""

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st
from returns.result import Success

from tests.doors.cli.run import webseam
from webseam.adapters.pages.fetch.user_headers import site_headers
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.site_settings import SiteSettings, site_settings
from webseam.composition.settings.vendors import FOLDER
from webseam.composition.wiring.pages import pages_backend, wire_page_fetcher
from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.errors import InvalidSetting

from .support import Site, serving

COOKIES = "# Netscape HTTP Cookie File\n{host}\tFALSE\t/in\tFALSE\t{age}\tsid\tc00kie\n"
ORIGINS = ("https://a.example", "https://a.example:8443", "http://a.example", "https://b.example",
           "https://x.a.example", "http://127.0.0.1:81", "http://127.0.0.1:82")  # fmt: skip


def written(home: Path, text: str) -> object:
    """Return the sites of a settings file, or the error."""
    (home / "config.yaml").write_text(text)
    (home / "config.yaml").chmod(0o600)
    environment = {"HOME": str(home), "WEBSEAM_CONFIG": str(home / "config.yaml")}
    loaded = load_settings(environment, folder=home).unwrap()
    return site_settings(loaded.entries)


def sites(home: Path, text: str) -> SiteSettings:
    found = written(home, text)
    assert isinstance(found, Success), found
    checked: SiteSettings = found.unwrap()
    return checked


@pytest.mark.parametrize("location", ["/in/b", "http://127.0.0.2:{other}/in"])
def test_a_redirect_carries_them_only_on_the_same_origin(tmp_path: Path, location: str) -> None:
    async def work() -> tuple[list[bytes], list[bytes]]:
        page = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi"
        other = Site(page)
        async with serving(other, "127.0.0.2") as other_port:
            target = location.format(other=other_port)
            first = Site(
                f"HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n".encode()
            )
            async with serving(first, "127.0.0.1") as port:
                (tmp_path / "c.txt").write_text(
                    COOKIES.format(host="127.0.0.1", age=int(time.time()) + 999)
                )
                found = sites(
                    tmp_path,
                    f"sites: {{'127.0.0.1:{port}': {{headers: {{X-Key: s3cret}}, cookies_file: c.txt}}}}\n",
                )
                ranges = (f"127.0.0.1/32:{port}", f"127.0.0.2/32:{other_port}")
                policy = make_policy(PolicySettings(allow_private=ranges)).unwrap()
                fetcher = wire_page_fetcher(policy, sites=found.origins)
                await fetcher.fetch(f"http://127.0.0.1:{port}/in/a")
        return first.heads, other.heads

    first, other = asyncio.run(work())

    assert all(b"X-Key: s3cret\r\n" in head and b"Cookie: sid=c00kie\r\n" in head for head in first)
    assert len(first) > 1 or len(other) == 1
    assert not any(b"s3cret" in head or b"c00kie" in head for head in other)


def test_a_page_that_repeats_them_is_masked(tmp_path: Path) -> None:
    cookie, token = "c00kie-of-the-session", "t0ken-of-the-user"
    words = "The tide comes in twice a day, and goes out twice. " * 9
    body = f"<title>{token}</title><article><p>{words} {token}</p><p>{words} {cookie}</p>".encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\netag: {cookie}\r\n\r\n"

    async def work() -> object:
        async with serving(Site(head.encode() + body), "127.0.0.1") as port:
            text = COOKIES.format(host="127.0.0.1", age=int(time.time()) + 999)
            (tmp_path / "c.txt").write_text(text.replace("c00kie", cookie))
            headers = f"{{Authorization: Bearer {token}}}"
            entry = f"sites: {{'127.0.0.1:{port}': {{headers: {headers}, cookies_file: c.txt}}}}\n"
            policy = make_policy(PolicySettings(allow_private=(f"127.0.0.1/32:{port}",))).unwrap()
            backend = pages_backend(policy, sites=sites(tmp_path, entry).origins)
            try:
                return (await backend.extract(f"http://127.0.0.1:{port}/in/a")).unwrap()
            finally:
                await backend.aclose()

    page = str(asyncio.run(work()))
    assert "twice a day" in page
    assert token not in page
    assert cookie not in page


@given(passed=st.lists(st.sampled_from(ORIGINS), max_size=3), asked=st.sampled_from(ORIGINS))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_the_exact_origin_gets_them(tmp_path: Path, passed: list[str], asked: str) -> None:
    text = "sites: {A.example: {headers: {X-Key: s3cret}}, '127.0.0.1:81': {headers: {X-Key: s}}}\n"
    found = sites(tmp_path, text)
    target = parse_target(f"{asked}/p").unwrap()

    sent = site_headers(found.origins, target, [f"{origin}/q" for origin in passed])

    host = asked.partition("://")[2]
    is_own = asked in ("https://a.example", "http://127.0.0.1:81")
    assert bool(sent) == (is_own and all(origin.partition("://")[2] == host for origin in passed))


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("{'a.example/x': {headers: {X: y}}}", "sites.a.example/x.headers.X"),
        ("{a.example: {headers: {Host: y}}}", "sites.a.example.headers.Host"),
        ('{a.example: {headers: {X: "a\\nb"}}}', "sites.a.example.headers.X"),
        ("{a.example: {cookies_file: none.txt}}", "sites.a.example.cookies_file"),
        ("{a.example: {cookies_file: config.yaml}}", "sites.a.example.cookies_file"),
        ("{a.example: {cookie: x}}", "sites.a.example.cookie"),
    ],
)
def test_a_wrong_entry_is_named_without_its_value(tmp_path: Path, text: str, setting: str) -> None:
    error = written(tmp_path, f"sites: {text}\n").failure()  # type: ignore[attr-defined]  # a Failure

    assert isinstance(error, InvalidSetting)
    assert error.setting == setting


def test_a_large_file_of_cookies_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_bytes(b"#" * 1_000_001)

    error = written(tmp_path, "sites: {a.example: {cookies_file: c.txt}}\n").failure()  # type: ignore[attr-defined]  # a Failure

    assert error.setting == "sites.a.example.cookies_file"


def test_arguments_and_folders_set_none(tmp_path: Path) -> None:
    block = {"sites": {"a.example": {"headers": {"X": "y"}}}}
    loaded = load_settings({"HOME": str(tmp_path)}, arguments=block, folder=tmp_path).unwrap()
    assert isinstance(site_settings(loaded.entries).failure(), InvalidSetting)
    assert not FOLDER.may_set(("sites", "a.example", "headers", "X"))


def test_pages_with_and_without_them_are_apart_in_the_cache(tmp_path: Path) -> None:
    texts = (
        "",
        "sites: {a.example: {headers: {X: y}}}\n",
        "sites: {a.example: {headers: {X: z}}}\n",
    )

    assert len({sites(tmp_path, text).digest for text in texts}) == len(texts)


def test_the_settings_are_shown_masked(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("sites: {a.example: {headers: {X-Key: s3cret}}}\n")
    config.chmod(0o600)

    ran = webseam("config", "show", "--json", WEBSEAM_CONFIG=str(config))

    assert "sites.a.example.headers.X-Key" in ran.out
    assert "s3cret" not in ran.out + ran.err


def test_a_policy_without_sites_sends_nothing() -> None:
    assert site_headers({}, parse_target("https://a.example/").unwrap(), ()) == ()
    assert wire_page_fetcher(Policy()) is not None

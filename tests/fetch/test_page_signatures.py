"""Requests for pages are signed with the operator's key, each for its own authority."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.doors.cli.run import webseam
from tests.features.gateway.asgi import Site as GatewaySite
from tests.fetch import signatures
from tests.fetch.support import Site, opening, serving
from webseam.adapters.pages.fetch.user_headers import (
    DIRECTORY_PATH,
    DIRECTORY_TYPE,
    PageSigner,
    read_page_signer,
)
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.site_settings import page_signer
from webseam.composition.settings.vendors import FOLDER
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.errors import InvalidSetting, NotConfigured, WebError

PAGE = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi"
REDIRECT = "HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n"
HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
BUSY = b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n"


def fetch_over_hops(signer: PageSigner | None, last: bytes = PAGE) -> list[tuple[str, bytes]]:
    """Fetch a page over three hosts that redirect; return each URL and the request it got."""

    async def work() -> list[tuple[str, bytes]]:
        visits: list[tuple[str, Site]] = []
        async with AsyncExitStack() as servers:
            reply = last
            for host in reversed(HOSTS):
                site = Site(reply)
                port = await servers.enter_async_context(serving(site, host))
                url = f"http://{host}:{port}/page"
                visits.insert(0, (url, site))
                reply = REDIRECT.format(url).encode()
            places = (url.split("/")[2].replace(":", "/32:") for url, _ in visits)
            policy = opening(*places)
            await wire_page_fetcher(policy, signer=signer).fetch(visits[0][0])
        return [(url, head) for url, site in visits for head in site.heads]

    return asyncio.run(work())


def test_each_hop_has_a_signature_that_holds_for_it_alone(tmp_path: Path) -> None:
    signer = signatures.make_signer(tmp_path)
    directory, _ = signer.sign_key_directory(time.time())

    hops = [(url, signatures.request_headers(head)) for url, head in fetch_over_hops(signer)]

    assert len(hops) == len(HOSTS)
    parameters = [signatures.verify(url, headers, directory) for url, headers in hops]
    assert len({sent["nonce"] for sent in parameters}) == len(HOSTS)
    assert {sent["keyid"] for sent in parameters} == {signer.key_id}
    assert {int(str(it["expires"])) - int(str(it["created"])) for it in parameters} == {60}
    for url, _ in hops:
        for other, headers in hops:
            if url != other:
                with pytest.raises(signatures.InvalidSignature):
                    signatures.verify(url, headers, directory)


def test_a_retry_is_signed_anew(tmp_path: Path) -> None:
    sent = [
        signatures.request_headers(head)
        for _, head in fetch_over_hops(signatures.make_signer(tmp_path), BUSY)
    ]

    assert len(sent) > len(HOSTS)
    assert len({headers["signature"] for headers in sent}) == len(sent)


def test_without_a_key_no_request_is_signed() -> None:
    sent = [signatures.request_headers(head) for _, head in fetch_over_hops(None)]

    assert len(sent) == len(HOSTS)
    assert not any(name.startswith("signature") for headers in sent for name in headers)


@pytest.mark.parametrize("seconds", [-120, 120])
def test_an_expired_or_future_signature_is_refused(tmp_path: Path, seconds: int) -> None:
    signer, target = signatures.make_signer(tmp_path), parse_target("https://a.example/").unwrap()
    directory, _ = signer.sign_key_directory(time.time())

    headers = dict(signer.sign_page_request(target, time.time() + seconds))

    with pytest.raises(signatures.InvalidSignature):
        signatures.verify(target.url, headers, directory)


def test_the_key_id_is_that_of_the_draft(tmp_path: Path) -> None:
    # The key of RFC 9421, B.1.4, whose id stands in the draft's test vectors.
    seed = bytes.fromhex("9f8362f87a484a954e6e740c5b4c0e84229139a20aa8ab56ff66586f6a7d29c5")
    key = signatures.ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    signer = read_page_signer(signatures.write_key(tmp_path, key), signatures.AGENT).unwrap()

    assert signer.key_id == "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


def write_settings(home: Path, signing: str) -> dict[str, str]:
    """Write a settings file; return an environment that uses it."""
    (home / "config.yaml").write_text(f"pages: {{signing: {signing}}}\n")
    (home / "config.yaml").chmod(0o600)
    return {"HOME": str(home), "WEBSEAM_CONFIG": str(home / "config.yaml")}


def read_signer_error(home: Path, signing: str) -> WebError:
    loaded = load_settings(write_settings(home, signing), folder=home).unwrap()
    return page_signer(loaded).failure()


def encrypt_key(path: Path) -> None:
    private = signatures.serialization.load_pem_private_key(path.read_bytes(), None)
    forms = signatures.serialization
    locked = forms.BestAvailableEncryption(b"x")
    path.write_bytes(private.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, locked))


def write_p256_key(path: Path) -> None:
    ec = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ec")
    signatures.write_key(path.parent, ec.generate_private_key(ec.SECP256R1()))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.chmod(0o640),
        lambda path: path.chmod(0o604),
        lambda path: path.write_bytes(b"no key"),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
        encrypt_key,
        write_p256_key,
    ],
    ids=["group", "others", "text", "missing", "folder", "encrypted", "p256"],
)
def test_a_wrong_key_file_is_named(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    path = signatures.write_key(tmp_path)
    spoil(path)

    error = read_signer_error(tmp_path, "{key_file: key.pem, agent: 'https://a.example'}")

    assert isinstance(error, InvalidSetting)
    assert error.setting == "pages.signing.key_file"
    assert repr(str(path)) in error.reason
    assert "PRIVATE" not in error.message


@pytest.mark.parametrize(
    "agent",
    [
        "http://a.example",
        "a.example",
        "https://a.example/x",
        "https://a.example/?q",
        "https://",
        "",
    ],
)
def test_an_agent_that_is_no_https_origin_is_named(tmp_path: Path, agent: str) -> None:
    signatures.write_key(tmp_path)

    error = read_signer_error(tmp_path, f"{{key_file: key.pem, agent: '{agent}'}}")

    assert isinstance(error, InvalidSetting)
    assert error.setting == "pages.signing.agent"
    assert repr(agent) in error.reason


@pytest.mark.parametrize(
    ("block", "setting"),
    [
        ("{key_file: key.pem}", "pages.signing.agent"),
        ("{agent: 'https://a.example'}", "pages.signing.key_file"),
        (
            "{key_file: '~nobody-has-this-name/k', agent: 'https://a.example'}",
            "pages.signing.key_file",
        ),
        ('{key_file: "a\\0b", agent: "https://a.example"}', "pages.signing.key_file"),
    ],
)
def test_half_of_the_settings_is_an_error(tmp_path: Path, block: str, setting: str) -> None:
    signatures.write_key(tmp_path)

    error = read_signer_error(tmp_path, block)

    assert isinstance(error, InvalidSetting)
    assert error.setting == setting


def test_only_a_trusted_file_names_the_key(tmp_path: Path) -> None:
    path = signatures.write_key(tmp_path)
    environment = write_settings(tmp_path, "{agent: 'https://a.example'}")
    variable = {**environment, "WEBSEAM_PAGES_SIGNING_KEY_FILE": str(path)}
    arguments = {"pages.signing.key_file": str(path)}

    for loaded in (
        load_settings(variable, folder=tmp_path),
        load_settings(environment, arguments=arguments, folder=tmp_path),
    ):
        error = page_signer(loaded.unwrap()).failure()
        assert isinstance(error, InvalidSetting)
        assert error.setting == "pages.signing.key_file"
    assert not FOLDER.may_set(("pages", "signing", "key_file"))
    assert not FOLDER.may_set(("pages", "signing", "agent"))


def test_the_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webseam.composition.settings.site_settings.find_spec", lambda _name: None)

    error = read_signer_error(tmp_path, "{key_file: key.pem, agent: 'https://a.example'}")

    assert isinstance(error, NotConfigured)
    assert "webseam[signing]" in error.message


def test_commands_tell_a_wrong_key_before_a_request(tmp_path: Path) -> None:
    environment = write_settings(tmp_path, "{key_file: key.pem, agent: 'https://a.example'}")
    signatures.write_key(tmp_path).chmod(0o644)
    output = str(tmp_path / "site")

    for command in (
        ("extract", "https://example.com/"),
        ("serve", "--port", "0"),
        ("crawl", "https://example.com/", "-o", output),
        ("config", "show"),
    ):
        ran = webseam(*command, **environment)
        assert ran.code != 0, command
        assert "pages.signing.key_file" in ran.out + ran.err, command


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_gateway_serves_a_signed_directory(tmp_path: Path, method: str) -> None:
    signatures.write_key(tmp_path)
    write_settings(tmp_path, f"{{key_file: key.pem, agent: 'https://{signatures.AGENT}'}}")
    site = GatewaySite(tmp_path, hosts=[signatures.AGENT])

    reply = site.ask(method, DIRECTORY_PATH, host=signatures.AGENT)
    body = site.get(DIRECTORY_PATH, host=signatures.AGENT).body

    assert (reply.status, reply.headers["content-type"]) == (200, DIRECTORY_TYPE)
    signatures.verify(f"https://{signatures.AGENT}{DIRECTORY_PATH}", reply.headers, body, body)
    with pytest.raises(signatures.InvalidSignature):
        signatures.verify(f"https://other.example{DIRECTORY_PATH}", reply.headers, body, body)
    changed = body.replace(b"sig", b"enc")
    with pytest.raises(signatures.InvalidSignature):
        signatures.verify(
            f"https://{signatures.AGENT}{DIRECTORY_PATH}", reply.headers, body, changed
        )


def test_a_reload_changes_the_key_or_keeps_the_old_one(tmp_path: Path) -> None:
    path = signatures.write_key(tmp_path)
    write_settings(tmp_path, "{key_file: key.pem, agent: 'https://a.example'}")
    site = GatewaySite(tmp_path)

    def reload() -> set[str]:
        async def work() -> None:
            await site.gateway.reload()

        asyncio.run(work())
        return set(signatures.directory_keys(site.get(DIRECTORY_PATH).body))

    first = reload()
    signatures.write_key(tmp_path)
    second = reload()
    path.chmod(0o644)
    third = reload()

    assert first != second == third


def test_the_gateway_has_no_directory_without_a_key(tmp_path: Path) -> None:
    assert GatewaySite(tmp_path).get(DIRECTORY_PATH).status == 404

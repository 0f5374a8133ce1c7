"""Every door of a run tells servers the same: name, version, contact, and a signature if set."""

from collections.abc import Callable
from pathlib import Path

import pytest
from returns.result import Result, Success

import webseam.bulk
from tests.doors.cli.run import webseam as run_command
from tests.features.bulk.farm import Answer, Site, local_policy, sites
from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import html, run
from webseam import WebseamError
from webseam.adapters.user_agent import USER_AGENT
from webseam.composition.features.bulk.bulk_run import RunEnd
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.ports.errors import InvalidQuery, InvalidSetting, WebError

CONTACT = "https://a.example/bot"


def write_settings(home: Path, port: int, pages: str) -> dict[str, str]:
    config = home / "config.yaml"
    config.write_text(f"pages: {pages}\npolicy: {{allow_private: ['127.0.0.1/32:{port}']}}\n")
    config.chmod(0o600)
    return {"WEBSEAM_CONFIG": str(config)}


def extract_by_command(url: str, folder: str, environment: dict[str, str]) -> None:
    assert run_command("bulk", "extract", url, "-o", folder, **environment).code == 0


def crawl_by_command(url: str, folder: str, environment: dict[str, str]) -> None:
    assert run_command("crawl", url, "-o", folder, "--pages", "1", **environment).code == 0


def map_by_command(url: str, _folder: str, environment: dict[str, str]) -> None:
    assert run_command("map", url, "--pages", "1", **environment).code == 0


DOORS: dict[str, Callable[[str, str, dict[str, str]], object]] = {
    "extract": extract_by_command,
    "crawl": crawl_by_command,
    "map": map_by_command,
    "bulk.extract": lambda url, folder, _: webseam.bulk.extract(url, folder, workers=1),
    "bulk.crawl": lambda url, folder, _: webseam.bulk.crawl(url, folder, pages=1, workers=1),
}


@pytest.mark.parametrize("door", DOORS)
def test_servers_see_the_contact(
    tmp_path: Path, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site({"/": Answer(body=html("First"))})
    with sites(site):
        environment = write_settings(tmp_path, site.port, f"{{contact: '{CONTACT}'}}")
        monkeypatch.setenv("WEBSEAM_CONFIG", environment["WEBSEAM_CONFIG"])
        DOORS[door](f"{site.root}/", str(tmp_path / "out"), environment)

    assert {"/", "/robots.txt"} <= set(site.paths)
    assert {asked.headers["User-Agent"] for asked in site.asked} == {f"{USER_AGENT} (+{CONTACT})"}
    assert not any(name.lower().startswith("signature") for it in site.asked for name in it.headers)


@pytest.mark.parametrize("door", DOORS)
def test_every_request_is_signed(
    tmp_path: Path, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.fetch import signatures  # noqa: PLC0415  it skips without the extra

    signer, site = signatures.make_signer(tmp_path), Site({"/": Answer(body=html("First"))})
    directory, _ = signer.sign_key_directory(0)
    with sites(site):
        block = f"{{signing: {{key_file: key.pem, agent: 'https://{signatures.AGENT}'}}}}"
        environment = write_settings(tmp_path, site.port, block)
        monkeypatch.setenv("WEBSEAM_CONFIG", environment["WEBSEAM_CONFIG"])
        DOORS[door](f"{site.root}/", str(tmp_path / "out"), environment)

    assert {"/", "/robots.txt"} <= set(site.paths)
    nonces = [
        signatures.verify(site.root + asked.path, asked.headers, directory)["nonce"]
        for asked in site.asked
    ]
    assert len(set(nonces)) == len(nonces)
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(b"PRIVATE KEY" in path.read_bytes() for path in files)


def test_a_wrong_key_ends_a_run_before_its_first_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cryptography")
    site = Site({"/": Answer(body=html("First"))})
    with sites(site):
        block = "{signing: {key_file: none.pem, agent: 'https://a.example'}}"
        environment = write_settings(tmp_path, site.port, block)
        monkeypatch.setenv("WEBSEAM_CONFIG", environment["WEBSEAM_CONFIG"])
        for door in ("bulk.extract", "bulk.crawl"):
            with pytest.raises(WebseamError) as caught:
                DOORS[door](f"{site.root}/", str(tmp_path / door), environment)
            assert isinstance(caught.value.error, InvalidSetting)

    assert site.asked == []


def test_a_cluster_gets_the_contact_and_refuses_to_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site({"/": Answer(body=html("First"))})

    def run_on_cluster(pages: str, name: str) -> Result[RunEnd, WebError]:
        environment = write_settings(tmp_path, site.port, pages)
        monkeypatch.setenv("WEBSEAM_CONFIG", environment["WEBSEAM_CONFIG"])
        watch = RunWatch(nodes=FakeNodes())
        return run(
            tmp_path / name, f"{site.root}/", policy=local_policy(site), engine="ray", watch=watch
        )

    with sites(site):
        assert isinstance(run_on_cluster(f"{{contact: '{CONTACT}'}}", "a"), Success)
        seen = {asked.headers["User-Agent"] for asked in site.asked}
        pytest.importorskip("tests.fetch.signatures").make_signer(tmp_path)
        signed = run_on_cluster("{signing: {key_file: key.pem, agent: 'https://a.example'}}", "b")

    assert seen == {f"{USER_AGENT} (+{CONTACT})"}
    assert isinstance(error := signed.failure(), InvalidQuery)
    assert error.field == "--engine"

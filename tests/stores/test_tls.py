"""Addresses with TLS: what is encrypted is also known to be the right server."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from returns.result import Failure

from webseam.ports import StoreAway
from webseam.ports.secrets import Secret
from webseam.ports.stores import CachedAnswer

from .servers import PostgresServer, ValkeyServer

ANSWER = CachedAnswer(
    key=b"k", backend="b", operation="search", payload=b"rows", stored_at=0.0, expires_at=60.0
)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    certificate, key = tmp_path / "server.crt", tmp_path / "server.key"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *names, *files],
        check=True,
        capture_output=True,
    )
    return certificate, key


@pytest.mark.usefixtures("valkey")
def test_valkey_over_tls_is_asked_only_if_it_is_known(certificate: tuple[Path, Path]) -> None:
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers  # noqa: PLC0415  an extra

    server = ValkeyServer(certificate)
    server.start()

    async def use() -> tuple[object, object]:
        known = ValkeyAnswers(Secret(f"{server.url}?ssl_ca_certs={certificate[0]}"), 4_000_000)
        stranger = ValkeyAnswers(Secret(server.url), 4_000_000)
        (await known.keep(ANSWER)).unwrap()
        looked = (await known.look_up(b"k")).unwrap(), await stranger.look_up(b"k")
        await known.aclose()
        await stranger.aclose()
        return looked

    payload, refused = asyncio.run(use())
    server.remove()

    assert payload == b"rows"
    assert isinstance(refused, Failure)


@pytest.mark.usefixtures("postgres")
def test_postgres_over_tls_is_asked_only_if_it_is_known(certificate: tuple[Path, Path]) -> None:
    from webseam.adapters.stores.postgres.keys import PostgresKeys  # noqa: PLC0415  an extra

    server = PostgresServer(certificate)
    server.start()
    known = PostgresKeys(Secret(f"{server.url}?sslmode=verify-full&sslrootcert={certificate[0]}"))
    stranger = PostgresKeys(Secret(f"{server.url}?sslmode=verify-full&sslrootcert={os.devnull}"))

    records, refused = known.records(), stranger.records()
    known.close()
    stranger.close()
    server.remove()

    assert records.unwrap() == []
    assert isinstance(refused.failure(), StoreAway)

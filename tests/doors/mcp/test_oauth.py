"""Tokens of an OAuth server: for us, by our issuer, in time, wide enough, signed with its key."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure, Result, Success

from tests.doors.mcp.http_desk import JSON_HEADERS, HttpDesk
from webseam.composition.features.gateway.mcp.opening import KeySet
from webseam.ports.errors import InvalidSetting, WebError
from webseam.testing import FakeClock

jwt = pytest.importorskip("jwt", reason="PyJWT is in the extra mcp, and `make mcp` has it")
ec = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ec")

RESOURCE = "https://mcp.example/mcp"
ISSUER = "https://id.example"
PAIR, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())


def jwks(name: str = "k1") -> bytes:
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(PAIR.public_key()))
    return json.dumps({"keys": [{**public, "kid": name, "alg": "ES256", "use": "sig"}]}).encode()


def token(key: object = PAIR, algorithm: str = "ES256", kid: str = "k1", **claims: object) -> str:
    usual: dict[str, Any] = {
        "iss": ISSUER,
        "aud": RESOURCE,
        "sub": "ada",
        "exp": time.time() + 300,
        "scope": "web other",
    }
    fields = {name: value for name, value in {**usual, **claims}.items() if value is not None}
    made: str = jwt.encode(fields, key, algorithm, headers={"kid": kid})
    return made


@pytest.fixture
def desk(tmp_path: Path) -> HttpDesk:
    (tmp_path / "jwks.json").write_bytes(jwks())
    config = (
        f"mcp: {{issuer: '{ISSUER}', resource: '{RESOURCE}', scopes: [web],"
        f" jwks: '{tmp_path / 'jwks.json'}'}}"
    )
    return HttpDesk(tmp_path, config=config)


def status(desk: HttpDesk, **headers: str) -> tuple[int, str]:
    async def ask() -> tuple[int, str]:
        answered = await desk.modern("tools/list", host="mcp.example", **headers).ended()
        await desk.aclose()
        return answered.status, answered.headers.get("www-authenticate", "")

    return asyncio.run(ask())


def test_a_client_is_told_where_to_get_a_token(desk: HttpDesk) -> None:
    code, challenge = status(desk)

    where = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
    assert code == 401
    assert challenge == f'Bearer scope="web", resource_metadata="{where}"'


@pytest.mark.parametrize("path", ["", "/mcp"])
def test_the_metadata_names_the_resource_and_the_issuer(desk: HttpDesk, path: str) -> None:
    async def ask() -> dict[str, Any]:
        known = f"/.well-known/oauth-protected-resource{path}"
        return (await desk.send("GET", known, **JSON_HEADERS).ended()).json

    assert asyncio.run(ask()) == {
        "resource": RESOURCE,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["web"],
    }


def test_a_good_token_is_let_in(desk: HttpDesk) -> None:
    assert status(desk, authorization=f"Bearer {token()}")[0] == 200
    assert status(desk, authorization=f"Bearer {token(aud=['x', RESOURCE])}")[0] == 200
    assert status(desk, authorization=f"Bearer {token(scope=None, scp=['web'])}")[0] == 200


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        token(aud="https://other.example/mcp"),
        token(aud=None),
        token(iss="https://evil.example"),
        token(exp=time.time() - 300),
        token(exp=None),
        token(sub=None),
        token(key=OTHER),
        token(kid="k2"),
        token(key="x" * 64, algorithm="HS256"),
        token(key=None, algorithm="none"),
    ],
)
def test_any_other_token_is_refused(desk: HttpDesk, bad: str) -> None:
    code, challenge = status(desk, authorization=f"Bearer {bad}")

    assert code == 401
    assert 'error="invalid_token"' in challenge


def test_too_little_scope_is_told_apart(desk: HttpDesk) -> None:
    code, challenge = status(desk, authorization=f"Bearer {token(scope='other')}")

    assert code == 403
    assert 'error="insufficient_scope", scope="web"' in challenge


def test_keys_are_fetched_again_when_one_is_missing_but_not_at_once() -> None:
    clock, fetched = FakeClock(), []

    async def fetch() -> Result[bytes, WebError]:
        fetched.append(clock.now)
        return Success(jwks("k1" if len(fetched) == 1 else "k2"))

    async def work() -> None:
        keys = KeySet(fetch, clock)
        assert (await keys.find("k1")).unwrap() is not None
        assert (await keys.find("k2")).unwrap() is None
        clock.advance(31)
        assert (await keys.find("k2")).unwrap() is not None
        assert (await keys.find("k1")).unwrap() is None

    asyncio.run(work())
    assert fetched == [0.0, 31.0]


def test_keys_that_cannot_be_fetched_do_not_close_the_door_on_known_ones() -> None:
    clock, answers = FakeClock(), [Success(jwks())]
    broken: Result[bytes, WebError] = Failure(InvalidSetting(setting="", place="", reason=""))

    async def fetch() -> Result[bytes, WebError]:
        return answers.pop() if answers else broken

    async def work() -> None:
        keys = KeySet(fetch, clock)
        assert (await keys.find(None)).unwrap() is not None
        clock.advance(3_600)
        assert (await keys.find("k1")).unwrap() is not None
        assert isinstance(await keys.find("k9"), Failure)

    asyncio.run(work())


def test_keys_are_fetched_from_an_address_of_this_machine(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = jwks()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def work() -> int:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        config = (
            f"mcp: {{issuer: '{ISSUER}', resource: '{RESOURCE}',"
            f" jwks: 'http://127.0.0.1:{port}/jwks'}}"
        )
        desk = HttpDesk(tmp_path, config=config)
        bearer = {"authorization": f"Bearer {token()}", "host": "mcp.example"}
        answered = await desk.modern("tools/list", **bearer).ended()
        await desk.aclose()
        server.close()
        return answered.status

    assert asyncio.run(work()) == 200


def test_keys_come_over_https_from_elsewhere(tmp_path: Path) -> None:
    config = f"mcp: {{issuer: '{ISSUER}', resource: '{RESOURCE}', jwks: 'http://id.example/k'}}"

    refused = HttpDesk(tmp_path, config=config).made

    assert isinstance(refused, Failure)
    assert "https" in refused.failure().message

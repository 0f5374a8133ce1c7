"""Redaction is a fixed point on prose: ordinary text, code and names of packages stay as they are.

What was recorded replays as it was, and JSON stays JSON.
"""

import asyncio
import json
import tempfile
from pathlib import Path

import httpx
import msgspec
import pytest
from hypothesis import given, strategies as st

from webseam.composition.features.testing.transports import (
    RecordingTransport,
    ReplayTransport,
    ScriptedTransport,
)
from webseam.kernel import redact
from webseam.kernel.text.personal_data import redact_personal_data
from webseam.kernel.text.redaction import KeyEchoes, looks_like_key

CORPUS = (
    "what is basic authentication", "Basic JavaScript and TypeScript generics", "basic understanding",
    "Use bearer authentication, not basic credentials.", "The bearer instruments of 1984",
    "token expiration and token read/write access", "the token endpoint/authorize of OAuth2",
    "Bearer 2048-bit keys", "a bearer access_token is opaque", "token JavaScript", "token ERC-20",
    "lodash@4.17.21", "react@18.2.0 and @types/node@20.1.0-beta.rc", "npm-run-all-in-parallel-cli",
    "pk-django-extensions-for-admin", "exa-bootstrap-3.2.1-theme-dark", "sk-learn-contrib-wrappers",
    "hf-transfer-accelerated-download", "git clone git@github.com:acme/tides.git",
    "sorted(rows, key=len)", "key=lambda row: row.url", "dict(token=1, password=None)",
    "token = read_token(request)", "api_key = settings.api_key", "key = primary_key_of_table",
    "keywords=tide-tables,harbours", "feature_keywords = '^(given|when|then)'",
    "max_tokens = 4096", "https://medium.com/@user/post", "ISBN 978-0-306-40615-7",
    "1741000000000 ms, version 4.17.21", "x = a[0] if a else None  # basic/advanced",
    "password requirements: eight characters", "The secret of the tides", "author: J. Smith",
    "basic arithmetic operations: 2 + 2 = 4", "Vec<u8> & List<String>", "SELECT key, token FROM t;",
)  # fmt: skip
WORD_KEYS = ("password", "authentication", "Tides", "SECRET", "international")


@pytest.mark.parametrize("text", CORPUS)
def test_prose_code_and_packages_stay(text: str) -> None:
    assert redact(text) == text
    assert redact_personal_data(text) == text
    assert not looks_like_key(text)


@given(st.permutations(CORPUS), st.sampled_from([" ", "\n", ". ", "\n\n"]))
def test_prose_stays_in_any_order(texts: list[str], separator: str) -> None:
    text = separator.join(texts)

    assert redact(text) == text
    assert redact_personal_data(text) == text


@given(st.sampled_from(CORPUS), st.sets(st.sampled_from(WORD_KEYS)))
def test_a_key_that_is_a_word_masks_no_page(text: str, keys: set[str]) -> None:
    page = {"content": f"{text} {' '.join(WORD_KEYS)}"}

    assert KeyEchoes(keys).redact(page) is page


VALUES = st.recursive(
    st.sampled_from((*CORPUS, "https://a.example/?key=12&token=x", 'a "quoted" \\ text'))
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.none()
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(payload=VALUES, text=st.none() | st.sampled_from(CORPUS))
def test_recorded_bodies_replay_unchanged(payload: object, text: str | None) -> None:
    body = json.dumps({"rows": payload}) if text is None else text

    assert replay(body, ("Key0123456789abcd", "password")) == body


@given(payload=VALUES, key=st.sampled_from(['Ke"y\\0123456789', "sk-0123456789abcdef"]))
def test_a_recorded_key_is_masked_and_json_stays_json(payload: object, key: str) -> None:
    sent = {"rows": payload, "echo": f"bad key {key}", key: 1}

    kept = json.loads(replay(json.dumps(sent), (key,)))

    assert kept == {
        "rows": msgspec.json.decode(json.dumps(payload)),
        "echo": "bad key ***",
        "***": 1,
    }


def replay(body: str, secrets: tuple[str, ...]) -> str:
    async def main(tape: Path) -> str:
        scripted = ScriptedTransport([httpx.Response(200, text=body)])
        request = httpx.Request("GET", "https://api.example/?key=12")
        recording = RecordingTransport(scripted, tape, secrets)
        await (await recording.handle_async_request(request)).aread()
        response = await ReplayTransport(tape, secrets).handle_async_request(request)
        return (await response.aread()).decode()

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(main(Path(folder) / "tape.jsonl"))

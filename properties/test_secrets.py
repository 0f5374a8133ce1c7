"""Whatever is found as a secret is masked."""

from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from webseam.kernel import redact, redact_url
from webseam.kernel.policy import carries_credentials
from webseam.kernel.text.redaction import CREDENTIAL_NAMES, has_secret_text

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BODY = st.text(LETTERS, min_size=70, max_size=200)
PROSE = st.text(LETTERS + " \n.,:=#'\"-", max_size=60)
SHAPES = (
    "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\\n{}",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{}",
    "aws_secret_access_key = {}",
    "ghp_{}",
    "GHS_{}",
    "github_pat_{}",
    "xoxb-{}",
    "sk_live_{}",
    "AGE-SECRET-KEY-1{}",
)


@pytest.mark.parametrize("shape", SHAPES)
@given(before=PROSE, body=BODY, after=PROSE)
def test_a_key_that_is_found_anywhere_is_masked(
    shape: str, before: str, body: str, after: str
) -> None:
    text = f"{before} {shape.format(body)} {after}"

    assert has_secret_text(text)
    assert body[:60] not in redact(text)
    assert not has_secret_text(redact(text))


@given(st.lists(st.tuples(st.sampled_from(["API_KEY", "export token", "NAME"]), BODY)))
def test_assigned_secrets_are_masked(assigned: list[tuple[str, str]]) -> None:
    values = {name: "plain" if name == "NAME" else value for name, value in assigned}
    text = "# mine\n\n" + "\n".join(f"{name} = '{value}'" for name, value in values.items())
    secrets = [value for value in values.values() if value != "plain"]
    redacted = redact(text)

    assert has_secret_text(text) == bool(secrets)
    assert not any(secret in redacted for secret in secrets)


@given(st.text(LETTERS + " \n=#_-*'\"${"), st.lists(st.text(LETTERS, min_size=4), max_size=2))
def test_no_text_has_a_secret_after_masking(text: str, secrets: list[str]) -> None:
    assert not has_secret_text(redact(text, secrets))


@given(
    st.sampled_from(sorted(CREDENTIAL_NAMES)),
    st.lists(st.sampled_from(["-", "_", "", "[", "%2D"]), min_size=1, max_size=4),
    st.text(LETTERS + "?", min_size=8).map(lambda value: f"S3cr{value}"),
    st.sampled_from(
        ["https://a.example/?{}", "https://a.example/p;{}", "https://a.example/#q=1&{}"]
    ),
    st.integers(0, 3),
)
def test_a_url_that_others_must_not_see_is_masked(
    name: str, marks: list[str], value: str, url: str, rounds: int
) -> None:
    inner = url.format(f"{name[:2].upper()}{marks[0]}{name[2:]}={value}".replace("[", ""))
    # An escaped mark in the name is one round by itself.
    for _ in range(rounds - (marks[0] == "%2D")):
        inner = quote(inner, safe="")
    text = f"https://b.example/?to={inner}"

    assert carries_credentials(text)
    assert value.partition("?")[0] not in redact_url(text)
    assert redact_url(f"?{name}={value}?{value}&q=1") == f"?{name}=***&q=1"


@given(st.text(LETTERS + "%:", min_size=1), st.integers(0, 3))
def test_userinfo_is_masked_in_any_escape(user: str, rounds: int) -> None:
    inner = f"https://S3cr3t{user}@a.example/"
    for _ in range(rounds):
        inner = quote(inner, safe="")

    assert "S3cr3t" not in redact_url(f"https://b.example/?to={inner}")

"""Whatever is found as a secret is masked."""

import pytest
from hypothesis import given, strategies as st

from webseam.kernel import redact
from webseam.kernel.text.redaction import has_secret_text

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

"""No secret in anything that is kept or shown."""

import base64

import pytest

from webseam.kernel import redact, redact_url

KEY = "s3cr+t/Key=é!"


@pytest.mark.parametrize(
    "spelling",
    [
        KEY,
        KEY[::-1],
        "s3cr%2Bt%2FKey%3D%C3%A9%21",
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(KEY.encode()).decode().rstrip("="),
    ],
)
def test_a_known_secret_is_masked_in_every_spelling(spelling: str) -> None:
    masked = redact(f"bad key <{spelling}> given", [KEY])

    assert masked.rstrip("=>given ").startswith("bad key <***")
    assert spelling not in masked
    assert masked.endswith("> given")


def test_the_form_encoded_spelling_with_plus_is_masked() -> None:
    assert redact("k=my+secret", ["my secret"]) == "k=***"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("nothing to hide", "nothing to hide"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer ***"),
        ("basic dXNlcjpwYXNz", "basic ***"),
        ("Bearer short", "Bearer short"),
        ("Token 9f8a7b6c5d", "Token ***"),
        ("token abcdEFGHijkl", "token ***"),
        ("the token expiration-policy.", "the token expiration-policy."),
        ("Invalid token Authorization", "Invalid token Authorization"),
        ("sk-0123456789abcdef", "***"),
        ("sk-0123456789abcde", "sk-0123456789abcde"),
        ("use tvly-dev-0123456789abcdef now", "use *** now"),
        ("ask-0123456789abcdef", "ask-0123456789abcdef"),
        ("https://u:p@a.example/?q=1", "https://***@a.example/?q=1"),
    ],
)
def test_what_looks_like_a_key_is_masked_and_words_are_not(text: str, masked: str) -> None:
    assert redact(text) == masked


@pytest.mark.parametrize("secret", ["", "abc", "****"])
def test_a_secret_too_short_to_tell_from_words_is_not_searched_for(secret: str) -> None:
    assert redact("abc ****", [secret]) == "abc ****"


def test_a_secret_of_four_characters_is_masked() -> None:
    assert redact("x abcd y", ["abcd"]) == "x *** y"


def test_a_secret_that_holds_another_is_masked_whole() -> None:
    assert redact("longer-secret", ["secret", "longer-secret"]) == "***"


def test_masking_goes_on_until_nothing_is_left_to_mask() -> None:
    assert redact("ab1234cd", ["1234", "ab***cd"]) == "***"


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://a.example/?q=key", "https://a.example/?q=key"),
        ("https://a.example/?api_key=1&q=2", "https://a.example/?api_key=***&q=2"),
        ("https://a.example/?apikey=1", "https://a.example/?apikey=***"),
        (
            "https://a.example/?q=2&X-Amz-Signature=1#t",
            "https://a.example/?q=2&X-Amz-Signature=***#t",
        ),
        ("https://a.example/#access_token=1", "https://a.example/#access_token=***"),
        ("https://a.example/?monkey=1", "https://a.example/?monkey=1"),
        ("https://a.example/?token=", "https://a.example/?token="),
        ("token=1", "token=***"),
        ("http://u@a.example/@b", "http://***@a.example/@b"),
        ("https://a.example/u:p@b", "https://a.example/u:p@b"),
    ],
)
def test_credentials_in_a_url_are_masked_and_the_rest_stays(url: str, masked: str) -> None:
    assert redact_url(url) == masked

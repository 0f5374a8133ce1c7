"""No secret in anything that is kept or shown."""

import base64
from urllib.parse import quote

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


LONG = "sk-4fK+9aQ/x7Lm2pZc8RtY"


def basic(user: str) -> str:
    return base64.b64encode(f"{user}:{LONG}".encode()).decode()


@pytest.mark.parametrize(
    "piece",
    [
        LONG[:16],
        LONG[-8:],
        LONG[4:12],
        LONG[:12].lower(),
        quote(LONG[:14], safe=""),
        quote(LONG[:14], safe="").replace("%2B", "%2b").replace("%2F", "%2f"),
        "".join(f"%{byte:02x}" for byte in LONG[3:12].encode()),
        LONG[:9].encode().hex(),
        LONG[-9:].encode().hex().upper(),
        base64.b64encode(LONG[5:17].encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(LONG.encode()).decode(),
    ],
)
def test_a_piece_of_a_secret_is_masked_in_every_spelling(piece: str) -> None:
    masked = redact(f"bad key <{piece}...> given", [LONG])

    assert masked.startswith("bad key <***")
    assert masked.endswith("...> given")
    # What another bit of the key would change may be left of base64.
    assert len(masked) <= len("bad key <***...> given") + 3


@pytest.mark.parametrize("user", ["", "a", "me", "api", "user"])
def test_a_secret_behind_a_name_in_base64_is_masked(user: str) -> None:
    masked = redact(f"got {basic(user)}.", [LONG])

    assert "***" in masked
    assert not any(basic(user)[at : at + 12] in masked for at in range(4, 20))


def test_the_end_and_the_beginning_of_a_secret_are_masked_both() -> None:
    assert redact(f"{LONG[:8]}...{LONG[-8:]}", [LONG]) == "***...***"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Wrong password.", "my-password-is-long"),
        ("the Password was", "A-Password-of-mine"),
        ("use 4fK+9aQ", LONG),
        ("at 73656172", "sear"),
        ("at 73656172", "search-for-73"),
    ],
)
def test_a_word_in_a_secret_and_a_few_of_its_characters_stay(text: str, secret: str) -> None:
    assert redact(text, [secret]) == text


def test_pieces_are_found_wherever_they_stand_in_a_long_text() -> None:
    for at in range(1, 40):
        text = f"{'x' * at}{LONG[:8]}{'y' * at}{LONG[5:13]}"

        assert redact(text, [LONG]) == f"{'x' * at}***{'y' * at}***"


def test_the_form_encoded_spelling_with_plus_is_masked() -> None:
    assert redact("k=my+secret", ["my secret"]) == "k=***"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("nothing to hide", "nothing to hide"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer ***"),
        ("basic dXNlcjpwYXNz", "basic ***"),
        ("Bearer short", "Bearer short"),
        ("Bearer abcdefghijklmnop12", "Bearer ***"),
        ("basic authentication", "basic authentication"),
        ("token JavaScript", "token JavaScript"),
        ("sk-abcdefghijklmnopqrstuvwx", "***"),
        ("npm-run-all-in-parallel-cli", "npm-run-all-in-parallel-cli"),
        ("sk-Ab1-Cd2-Ef3-Gh4-Ij5-Kl6-Mn7-Op8-Qr9-St0", "***"),
        ("ghp_abcdefghijklmnopqrst", "***"),
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
def test_keys_are_masked_and_words_are_not(text: str, masked: str) -> None:
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

"""Which URLs open something by themselves, and so are nobody else's business."""

from urllib.parse import quote

import pytest

from webseam.kernel.policy import carries_credentials


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/?token=x",
        "https://a.example/?TOKEN=x",
        "https://a.example/?q=1&access_token=x",
        "https://a.example/?accessToken=x",
        "https://a.example/?api_key=x",
        "https://a.example/?api-key=x",
        "https://a.example/?apikey=x",
        "https://a.example/?x-api-key=x",
        "https://a.example/?auth_token=x",
        "https://a.example/?authorization=Bearer+x",
        "https://a.example/?AWSAccessKeyId=x&Expires=1&Signature=y",
        "https://a.example/?client_secret=x",
        "https://a.example/?credential=x",
        "https://a.example/?credentials=x",
        "https://a.example/?jwt=x",
        "https://a.example/?password=x",
        "https://a.example/?passwd=x",
        "https://a.example/?pwd=x",
        "https://a.example/?secret=x",
        "https://a.example/?session_id=x",
        "https://a.example/?sessionid=x",
        "https://a.example/?signature=x",
        "https://a.example/?X-Amz-Signature=x",
        "https://a.example/?x_amz_signature=x",
        "https://a.example/?X-Amz-Security-Token=x",
        "https://a.example/?X-Amz-Credential=x",
        "https://a.example/?X-Goog-Signature=x",
        "https://a.example/?GoogleAccessId=x",
        "https://a.example/?OSSAccessKeyId=x",
        "https://a.example/?x-oss-signature=x",
        "https://a.example/?q-signature=x",
        "https://a.example/?sv=2020&sr=b&sig=x",
        "https://a.example/?se=2030&sig=x",
        "https://a.example/?Policy=x&Key-Pair-Id=y",
        "https://a.example/?oauth_token=x",
        "https://a.example/?refresh_token=x",
        "https://a.example/?id_token=x",
        "https://a.example/?private_token=x",
        "https://a.example/?user[password]=x",
        "https://a.example/?%74oken=x",
        "https://a.example/?a=1;token=x",
        "https://a.example/#access_token=x",
        "https://a.example/page;jsessionid=abc",
        "https://a.example/?url=https%3A%2F%2Fb.example%2F%3FX-Amz-Signature%3Dx",
        "https://a.example/?url=https%253A%252F%252Fb.example%252F%253Ftoken%253Dx",
        "https://a.example/?url=https%3A%2F%2Fu%3Ap%40b.example%2F",
        "https://u:p@a.example/",
        "https://a.example/?q=ghp_abcdefghijklmnopqrstuvwxyz0123",
        "https://a.example/sk-abcdefghijklmnopqrstuvwxyz",
        "https://a.example/?key=AIzaSyA1234567890abcdefghij",
    ],
)
def test_a_url_with_a_credential_in_it_is_known(url: str) -> None:
    assert carries_credentials(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/",
        "https://a.example/token",
        "https://a.example/token/x=1",
        "https://a.example/?q=token",
        "https://a.example/?q=password+reset",
        "https://a.example/?token=",
        "https://a.example/?token",
        "https://a.example/?tokens=3",
        "https://a.example/?key=home",
        "https://a.example/?code=200",
        "https://a.example/?auth=basic",
        "https://a.example/?session=morning",
        "https://a.example/?sig=1",
        "https://a.example/?state=open",
        "https://a.example/@user/secrets-of-the-sea",
        "https://a.example/?design=x&author=y",
        "https://a.example/?page=2&sort=asc#section",
        "https://a.example/%zz?%",
    ],
)
def test_an_ordinary_url_carries_none(url: str) -> None:
    assert not carries_credentials(url)


@pytest.mark.parametrize(("rounds", "seen"), [(0, True), (1, True), (3, True), (4, False)])
def test_a_key_is_seen_through_three_rounds_of_escapes(rounds: int, seen: bool) -> None:  # noqa: FBT001
    inner = "https://b.example/?token=abc"
    for _ in range(rounds):
        inner = quote(inner, safe="")

    assert carries_credentials(f"https://a.example/{inner}") is seen

"""Signatures: the published ones, and those that botocore gave for Bedrock's own paths."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from webseam.adapters.features.models.aws import (
    AwsKeys,
    SigningScope,
    UnsignedRequest,
    aws_host_header,
    aws_signing_key,
    sign_aws_request,
)
from webseam.ports.secrets import Secret

SECRET = Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
FORM = "application/x-www-form-urlencoded"
UNRESERVED = "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Recorded(msgspec.Struct, frozen=True):
    """What botocore 1.44.0 was given, and the header it made."""

    url: str
    region: str
    content_type: str
    body: str
    token: str
    moment: str
    authorization: str


RECORDED = msgspec.json.decode(
    Path(__file__).with_name("signatures.json").read_bytes(), type=list[Recorded]
)


def at(moment: str) -> float:
    return datetime.strptime(moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()


def authorization(request: UnsignedRequest, keys: AwsKeys, scope: SigningScope, moment: str) -> str:
    return dict(sign_aws_request(request, keys, scope, at(moment)))["authorization"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "signature"),
    [
        ("GET", "/", [], b"", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("GET", "", [], b"", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "GET",
            "/?Param2=value2&Param1=value1",
            [],
            b"",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        (
            "GET",
            "/?ሴ=bar",
            [],
            b"",
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
        ),
        ("GET", "/ሴ", [], b"", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        (
            "GET",
            UNRESERVED,
            [],
            b"",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
        ),
        (
            "GET",
            "/",
            [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            b"",
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
        ),
        (
            "GET",
            "/",
            [("My-Header1", " value1"), ("My-Header2", ' "a   b   c"')],
            b"",
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        ),
        ("POST", "/", [], b"", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "POST",
            "/?Param1=value1",
            [],
            b"",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
        ),
        (
            "POST",
            "/",
            [("My-Header1", "value1")],
            b"",
            "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
        ),
        (
            "POST",
            "/",
            [("Content-Type", FORM)],
            b"Param1=value1",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        ),
    ],
)
def test_a_signature_is_that_of_the_published_suite(
    method: str, path: str, headers: list[tuple[str, str]], body: bytes, signature: str
) -> None:
    url = f"https://example.amazonaws.com{path}"
    request = UnsignedRequest(method=method, url=url, headers=tuple(headers), body=body)
    keys = AwsKeys(access_key="AKIDEXAMPLE", secret_key=SECRET)
    scope = SigningScope(region="us-east-1", service="service")

    sent = authorization(request, keys, scope, "20150830T123600Z")

    names = ";".join(sorted({"host", "x-amz-date", *(name.lower() for name, _ in headers)}))
    place = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
    assert (
        sent == f"AWS4-HMAC-SHA256 Credential={place}, SignedHeaders={names}, Signature={signature}"
    )


def test_the_documentations_own_walk_through_comes_out() -> None:
    url = "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"
    headers = (("Content-Type", f"{FORM}; charset=utf-8"),)
    keys = AwsKeys(access_key="AKIDEXAMPLE", secret_key=SECRET)
    scope = SigningScope(region="us-east-1", service="iam")

    sent = authorization(
        UnsignedRequest(method="GET", url=url, headers=headers), keys, scope, "20150830T123600Z"
    )

    assert sent.endswith("5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
    assert (
        aws_signing_key(SECRET, "20150830/us-east-1/iam/aws4_request").hex()
        == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
    )


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case.url[8:90])
def test_a_signature_is_the_one_botocore_gave(case: Recorded) -> None:
    request = UnsignedRequest(
        method="POST",
        url=case.url,
        headers=(("Content-Type", case.content_type),),
        body=case.body.encode(),
    )
    keys = AwsKeys(
        access_key="AKIDEXAMPLEEXAMPLE12", secret_key=SECRET, session_token=Secret(case.token)
    )

    sent = authorization(request, keys, SigningScope(region=case.region), case.moment)

    assert sent == case.authorization


def test_temporary_keys_send_their_token_and_permanent_ones_do_not() -> None:
    request = UnsignedRequest(method="POST", url="https://a.example/")
    scope = SigningScope(region="us-east-1")
    lasting = AwsKeys(access_key="A", secret_key=SECRET)
    passing = AwsKeys(access_key="A", secret_key=SECRET, session_token=Secret("T"))

    assert [name for name, _ in sign_aws_request(request, lasting, scope, 0)] == [
        "x-amz-date",
        "authorization",
    ]
    assert sign_aws_request(request, passing, scope, 0)[:2] == (
        ("x-amz-date", "19700101T000000Z"),
        ("x-amz-security-token", "T"),
    )


def test_keys_do_not_show_themselves() -> None:
    keys = AwsKeys(access_key="A", secret_key=Secret("hush"), session_token=Secret("quiet"))

    assert "hush" not in repr(keys)
    assert "quiet" not in repr(keys)


def test_a_host_is_named_with_a_port_only_where_it_is_unusual() -> None:
    assert aws_host_header("http://a.example:80/x") == "a.example"
    assert aws_host_header("https://me@a.example:8443") == "a.example:8443"
    assert aws_host_header("ws://a.example:9") == "a.example:9"

"""Our signer beside botocore's, where that happens to be installed; it is too large to require."""

import random
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from webseam.adapters.features.models.aws import (
    AwsKeys,
    SigningScope,
    UnsignedRequest,
    sign_aws_request,
)
from webseam.ports.secrets import Secret

auth = pytest.importorskip("botocore.auth", reason="botocore is not installed")
awsrequest = pytest.importorskip("botocore.awsrequest")
credentials = pytest.importorskip("botocore.credentials")

MOMENT = datetime(2026, 11, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize("seed", range(200))
def test_both_sign_alike(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  not for secrets
    model = "".join(dice.choices("abz019.:/-_~ @é()世%+", k=dice.randint(1, 40)))
    url = f"https://bedrock-runtime.eu-west-1.amazonaws.com/model/{quote(model, safe='')}/converse"
    body = dice.randbytes(dice.randint(0, 200))
    token = dice.choice(["", "tok/en+=="])
    theirs = auth.SigV4Auth(
        credentials.Credentials("AKID", "SECRET", token or None), "bedrock", "eu-west-1"
    )
    requested = awsrequest.AWSRequest(
        method="POST", url=url, data=body, headers={"Content-Type": "application/json"}
    )
    requested.context["timestamp"] = MOMENT.strftime("%Y%m%dT%H%M%SZ")
    requested.headers["X-Amz-Date"] = requested.context["timestamp"]
    if token:
        requested.headers["X-Amz-Security-Token"] = token
    expected = theirs.signature(
        theirs.string_to_sign(requested, theirs.canonical_request(requested)), requested
    )

    sent = sign_aws_request(
        UnsignedRequest(
            method="POST", url=url, headers=(("content-type", "application/json"),), body=body
        ),
        AwsKeys(access_key="AKID", secret_key=Secret("SECRET"), session_token=Secret(token)),
        SigningScope(region="eu-west-1"),
        MOMENT.timestamp(),
    )

    assert dict(sent)["authorization"].rpartition("=")[2] == expected

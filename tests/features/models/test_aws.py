"""Who calls Bedrock: keys out of the environment, and the proof that goes with a request."""

import pytest

from webseam.adapters.features.models.aws import aws_account, aws_auth, aws_url_region
from webseam.adapters.features.models.declaration.provider import Account, Login, Outgoing, Provider
from webseam.ports.errors import NotConfigured
from webseam.ports.secrets import Secret

BEDROCK = Provider(
    name="bedrock",
    title="Amazon Bedrock",
    api_mode="bedrock_converse",
    login=Login(
        env=("AWS_BEARER_TOKEN_BEDROCK",),
        base_url="https://bedrock-runtime.{region}.amazonaws.com",
        base_url_env="BEDROCK_BASE_URL",
        read=aws_account,
        prove=aws_auth,
    ),
)
PAIR = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "hush"}
HOST = "https://bedrock-runtime.us-east-1.amazonaws.com"


def outgoing(base: str) -> Outgoing:
    headers = (("Content-Type", "application/json"), ("user-agent", "webseam"))
    return Outgoing(url=f"{base}/model/m/converse", headers=headers, content=b"{}")


def account(environment: dict[str, str]) -> Account:
    return BEDROCK.account(environment).unwrap()


def proof(account_read: Account) -> dict[str, str]:
    return dict(aws_auth(outgoing(account_read.base_url), account_read, 0.0))


def test_an_api_key_comes_before_signing_keys() -> None:
    account_read = account(PAIR | {"AWS_BEARER_TOKEN_BEDROCK": " key ", "AWS_REGION": "eu-west-1"})

    assert account_read.base_url == "https://bedrock-runtime.eu-west-1.amazonaws.com"
    assert proof(account_read) == {"authorization": "Bearer key"}


def test_signing_keys_sign_for_the_region_of_the_host() -> None:
    account_read = account(PAIR | {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_SESSION_TOKEN": "tok"})

    headers = proof(account_read)

    assert "Credential=AKID/19700101/eu-west-1/bedrock/aws4_request" in headers["authorization"]
    assert (
        "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,"
        in headers["authorization"]
    )
    assert headers["x-amz-security-token"] == "tok"
    assert set(account_read.secrets()) == {"AKID", "hush", "tok"}


def test_a_base_url_of_ones_own_signs_for_the_region_that_is_set() -> None:
    account_read = account(
        PAIR | {"BEDROCK_BASE_URL": "http://127.0.0.1:9/", "AWS_REGION": "eu-west-3"}
    )

    assert account_read.base_url == "http://127.0.0.1:9"
    assert "/eu-west-3/bedrock/" in proof(account_read)["authorization"]


def test_an_account_that_names_no_region_signs_for_the_usual_one() -> None:
    parts = {"AWS_ACCESS_KEY_ID": Secret("AKID")}

    assert (
        "/us-east-1/bedrock/"
        in proof(Account(base_url="http://127.0.0.1:9", parts=parts))["authorization"]
    )


def test_an_account_without_anything_proves_nothing() -> None:
    assert proof(Account(base_url=HOST)) == {}


def test_china_has_a_domain_of_its_own() -> None:
    account_read = account(PAIR | {"AWS_REGION": "cn-north-1"})

    assert account_read.base_url == "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"
    assert "/cn-north-1/" in proof(account_read)["authorization"]


@pytest.mark.parametrize(
    "environment", [{}, {"AWS_ACCESS_KEY_ID": "AKID"}, PAIR | {"AWS_SECRET_ACCESS_KEY": " "}]
)
def test_without_keys_it_says_what_to_set(environment: dict[str, str]) -> None:
    failure = BEDROCK.account(environment).failure()

    assert failure.message == (
        "Amazon Bedrock has no key. Set AWS_BEARER_TOKEN_BEDROCK"
        ", or both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
    )


def test_a_region_that_is_none_never_gets_into_a_host() -> None:
    failure = BEDROCK.account(PAIR | {"AWS_REGION": "evil.example/"}).failure()

    assert isinstance(failure, NotConfigured)
    assert failure.settings == ("AWS_REGION",)


@pytest.mark.parametrize(
    ("url", "region"),
    [
        (HOST, "us-east-1"),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("https://vpce-1.bedrock-runtime.eu-south-2.vpce.amazonaws.com", "eu-south-2"),
        ("https://bedrock-mantle.us-east-2.api.aws/openai/v1", "us-east-2"),
        ("https://us-east-1.example", None),
        ("not a url", None),
        ("https://[us-east-1.amazonaws.com", None),
    ],
)
def test_a_region_is_read_off_aws_hosts_alone(url: str, region: str | None) -> None:
    assert aws_url_region(url) == region

"""Profiles of AWS's command line: which are read, by whom they may be named, and what they lack."""

from pathlib import Path

import pytest
from returns.result import Failure

from webseam.adapters.features.models.declaration.provider import Account
from webseam.adapters.features.models.providers.bedrock import BEDROCK
from webseam.composition.features.models.clients import provider_account
from webseam.composition.settings.loader import load_settings
from webseam.ports import NotConfigured

SHARED = """
[default]
aws_access_key_id = AKDEFAULT
aws_secret_access_key = hush
[prod]
aws_access_key_id = AKPROD
aws_secret_access_key = quiet
aws_session_token = tok
[half]
aws_access_key_id = AKHALF
"""
CONFIG = """
[default]
region = eu-north-1
[profile prod]
region = eu-west-3
s3 =
  max_concurrent_requests = 20
[profile inside]
aws_access_key_id = AKINSIDE
aws_secret_access_key = still
[profile sso]
sso_session = corp
sso_account_id = 1
"""


def account(tmp_path: Path, dotenv: str = "", **environment: str) -> Account | NotConfigured:
    """Return the account that a user has, whose home has both files of AWS."""
    aws = tmp_path / "home" / ".aws"
    aws.mkdir(parents=True)
    (aws / "credentials").write_text(SHARED)
    (aws / "config").write_text(CONFIG)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / ".env").write_text(dotenv)
    variables = {
        "HOME": str(tmp_path / "home"),
        "WEBSEAM_CONFIG": str(tmp_path / "none"),
        **environment,
    }
    settings = load_settings(variables, folder=folder).unwrap()
    answer_found = provider_account(BEDROCK, settings)
    return answer_found.failure() if isinstance(answer_found, Failure) else answer_found.unwrap()


@pytest.mark.parametrize(
    ("profile", "secrets", "region"),
    [
        ("default", {"AKDEFAULT", "hush"}, "eu-north-1"),
        (" prod ", {"AKPROD", "quiet", "tok"}, "eu-west-3"),
        ("inside", {"AKINSIDE", "still"}, "us-east-1"),
    ],
)
def test_a_profile_that_is_named_gives_keys_and_region(
    tmp_path: Path, profile: str, secrets: set[str], region: str
) -> None:
    account_read = account(tmp_path, AWS_PROFILE=profile)

    assert isinstance(account_read, Account)
    assert set(account_read.secrets()) == secrets
    assert account_read.base_url == f"https://bedrock-runtime.{region}.amazonaws.com"


def test_no_profile_is_read_that_nobody_named(tmp_path: Path) -> None:
    assert isinstance(account(tmp_path), NotConfigured)


def test_the_environment_comes_before_the_profile(tmp_path: Path) -> None:
    account_read = account(
        tmp_path,
        AWS_PROFILE="prod",
        AWS_ACCESS_KEY_ID="AKENV",
        AWS_SECRET_ACCESS_KEY="own",
        AWS_REGION="us-west-2",
    )

    assert isinstance(account_read, Account)
    assert set(account_read.secrets()) == {"AKENV", "own"}
    assert "us-west-2" in account_read.base_url


def test_the_files_may_stand_elsewhere(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("[p]\naws_access_key_id=AKO\naws_secret_access_key=o\n")

    account_read = account(tmp_path, AWS_PROFILE="p", AWS_SHARED_CREDENTIALS_FILE=str(other))

    assert isinstance(account_read, Account)
    assert set(account_read.secrets()) == {"AKO", "o"}


@pytest.mark.parametrize("profile", ["sso", "half", "missing"])
def test_a_profile_without_keys_says_where_some_may_be_had(tmp_path: Path, profile: str) -> None:
    account_read = account(tmp_path, AWS_PROFILE=profile)

    assert isinstance(account_read, NotConfigured)
    assert f"--profile {profile} --format env" in account_read.message
    assert "AWS_ACCESS_KEY_ID" in account_read.settings


def test_a_wrong_region_is_named_and_not_the_profile(tmp_path: Path) -> None:
    account_read = account(tmp_path, AWS_PROFILE="prod", AWS_REGION="no region")

    assert isinstance(account_read, NotConfigured)
    assert account_read.settings == ("AWS_REGION",)


@pytest.mark.parametrize("content", [b"no section", b"\xff\xfe", b"[prod]\n = 1\n"])
def test_a_file_that_cannot_be_read_holds_nothing(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(content)

    account_read = account(
        tmp_path,
        AWS_PROFILE="prod",
        AWS_SHARED_CREDENTIALS_FILE=str(broken),
        AWS_CONFIG_FILE=str(tmp_path / "missing"),
    )

    assert isinstance(account_read, NotConfigured)


def test_a_working_folder_may_neither_name_a_profile_nor_lead_its_keys_away(
    tmp_path: Path,
) -> None:
    evil = "BEDROCK_BASE_URL=https://evil.example\nAWS_PROFILE=prod\n"

    assert isinstance(account(tmp_path, dotenv=evil), NotConfigured)


def test_an_address_from_a_working_folder_never_gets_the_keys_of_a_profile(tmp_path: Path) -> None:
    account_read = account(tmp_path, "BEDROCK_BASE_URL=https://evil.example\n", AWS_PROFILE="prod")

    assert isinstance(account_read, Account)
    assert account_read.base_url == "https://bedrock-runtime.eu-west-3.amazonaws.com"

import pytest

from webseam.kernel.policy.trust import (
    FolderRules,
    Origin,
    Vendors,
    least_trusted_origin,
    may_secret_meet_address,
)

RULES = FolderRules(
    Vendors(
        service_keys={"tavily": {"api_key": ("TAVILY_API_KEY",)}},
        provider_keys={"openai": ("OPENAI_API_KEY",)},
        search_models=("openai_web", "xai_web"),
        awaited=frozenset({"TAVILY_BASE_URL"}),
    )
)
OFFICIAL = Origin(layer="default")
OWN_FILE = Origin(layer="file", name="/home/me/config.yaml", line=3)
OWN_ENV = Origin(layer="environment", name="KEY")
FOLDER = Origin(layer="dotenv", name="/project/.env", line=1, foreign=True)


@pytest.mark.parametrize(
    ("secret", "address", "allowed"),
    [
        (OWN_ENV, OFFICIAL, True),
        (OWN_ENV, OWN_FILE, True),
        (OWN_ENV, FOLDER, False),
        (FOLDER, OFFICIAL, True),
        (FOLDER, OWN_FILE, False),
        (FOLDER, FOLDER, False),
    ],
)
def test_an_address_is_at_least_as_trusted_as_the_secret_that_it_gets(
    secret: Origin, address: Origin, *, allowed: bool
) -> None:
    assert may_secret_meet_address(secret, address) is allowed


def test_a_value_is_as_trusted_as_its_weakest_part() -> None:
    assert least_trusted_origin(OWN_FILE, [OWN_ENV, FOLDER]) == FOLDER
    assert least_trusted_origin(OWN_FILE, [OWN_ENV]) == OWN_FILE
    assert least_trusted_origin(FOLDER, []) == FOLDER


def test_an_origin_is_written_as_its_place() -> None:
    assert [str(origin) for origin in (OWN_FILE, OWN_ENV, OFFICIAL)] == [
        "/home/me/config.yaml:3",
        "KEY",
        "default",
    ]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (("backend",), True),
        (("cache", "minutes"), True),
        (("services", "tavily", "api_key"), True),
        (("services", "tavily", "rate"), True),
        (("services", "tavily", "price"), False),
        (("services", "tavily", "base_url"), False),
        (("services", "searxng", "api_key"), False),
        (("services", "openai_web", "model"), True),
        (("services", "openai_web", "api_key"), False),
        (("providers", "openai", "api_key"), True),
        (("providers", "openai", "base_url"), False),
        (("providers", "mine", "api_key"), False),
        (("json", "corp", "headers", "X-Key"), False),
        (("policy", "ports"), False),
        (("render", "browser"), False),
        (("plugins", "enabled"), False),
        (("proxy",), False),
        (("budgets", "day"), False),
        (("keyless",), False),
    ],
)
def test_a_folder_may_set_what_stands_in_the_table(path: tuple[str, ...], *, allowed: bool) -> None:
    assert RULES.may_set(path) is allowed


@pytest.mark.parametrize(
    ("variable", "allowed", "awaited"),
    [
        ("TAVILY_API_KEY", True, False),
        ("WEBSEAM_TAVILY_API_KEY", True, True),
        ("WEBSEAM_BACKEND", True, True),
        ("WEBSEAM_COMPRESSOR", True, True),
        ("WEBSEAM_XAI_WEB_MODEL", True, True),
        ("WEBSEAM_POLICY_PORTS", False, True),
        ("WEBSEAM_CORP_BASE_URL", False, True),
        ("TAVILY_BASE_URL", False, True),
        ("https_proxy", False, True),
        ("WEBSEAM_CONFIG", False, False),
        ("WEBSEAM_TRUST_FOLDER", False, False),
        ("DATABASE_URL", False, False),
    ],
)
def test_a_folder_may_name_keys_and_choices(variable: str, *, allowed: bool, awaited: bool) -> None:
    assert (RULES.may_name(variable), RULES.is_awaited(variable)) == (allowed, awaited)

"""What one service is told, from all layers."""

from pathlib import Path

import msgspec
import pytest
from returns.result import Failure, Success

from webseam.adapters.services.declaration import Option, Service, ServiceAddress, api_key
from webseam.composition.settings.entries import Entry, Variables
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import (
    ServiceSettings,
    check_service_names,
    service_settings,
)
from webseam.kernel.policy.trust import Origin

from .support import load

SERVICE = Service(
    name="lumen",
    address=ServiceAddress(base_url="https://api.lumen.example", env=("LUMEN_URL",)),
    options=(
        api_key("LUMEN_API_KEY", "LUMEN_KEY", pattern="lu-[a-z]+"),
        Option(name="engine", title="Engine", env=("LUMEN_ENGINE",), required=False, default="std"),
    ),
)


def told(settings: Settings) -> ServiceSettings:
    return service_settings(SERVICE, settings).unwrap()


def keys(settings: Settings) -> list[str]:
    return [access.key for access in told(settings).accesses]


def test_without_any_setting_there_is_the_address_and_what_is_missing(tmp_path: Path) -> None:
    settings = told(load(tmp_path).unwrap())

    (access,) = settings.accesses
    assert (access.base_url, access.overridden, access.value("engine")) == (
        "https://api.lumen.example",
        False,
        "std",
    )
    assert [option.name for option in settings.missing] == ["api_key"]
    assert settings.malformed == ()
    assert {name: origin.layer for name, origin in settings.origins.items()} == {
        "engine": "default",
        "base_url": "default",
    }


def test_several_keys_are_several_accesses(tmp_path: Path) -> None:
    config = "services:\n  lumen:\n    api_key: [lu-a, lu-b, 7]\n    engine: 007\n"

    settings = told(load(tmp_path, config).unwrap())

    assert [access.key for access in settings.accesses] == ["lu-a", "lu-b", "7"]
    assert {access.value("engine") for access in settings.accesses} == {"007"}
    assert [option.name for option in settings.malformed] == ["api_key"]
    assert str(settings.origins["api_key"]).endswith("config.yaml:3")


@pytest.mark.parametrize("name", ["WEBSEAM_LUMEN_API_KEY", "LUMEN_API_KEY", "LUMEN_KEY"])
def test_a_variable_may_hold_several_keys(tmp_path: Path, name: str) -> None:
    process = load(tmp_path, environment={name: "lu-a, lu-b,", "LUMEN_ENGINE": "x,y"}).unwrap()
    dotenv = load(tmp_path, beside=f"{name}=lu-a,lu-b\n").unwrap()

    assert keys(process) == keys(dotenv) == ["lu-a", "lu-b"]
    assert told(process).accesses[1].value("engine") == "x,y"


@pytest.mark.parametrize("key", ["'quoted'", '"quoted"', "two words", "with\ttab"])
def test_a_key_with_what_no_key_has_does_not_look_like_one(tmp_path: Path, key: str) -> None:
    service = msgspec.structs.replace(SERVICE, options=(api_key("LUMEN_API_KEY"),))

    odd = service_settings(service, load(tmp_path, environment={"LUMEN_API_KEY": key}).unwrap())
    right = service_settings(service, load(tmp_path, environment={"LUMEN_API_KEY": "k"}).unwrap())

    assert [option.name for option in odd.unwrap().malformed] == ["api_key"]
    assert right.unwrap().malformed == ()


def test_a_key_in_the_file_may_have_a_comma(tmp_path: Path) -> None:
    settings = load(tmp_path, "services: {lumen: {api_key: 'lu-a,lu-b'}}\n").unwrap()

    assert keys(settings) == ["lu-a,lu-b"]


def test_the_layer_counts_before_the_name(tmp_path: Path) -> None:
    config = "services: {lumen: {api_key: lu-file}}\n"
    beside = "LUMEN_API_KEY=lu-beside\n"

    assert keys(load(tmp_path, config).unwrap()) == ["lu-file"]
    assert keys(load(tmp_path, config, beside=beside).unwrap()) == ["lu-beside"]
    assert keys(
        load(tmp_path, config, beside=beside, environment={"LUMEN_KEY": "lu-process"}).unwrap()
    ) == ["lu-process"]
    assert keys(
        load(tmp_path, environment={"LUMEN_KEY": "x", "WEBSEAM_LUMEN_API_KEY": "ours"}).unwrap()
    ) == ["ours"]


@pytest.mark.parametrize(
    ("config", "environment"),
    [
        ("services: {lumen: {base_url: 'http://127.0.0.1:9/'}}\n", {}),
        ("", {"WEBSEAM_LUMEN_BASE_URL": "http://127.0.0.1:9/"}),
        ("", {"LUMEN_URL": "http://127.0.0.1:9"}),
        ("", {"LUMEN_URL": "http://x.example", "WEBSEAM_LUMEN_BASE_URL": "http://127.0.0.1:9"}),
    ],
)
def test_the_address_can_be_overridden(
    tmp_path: Path, config: str, environment: dict[str, str]
) -> None:
    environment = {**environment, "LUMEN_API_KEY": "k"}

    (access,) = told(load(tmp_path, config, environment=environment).unwrap()).accesses

    assert (access.base_url, access.overridden) == ("http://127.0.0.1:9", True)


def test_a_key_is_not_sent_in_clear_text_to_an_address_of_the_users(tmp_path: Path) -> None:
    environment = {"LUMEN_URL": "http://lumen.corp"}
    without = load(tmp_path, environment=environment).unwrap()
    with_key = load(tmp_path, environment={**environment, "LUMEN_API_KEY": "k"}).unwrap()

    assert told(without).accesses[0].base_url == "http://lumen.corp"
    assert service_settings(SERVICE, with_key).failure().message == (
        "LUMEN_URL: services.lumen.base_url: a key is only sent over https or to this machine; "
        "services.lumen.allow_plain_http: true, or WEBSEAM_LUMEN_ALLOW_PLAIN_HTTP=1, allows it for "
        "this endpoint."
    )


@pytest.mark.parametrize(
    ("config", "environment", "in_clear"),
    [
        ("services: {lumen: {allow_plain_http: true}}\n", {}, True),
        ("services: {lumen: {allow_plain_http: yes}}\n", {}, True),
        ("", {"WEBSEAM_LUMEN_ALLOW_PLAIN_HTTP": "1"}, True),
        ("services: {lumen: {allow_plain_http: false}}\n", {}, None),
        ("", {"WEBSEAM_LUMEN_ALLOW_PLAIN_HTTP": "0"}, None),
    ],
)
def test_a_key_goes_in_clear_text_where_the_user_allows_it_by_name(
    tmp_path: Path, config: str, environment: dict[str, str], *, in_clear: bool | None
) -> None:
    address = {"LUMEN_URL": "http://10.0.0.5:8000", "LUMEN_API_KEY": "lu-a"}
    settings = load(tmp_path, config, environment={**address, **environment}).unwrap()

    answer = service_settings(SERVICE, settings)

    assert answer.map(lambda one: (one.in_clear, one.own_address)).value_or(None) == (
        None if in_clear is None else (True, True)
    )


def test_an_odd_answer_is_an_error_that_names_the_setting(tmp_path: Path) -> None:
    config = "services: {lumen: {allow_plain_http: maybe}}\n"
    address = {"LUMEN_URL": "https://lumen.corp", "LUMEN_API_KEY": "lu-a"}
    settings = load(tmp_path, config, environment=address).unwrap()

    message = service_settings(SERVICE, settings).failure().message

    assert message.endswith("services.lumen.allow_plain_http: must be true or false.")


def test_a_working_folder_allows_no_key_in_clear_text(tmp_path: Path) -> None:
    working = "WEBSEAM_LUMEN_ALLOW_PLAIN_HTTP=1\n"
    address = {"LUMEN_URL": "http://10.0.0.5:8000", "LUMEN_API_KEY": "lu-a"}

    settings = load(tmp_path, working=working, environment=address).unwrap()

    assert isinstance(service_settings(SERVICE, settings), Failure)


def test_an_address_from_a_working_folder_does_not_count(tmp_path: Path) -> None:
    working = "WEBSEAM_LUMEN_BASE_URL=https://evil.example\nLUMEN_URL=http://localhost:1\n"
    mine = {"LUMEN_API_KEY": "lu-mine"}

    left_out = load(tmp_path, working=working, environment=mine).unwrap()
    home = load(tmp_path, beside=working, working="", environment=mine).unwrap()

    assert service_settings(SERVICE, left_out).unwrap().origins["base_url"].layer == "default"
    assert keys(left_out) == keys(home) == ["lu-mine"]
    assert service_settings(SERVICE, home).unwrap().own_address


def _settings(**variables: tuple[str, bool]) -> Settings:
    """Return settings that nobody limited: each variable's text, and whether it is a folder's."""
    entries = {
        name: Entry(
            value=text,
            texts=(text,),
            origin=Origin(layer="dotenv" if foreign else "environment", name=name, foreign=foreign),
        )
        for name, (text, foreign) in variables.items()
    }
    return Settings(variables=Variables(entries))


def test_whoever_hands_over_a_folders_address_gets_no_key() -> None:
    stolen = _settings(LUMEN_URL=("http://localhost:1", True), LUMEN_API_KEY=("lu-mine", False))

    refused = service_settings(SERVICE, stolen).failure()

    assert refused.setting == "services.lumen.base_url"
    assert refused.reason == "an address only gets keys that are no more trusted than itself"


def test_a_folders_key_is_for_the_official_address_alone() -> None:
    official = _settings(LUMEN_API_KEY=("lu-theirs", True))
    elsewhere = _settings(
        LUMEN_API_KEY=("lu-theirs", True), LUMEN_URL=("https://mine.example", False)
    )

    assert keys(official) == ["lu-theirs"]
    assert "official address" in service_settings(SERVICE, elsewhere).failure().reason


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("api_ke: x", "services.lumen.api_ke: is not an option of lumen; api_key is."),
        (
            "xyz: x",
            "services.lumen.xyz: is not an option of lumen; there are allow_plain_http, api_key, base_url, engine.",
        ),
        ("engine: {a: b}", "services.lumen.engine: must be a value, not a block."),
        ("api_key: [[a]]", "services.lumen.api_key: must be a text."),
        ("api_key: [a, {b: c}]", "services.lumen.api_key: must be a text."),
        ("engine: [~]", "services.lumen.engine: must be a text."),
        ("engine: [a, b]", "services.lumen.engine: must be one value, not a list."),
        (
            "base_url: nowhere",
            "services.lumen.base_url: it has no scheme; write it with https:// in front.",
        ),
    ],
)
def test_unknown_service_option_is_named(tmp_path: Path, block: str, message: str) -> None:
    settings = load(tmp_path, f"services:\n  lumen:\n    {block}\n").unwrap()

    failure = service_settings(SERVICE, settings).failure()

    assert failure.message == f"{tmp_path}/home/config.yaml:3: {message}"


def test_a_service_that_is_none_is_found(tmp_path: Path) -> None:
    settings = load(tmp_path, "services: {lumne: {api_key: k}}\n").unwrap()

    assert check_service_names(settings, ("lumen", "other")).failure().reason == (
        "is not a service; lumen is"
    )
    assert isinstance(check_service_names(settings, ("abc",)), Failure)
    assert check_service_names(settings, ("lumne",)) == Success(None)


def test_the_settings_of_a_search_model_are_those_of_the_service_of_that_name(
    tmp_path: Path,
) -> None:
    service = Service(
        name="custom",
        options=(api_key(),),
    )
    config = "custom_api_key: k\ncustom_base_url: https://a.example/v1/\n"

    (access,) = service_settings(service, load(tmp_path, config).unwrap()).unwrap().accesses

    assert (access.base_url, access.key) == ("https://a.example/v1", "k")

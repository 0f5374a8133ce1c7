"""Endpoints from the environment, and the JSON backend made from them."""

from pathlib import Path

import pytest
from returns.result import Success

from webseam import json_backend
from webseam.composition.settings.entries import Entry, Variables
from webseam.composition.settings.json_endpoints import (
    API_KEY_VARIABLE,
    EXTRACT_URL_VARIABLE,
    SEARCH_URL_VARIABLE,
    Endpoints,
    read_json_endpoints,
)
from webseam.composition.settings.schema import Settings
from webseam.kernel.policy.trust import Origin
from webseam.ports import InvalidUrl, NotConfigured

from .support import load


def test_settings_come_from_variables_and_blank_is_absent(tmp_path: Path) -> None:
    environment = {
        "WEBSEAM_JSON_SEARCH_URL": " https://a.example/s ",
        "WEBSEAM_JSON_EXTRACT_URL": " ",
        "WEBSEAM_JSON_API_KEY": " k ",
    }

    endpoints = read_json_endpoints(load(tmp_path, environment=environment).unwrap())

    assert endpoints == Success(Endpoints(search_url="https://a.example/s", key="k"))
    assert read_json_endpoints(load(tmp_path).unwrap()) == Success(Endpoints())


def test_the_file_and_dotenv_say_it_too(tmp_path: Path) -> None:
    config = "services: {json: {search_url: 'https://a.example/', api_key: 5}}\n"

    endpoints = read_json_endpoints(
        load(tmp_path, config, beside=f"{EXTRACT_URL_VARIABLE}=https://b.example/").unwrap()
    )

    assert endpoints == Success(
        Endpoints(search_url="https://a.example/", extract_url="https://b.example/", key="5")
    )


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("search: x", "is not an option of json; search_url is"),
        (
            "xyz: x",
            "is not an option of json; there are search_url, extract_url, api_key, allow_plain_http",
        ),
        ("api_key: [a]", "must be one text"),
    ],
)
def test_unknown_endpoint_option_is_refused_with_its_line(
    tmp_path: Path, block: str, reason: str
) -> None:
    settings = load(tmp_path, f"services:\n  json:\n    {block}\n").unwrap()

    failure = read_json_endpoints(settings).failure()

    assert (failure.place, failure.reason) == (f"{tmp_path}/home/config.yaml:3", reason)


def test_an_address_from_a_working_folder_does_not_count(tmp_path: Path) -> None:
    for address in ("https://evil.example/", "https://[", "http://localhost:1/"):
        working = f"{SEARCH_URL_VARIABLE}={address}\n{API_KEY_VARIABLE}=theirs\n"
        settings = load(tmp_path, working=working, environment={API_KEY_VARIABLE: "mine"}).unwrap()

        assert read_json_endpoints(settings) == Success(Endpoints(key="mine"))


def test_whoever_hands_over_a_folders_address_gets_no_key() -> None:
    origin = Origin(layer="dotenv", name="/project/.env", line=1, foreign=True)
    address = Entry(value="https://evil.example/", texts=("https://evil.example/",), origin=origin)
    key = Entry(
        value="mine", texts=("mine",), origin=Origin(layer="environment", name=API_KEY_VARIABLE)
    )
    variables = Variables({SEARCH_URL_VARIABLE: address, API_KEY_VARIABLE: key})

    refused = read_json_endpoints(Settings(variables=variables)).failure()

    assert (refused.setting, refused.place) == ("services.json.search_url", "/project/.env:1")


def test_the_key_does_not_show_in_the_settings() -> None:
    assert repr(Endpoints(search_url="u", key="hunter2")) == "Endpoints('u', None, key='***')"
    assert repr(Endpoints()) == "Endpoints(None, None, key='')"


def test_the_json_backend_needs_an_endpoint() -> None:
    assert json_backend().failure() == NotConfigured(
        reason="The JSON backend has no endpoint", settings=("search_url", "extract_url")
    )


def test_a_key_is_not_sent_in_clear_text() -> None:
    assert json_backend(search_url="https://a.example/", key="k").unwrap().about.name == "json"
    assert isinstance(json_backend(search_url="http://a.example/", key="k").failure(), InvalidUrl)
    assert isinstance(json_backend(extract_url="http://a.example/", key="k").failure(), InvalidUrl)

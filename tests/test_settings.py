"""Settings from the environment, and backends made from them."""

import pytest
from returns.result import Success

from webseam.composition import json_backend
from webseam.composition.settings import Settings, configured_backend, read_settings
from webseam.ports import InvalidUrl, NotConfigured


def test_settings_come_from_the_environment_and_blank_is_absent() -> None:
    given = {
        "WEBSEAM_JSON_SEARCH_URL": " https://a.example/s ",
        "WEBSEAM_JSON_EXTRACT_URL": " ",
        "WEBSEAM_JSON_API_KEY": " k ",
    }

    assert read_settings(given) == Settings(search_url="https://a.example/s", key="k")
    assert read_settings({}) == Settings()


def test_the_key_does_not_show_in_the_settings() -> None:
    assert repr(Settings(search_url="u", key="hunter2")) == "Settings('u', None, key='***')"
    assert repr(Settings()) == "Settings(None, None, key='')"


def test_a_backend_needs_an_endpoint() -> None:
    assert configured_backend(Settings()).failure() == NotConfigured(
        reason="No backend is configured",
        setting="WEBSEAM_JSON_SEARCH_URL or WEBSEAM_JSON_EXTRACT_URL",
    )
    assert json_backend().failure() == NotConfigured(
        reason="The JSON backend has no endpoint", setting="search_url or extract_url"
    )


@pytest.mark.parametrize("which", ["search_url", "extract_url"])
def test_either_endpoint_alone_makes_a_backend_and_is_checked(which: str) -> None:
    made = configured_backend(Settings(**{which: "https://a.example/"}))
    refused = configured_backend(Settings(**{which: "http://a.example/", "key": "k"}))

    assert isinstance(made, Success)
    assert made.unwrap().name == "json"
    assert isinstance(refused.failure(), InvalidUrl)

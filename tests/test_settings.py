"""Settings from the environment, and backends made from them."""

from webseam.composition import json_backend
from webseam.composition.settings import (
    Settings,
    extract_backend,
    read_settings,
    search_backend,
)
from webseam.kernel.policy import Policy
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


def test_a_search_needs_an_endpoint() -> None:
    assert search_backend(Settings()).failure() == NotConfigured(
        reason="No search is configured", setting="WEBSEAM_JSON_SEARCH_URL"
    )
    assert json_backend().failure() == NotConfigured(
        reason="The JSON backend has no endpoint", setting="search_url or extract_url"
    )


def test_pages_are_read_by_ourselves_unless_an_endpoint_is_set() -> None:
    settings = Settings(extract_url="https://a.example/")

    assert extract_backend(Settings(), Policy()).unwrap().name == "pages"
    assert extract_backend(settings, Policy()).unwrap().name == "json"


def test_a_key_is_not_sent_in_clear_text() -> None:
    search = Settings(search_url="http://a.example/", key="k")
    extract = Settings(extract_url="http://a.example/", key="k")

    assert (
        search_backend(Settings(search_url="https://a.example/", key="k")).unwrap().name == "json"
    )
    assert isinstance(search_backend(search).failure(), InvalidUrl)
    assert isinstance(extract_backend(extract, Policy()).failure(), InvalidUrl)

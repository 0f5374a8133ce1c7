"""Endpoints from the environment, and backends made from them."""

from webseam.composition import json_backend
from webseam.composition.settings.endpoints import (
    Endpoints,
    extract_backend,
    read_endpoints,
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

    assert read_endpoints(given) == Endpoints(search_url="https://a.example/s", key="k")
    assert read_endpoints({}) == Endpoints()


def test_the_key_does_not_show_in_the_settings() -> None:
    assert repr(Endpoints(search_url="u", key="hunter2")) == "Endpoints('u', None, key='***')"
    assert repr(Endpoints()) == "Endpoints(None, None, key='')"


def test_a_search_needs_an_endpoint() -> None:
    assert search_backend(Endpoints()).failure() == NotConfigured(
        reason="No search is configured", setting="WEBSEAM_JSON_SEARCH_URL"
    )
    assert json_backend().failure() == NotConfigured(
        reason="The JSON backend has no endpoint", setting="search_url or extract_url"
    )


def test_pages_are_read_by_ourselves_unless_an_endpoint_is_set() -> None:
    settings = Endpoints(extract_url="https://a.example/")

    assert extract_backend(Endpoints(), Policy()).unwrap().name == "pages"
    assert extract_backend(settings, Policy()).unwrap().name == "json"


def test_a_key_is_not_sent_in_clear_text() -> None:
    search = Endpoints(search_url="http://a.example/", key="k")
    extract = Endpoints(extract_url="http://a.example/", key="k")

    assert (
        search_backend(Endpoints(search_url="https://a.example/", key="k")).unwrap().name == "json"
    )
    assert isinstance(search_backend(search).failure(), InvalidUrl)
    assert isinstance(extract_backend(extract, Policy()).failure(), InvalidUrl)

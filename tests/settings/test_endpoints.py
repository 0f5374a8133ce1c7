"""Endpoints from the environment, and the JSON backend made from them."""

from webseam.composition import json_backend
from webseam.composition.settings.endpoints import Endpoints, read_endpoints
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


def test_the_json_backend_needs_an_endpoint() -> None:
    assert json_backend().failure() == NotConfigured(
        reason="The JSON backend has no endpoint", setting="search_url or extract_url"
    )


def test_a_key_is_not_sent_in_clear_text() -> None:
    assert json_backend(search_url="https://a.example/", key="k").unwrap().name == "json"
    assert isinstance(json_backend(search_url="http://a.example/", key="k").failure(), InvalidUrl)
    assert isinstance(json_backend(extract_url="http://a.example/", key="k").failure(), InvalidUrl)

"""Whose key searches X, and where it may go."""

import asyncio
from pathlib import Path

import httpx
import pytest
from returns.result import Failure

from tests.features.models.x_search.serving import KEY, exchange, reply, settings
from webseam import AuthFailed, InvalidSetting, InvalidUrl, NotConfigured, x_searcher
from webseam.composition.features.models.x_search_setup import XSearch
from webseam.composition.settings.loader import load_settings
from webseam.testing import ScriptedTransport


def made(**environment: str) -> object:
    result = x_searcher(settings(**environment))
    return result.failure() if isinstance(result, Failure) else result.unwrap()


def test_without_a_key_it_says_which_variable_to_set() -> None:
    assert made(XAI_API_KEY=" ") == NotConfigured(
        reason="xAI has no key", settings=("XAI_API_KEY",), backend="xai"
    )


@pytest.mark.parametrize(
    "base",
    [
        "http://api.x.ai/v1",
        "http://10.0.0.1/v1",
        "http://127.0.0.1.evil.example/v1",
        "http://localhost.evil.example/v1",
        "http://0.0.0.0/v1",
    ],
)
def test_the_key_is_not_sent_unencrypted_to_another_machine(base: str) -> None:
    error = made(XAI_BASE_URL=base)

    assert isinstance(error, InvalidUrl)
    assert error.message == (
        "Not a usable URL: a key is only sent over https or to this machine; "
        "providers.xai.allow_plain_http: true, or WEBSEAM_XAI_ALLOW_PLAIN_HTTP=1, allows it for "
        "this endpoint; XAI_BASE_URL sets it."
    )
    assert KEY not in repr(error)


def test_an_odd_answer_to_whether_it_may_be_is_an_error_that_names_the_setting() -> None:
    error = made(WEBSEAM_XAI_ALLOW_PLAIN_HTTP="perhaps")

    assert isinstance(error, InvalidSetting)
    assert error.place == "WEBSEAM_XAI_ALLOW_PLAIN_HTTP"
    assert error.setting == "providers.xai.allow_plain_http"


@pytest.mark.parametrize(
    "base",
    [
        "nonsense",
        "ftp://127.0.0.1/v1",
        "https://",
        "http://[bad/",
        "http://127.0.0.1@evil.example/",
    ],
)
def test_a_base_url_that_is_none_is_refused(base: str) -> None:
    assert isinstance(made(XAI_BASE_URL=base), InvalidUrl)


@pytest.mark.parametrize(
    "base",
    [
        "https://gateway.example/v1/",
        "http://localhost:1/v1",
        "http://[::1]:1/v1",
        "http://127.9.9.9/v1",
        " ",
    ],
)
def test_it_is_sent_over_https_or_to_this_machine(base: str) -> None:
    assert isinstance(made(XAI_BASE_URL=base), XSearch)


def test_an_address_that_came_with_a_folder_does_not_get_the_users_key(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("XAI_BASE_URL=https://evil.example/v1\n")
    environment = {"WEBSEAM_CONFIG": str(tmp_path / "none" / "config.yaml"), "XAI_API_KEY": KEY}
    loaded = load_settings(environment, folder=tmp_path).unwrap()
    transport = ScriptedTransport([httpx.Response(200, json=reply())])
    searcher = x_searcher(loaded, transport=transport).unwrap()

    assert asyncio.run(searcher({"query": "tides"})).unwrap().answer == "High tide."
    assert transport.requests[0].url == "https://api.x.ai/v1/responses"


def test_settings_that_are_wrong_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.yaml"
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))
    monkeypatch.setenv("XAI_API_KEY", KEY)
    kinds = []
    for wrong in ("x_search: {retries: many}", "providers: {xai: {nonsense: 1}}"):
        config.write_text(wrong)
        kinds.append(x_searcher().failure().kind)

    assert kinds == ["invalid_setting", "not_configured"]


def test_a_redirect_is_not_followed_with_the_key() -> None:
    outcome, server = exchange(
        {"status": 307, "headers": {"location": "/v1/elsewhere"}}, {"body": reply()}
    )

    assert outcome.failure().kind == "bad_redirect"
    assert len(server.requests) == 1


def test_a_key_that_a_server_echoes_is_in_no_error() -> None:
    outcome, _ = exchange({"status": 401, "body": {"code": "401", "error": f"bad key {KEY}"}})

    assert isinstance(outcome.failure(), AuthFailed)
    assert KEY not in repr(outcome.failure()) + outcome.failure().message

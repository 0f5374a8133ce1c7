"""The way out that settings leave to services and models: proxies, and addresses of one's own."""

from pathlib import Path

import pytest
from returns.result import Failure, Result

from tests.choosing.support import root
from tests.settings.support import load
from webseam.adapters.features.models.declaration.provider import Account
from webseam.adapters.http.dial import DialRules
from webseam.adapters.http.request_writing import HttpOrigin
from webseam.composition.features.models.api import chat_model, search_model_backend
from webseam.composition.features.models.clients import (
    is_own_provider_url,
    known_providers,
    provider_account,
)
from webseam.composition.features.models.relevance import open_embedder
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import plain_http_risks
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.composition.wiring.backend_choice import choose_backend_row
from webseam.composition.wiring.egress import dial_rules
from webseam.ports.errors import InvalidSetting, WebError

API = HttpOrigin("https", "api.example", 443)
OPENAI = {"OPENAI_API_KEY": "sk-0123456789"}


def proxy_of(way: DialRules) -> str | None:
    proxy = way.proxy(API).unwrap()
    return None if proxy is None else f"{proxy.setting} {proxy.host}"


def test_the_environment_and_the_settings_name_a_proxy(tmp_path: Path) -> None:
    environment = {"HTTPS_PROXY": "http://env.corp:1"}
    by_variable = load(tmp_path, environment=environment).unwrap()
    by_setting = load(tmp_path, "proxy: http://me:pw@set.corp\n", environment=environment).unwrap()

    assert proxy_of(dial_rules(by_variable, is_user_written=False)) == "HTTPS_PROXY env.corp"
    assert proxy_of(dial_rules(by_setting, is_user_written=False)) == "proxy set.corp"
    assert "pw" not in repr(by_setting)


def test_a_working_folder_names_no_proxy(tmp_path: Path) -> None:
    working = "HTTPS_PROXY=http://evil.example:1\nWEBSEAM_PROXY=http://evil.example:1\n"

    settings = load(tmp_path, working=working).unwrap()

    assert proxy_of(dial_rules(settings, is_user_written=False)) is None


def test_without_settings_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://env.corp:1")
    monkeypatch.delenv("no_proxy", raising=False)

    assert proxy_of(dial_rules(None, is_user_written=False)) == "https_proxy env.corp"


def test_private_addresses_are_for_endpoints_that_the_user_wrote_down(tmp_path: Path) -> None:
    settings = load(tmp_path, "policy: {allow_hosts: [opened.example]}\n").unwrap()
    opened = HttpOrigin("https", "opened.example", 443)

    assert dial_rules(settings, is_user_written=True).judge(API, ["10.0.0.5"]) is None
    assert dial_rules(settings, is_user_written=False).judge(opened, ["10.0.0.5"]) is None
    denial = dial_rules(settings, is_user_written=False).judge(API, ["10.0.0.5"])
    assert denial is not None
    assert "policy.allow_hosts: [api.example]" in denial.message


def account(settings: Settings, name: str = "openai") -> tuple[Account, bool]:
    provider = known_providers(settings).unwrap().find(name).unwrap()
    known = provider_account(provider, settings).unwrap()
    return known, is_own_provider_url(provider, known, settings)


def test_a_provider_is_at_its_own_address_or_at_one_that_the_user_wrote(tmp_path: Path) -> None:
    usual = load(tmp_path, environment=OPENAI).unwrap()
    by_variable = {**OPENAI, "OPENAI_BASE_URL": "http://10.0.0.5/v1"}
    block = "providers: {openai: {base_url: 'http://10.0.0.5/v1'}}\n"
    foreign = "OPENAI_BASE_URL=http://10.0.0.5/v1\nOPENAI_API_KEY=sk-theirs\n"

    assert account(usual)[1] is False
    assert account(load(tmp_path, environment=by_variable).unwrap())[1] is True
    assert account(load(tmp_path, block, environment=OPENAI).unwrap())[1] is True
    assert account(load(tmp_path, working=foreign).unwrap())[1] is False


def test_a_providers_key_goes_in_clear_text_only_where_that_is_allowed(tmp_path: Path) -> None:
    environment = {**OPENAI, "OPENAI_BASE_URL": "http://10.0.0.5:8000/v1"}
    block = "providers: {openai: {allow_plain_http: true}}\n"

    refused = chat_model("openai", settings=load(tmp_path, environment=environment).unwrap())
    allowed = load(tmp_path, block, environment=environment).unwrap()

    assert isinstance(refused, Failure)
    assert "providers.openai.allow_plain_http: true" in refused.failure().message
    assert not isinstance(chat_model("openai", settings=allowed), Failure)
    assert (
        "providers.openai.allow_plain_http is set: its key goes over"
        in plain_http_risks(allowed)[0]
    )
    assert plain_http_risks(load(tmp_path, environment=environment).unwrap()) == ()


@pytest.mark.parametrize("value", ["maybe", "[yes]", "2"])
def test_an_odd_answer_to_whether_a_key_may_go_in_clear_text_is_an_error(
    tmp_path: Path, value: str
) -> None:
    block = f"providers: {{openai: {{allow_plain_http: {value}}}}}\n"
    settings = load(tmp_path, block, environment=OPENAI).unwrap()

    outcomes: list[Result[object, WebError]] = [
        chat_model("openai", settings=settings),
        open_embedder(SettingsRoot(settings=settings), provider="openai", model="m"),
        search_model_backend("openai_web", settings),
    ]

    for outcome in outcomes:
        error = outcome.failure()
        assert isinstance(error, InvalidSetting)
        assert error.setting == "providers.openai.allow_plain_http"
        assert error.message.endswith("must be true or false.")


def test_an_odd_answer_in_a_variable_names_the_variable(tmp_path: Path) -> None:
    environment = {**OPENAI, "WEBSEAM_OPENAI_ALLOW_PLAIN_HTTP": "sure"}

    refused = chat_model("openai", settings=load(tmp_path, environment=environment).unwrap())

    error = refused.failure()
    assert isinstance(error, InvalidSetting)
    assert (error.place, error.setting) == (
        "WEBSEAM_OPENAI_ALLOW_PLAIN_HTTP",
        "providers.openai.allow_plain_http",
    )


def test_an_odd_answer_for_a_json_api_stops_that_api_and_nobody_else_is_asked(
    tmp_path: Path,
) -> None:
    environment = {
        "WEBSEAM_JSON_SEARCH_URL": "https://a.example/search",
        "WEBSEAM_JSON_ALLOW_PLAIN_HTTP": "sure",
    }

    error = choose_backend_row("search", root(tmp_path, **environment)).failure()

    assert isinstance(error, InvalidSetting)
    assert error.setting == "services.json.allow_plain_http"

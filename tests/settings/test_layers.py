"""Which value counts, and where it came from."""

import os
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure

from webseam.composition.features.models.clients import find_provider, provider_account
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import CacheSettings, Settings
from webseam.composition.settings.services import service_settings
from webseam.composition.wiring.service_backends import installed_services

from .support import load, wrong


def test_nothing_given_is_every_default(tmp_path: Path) -> None:
    settings = load(tmp_path).unwrap()

    assert (settings.backend, settings.keyless, settings.timeout) == (None, True, 30.0)
    assert settings.cache == CacheSettings()
    assert settings.entries.origin(("backend",)).layer == "default"


def test_the_strongest_layer_wins_and_is_named(tmp_path: Path) -> None:
    layers: dict[str, Any] = {
        "config": "# mine\nbackend: from_file\n",
        "beside": "WEBSEAM_BACKEND=from_beside\n",
        "working": "# one\nWEBSEAM_BACKEND=from_working\n",
        "environment": {"WEBSEAM_BACKEND": "from_environment"},
        "arguments": {"backend": "from_argument"},
    }
    seen = []
    for count in range(1, 6):
        given = dict(list(layers.items())[:count])
        settings = load(tmp_path, **given).unwrap()
        seen.append((settings.backend, str(settings.entries.origin(("backend",)))))

    assert seen == [
        ("from_file", f"{tmp_path}/home/config.yaml:2"),
        ("from_beside", f"{tmp_path}/home/.env:1"),
        ("from_working", f"{tmp_path}/working/.env:2"),
        ("from_environment", "WEBSEAM_BACKEND"),
        ("from_argument", "argument backend"),
    ]


def test_blank_and_null_are_absent_in_every_layer(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "backend: ' '\ncache:\nservices:\n  a:\n    api_key: ~\ntimeout: null\n",
        environment={"WEBSEAM_SEARCH_BACKEND": " "},
        working="WEBSEAM_TIMEOUT=\n",
        arguments={"extract_backend": None},
    ).unwrap()

    assert (settings.backend, settings.search_backend, settings.timeout) == (None, None, 30.0)
    assert settings.entries.entries_below(("services",)) == {}


def test_values_have_their_types_from_any_layer(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "cache: {minutes: 5, enabled: yes}\nplugins: [a, b]\nrender: auto\n",
        environment={
            "WEBSEAM_KEYLESS": "off",
            "WEBSEAM_TIMEOUT": "2.5",
            "WEBSEAM_POLICY_PORTS": "80, 81",
            "WEBSEAM_CACHE_ENABLED": "No",
            "WEBSEAM_COMPRESSOR": "extractive",
        },
    ).unwrap()

    assert (settings.keyless, settings.timeout, settings.policy.ports) == (False, 2.5, (80, 81))
    assert settings.cache == CacheSettings(minutes=5.0, enabled=False)
    assert (settings.plugins.enabled, settings.render.mode) == (("a", "b"), "auto")
    assert settings.compressor.kind == "extractive"


def test_one_value_does_where_a_list_is_meant(tmp_path: Path) -> None:
    settings = load(tmp_path, "policy:\n  deny_domains: a.example\n").unwrap()

    assert settings.policy.deny_domains == ("a.example",)


def test_a_backend_is_named_in_small_letters(tmp_path: Path) -> None:
    assert load(tmp_path, "backend: ' Lumen '\n").unwrap().backend == "lumen"


def test_the_names_that_search_models_already_have_are_read(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "custom_model: a\ncustom_api_key: 123456\n",
        environment={
            "CUSTOM_SEARCH_BASE_URL": "https://a.example/v1/",
            "CUSTOM_SEARCH_MODEL": "sonar",
        },
    ).unwrap()

    assert settings.custom_base_url == "https://a.example/v1"
    assert settings.custom_model == "sonar"
    assert settings.custom_api_key.reveal() == "123456"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("a: 1\n", "config.yaml:1: a: is not a setting."),
        ("\nbackand: x\n", "config.yaml:2: backand: is not a setting; backend is."),
        (
            "cache:\n  minuts: 3\n",
            "config.yaml:2: cache.minuts: is not a setting; cache.minutes is.",
        ),
        ("minutes: 3\n", "config.yaml:1: minutes: is not a setting; cache.minutes is."),
        ("backend: {a: 1}\n", "config.yaml:1: backend: must be a value, not a block."),
        ("backend: 5\n", "config.yaml:1: backend: must be a text, not a whole number."),
        ("backend: [a]\n", "config.yaml:1: backend: must be a text, not a list."),
        ("timeout: soon\n", "config.yaml:1: timeout: must be a number, not a text."),
        (
            "route: [a, [b]]\n",
            "config.yaml:1: route: must be a text or a block, not a list, in entry 2.",
        ),
        (
            "route: [{fuse: [a], quorm: 1}]\n",
            "config.yaml:1: route: has no field quorm, in entry 1.",
        ),
        (
            "policy: {ports: [80, x]}\n",
            "config.yaml:1: policy.ports: must be a whole number, not a text, in entry 2.",
        ),
        ("timeout: -1\n", "config.yaml:1: timeout: must be a number > 0.0."),
        ("timeout: .nan\n", "config.yaml:1: timeout: must be a number > 0.0."),
        (
            "extract_char_limit: 0\n",
            "config.yaml:1: extract_char_limit: must be a whole number >= 1.",
        ),
        ("render: sometimes\n", "config.yaml:1: render.mode: must be one of never, auto, always."),
        (
            "x_search: {reasoning_effort: huge}\n",
            "config.yaml:1: x_search.reasoning_effort: must be one of low, medium, high, xhigh.",
        ),
        (
            "custom_base_url: nowhere\n",
            "config.yaml:1: custom_base_url: it has no scheme; write it with https:// in front.",
        ),
        ("proxy: [a, b]\n", "config.yaml:1: proxy: must be one text."),
        ("services: 5\n", "config.yaml:1: services: must be a block of settings."),
        ("services:\n  lumen: k\n", "config.yaml:2: services.lumen: must be a block of settings."),
        ("policy: [a]\n", "config.yaml:1: policy: must be a block of settings."),
        ("backend: a\nbackend: b\n", "config.yaml:2: backend: is given twice."),
        ("cache: true\ncache: {enabled: false}\n", "config.yaml:2: cache: is given twice."),
        ('"a\\nb": 1\n', "config.yaml:1: 'a\\nb': is not a setting."),
    ],
)
def test_wrong_setting_is_named_with_its_file_and_line(
    tmp_path: Path, config: str, message: str
) -> None:
    assert wrong(tmp_path, config) == message


def test_a_wrong_variable_is_named_by_itself(tmp_path: Path) -> None:
    in_environment = load(tmp_path, environment={"WEBSEAM_TIMEOUT": "x"}).failure()
    in_file = load(tmp_path, beside="\nWEBSEAM_TIMEOUT=x\n").failure()

    assert (in_environment.place, in_environment.setting) == ("WEBSEAM_TIMEOUT", "timeout")
    assert in_file.place == f"{tmp_path}/home/.env:2"


def test_an_argument_that_is_no_setting_is_said(tmp_path: Path) -> None:
    assert (
        load(tmp_path, arguments={"backnd": "x"}).failure().reason == "is not a setting; backend is"
    )
    assert load(tmp_path, arguments={"xyz": "x"}).failure().reason == "is not a setting"
    assert load(tmp_path, arguments={"cache": "no"}).unwrap().cache.enabled is False


def test_arguments_may_be_blocks_as_the_file_has_them(tmp_path: Path) -> None:
    given = {
        "cache": {"minutes": 5},
        "services": {"tavily": {"api_key": ["k-one", "k-two"], "price": 0.01}},
        "services.searxng.base_url": "https://search.example",
        "providers": {"openai": {"api_key": "sk-argued"}},
    }
    variables = {"WEBSEAM_TAVILY_API_KEY": "k-env", "OPENAI_API_KEY": "sk-env"}

    settings = load(tmp_path, environment=variables, arguments=given).unwrap()
    tavily = service_settings(installed_services()["tavily"], settings).unwrap()
    openai = find_provider("openai", settings).bind(lambda one: provider_account(one, settings))

    assert (settings.cache.minutes, settings.cache.enabled) == (5.0, True)
    assert [access.key for access in tavily.accesses] == ["k-one", "k-two"]
    assert tavily.numbers == {"price": 0.01}
    assert str(tavily.origins["api_key"]) == "argument services.tavily.api_key"
    assert settings.entries.get(("services", "searxng", "base_url")) is not None
    assert openai.unwrap().secrets() == ("sk-argued",)


@pytest.mark.parametrize(
    ("arguments", "setting", "reason"),
    [
        ({"services": 5}, "services", "must be a block of settings"),
        ({"services": {"tavily": "k"}}, "services.tavily", "must be a block of settings"),
        ({"cache": {"minuts": 5}}, "cache.minuts", "is not a setting; cache.minutes is"),
        ({"policy": []}, "policy", "must be a block of settings"),
        ({"backend": {"name": "x"}}, "backend", "must be a text, not a block"),
        ({"\ud800": 1}, "'\\ud800'", "is not a setting"),
    ],
)
def test_an_argument_in_the_wrong_place_is_named(
    tmp_path: Path, arguments: dict[str, object], setting: str, reason: str
) -> None:
    wrong_one = load(tmp_path, arguments=arguments).failure()

    assert (wrong_one.setting, wrong_one.reason) == (setting, reason)


def test_no_key_shows_in_any_repr(tmp_path: Path) -> None:
    config = "custom_api_key: hunter2secret\nservices: {a: {api_key: hunter2secret}}\n"

    settings = load(tmp_path, config, environment={"A_KEY": "hunter2secret"}).unwrap()

    assert "hunter2" not in repr(settings)
    assert "hunter2" not in repr(list(settings.entries)) + repr(
        settings.variables.first_entry("A_KEY")
    )
    assert settings.custom_api_key.reveal() == "hunter2secret"


def test_others_can_read_the_key_in_the_file_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    environment = {"WEBSEAM_CONFIG": str(path)}
    path.write_text("services: {a: {api_key: k}}\n")
    path.chmod(0o644)
    open_file = load_settings(environment, folder=tmp_path).unwrap()
    path.chmod(0o600)
    closed_file = load_settings(environment, folder=tmp_path).unwrap()
    path.write_text("backend: a\n")
    path.chmod(0o644)
    without_key = load_settings(environment, folder=tmp_path).unwrap()

    assert open_file.warnings == (
        f"{path} holds a key and other users can read it; run: chmod 600 {path}",
    )
    assert (closed_file.warnings, without_key.warnings) == ((), ())


def test_a_dotenv_that_is_a_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()

    assert isinstance(
        load_settings({"WEBSEAM_CONFIG": "x.yaml"}, folder=tmp_path).unwrap(), Settings
    )


def test_a_dotenv_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\n")

    loaded = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "x.yaml")}, folder=tmp_path)

    assert isinstance(loaded, Failure)
    assert loaded.failure().place == str(tmp_path / ".env")


def test_the_file_named_may_be_no_file_name_at_all() -> None:
    assert load_settings({"WEBSEAM_CONFIG": "a\0b"}).failure().reason.startswith("cannot be read")


def test_a_line_of_dotenv_that_says_nothing_is_skipped_with_a_warning(tmp_path: Path) -> None:
    settings = load(tmp_path, working="WEBSEAM_BACKEND=a\nwhat is this\n").unwrap()

    assert settings.backend == "a"
    assert settings.warnings == (f"{tmp_path}/working/.env:2 is not NAME=value and was skipped",)


def test_a_dotenv_of_a_working_folder_that_cannot_be_read_only_warns(tmp_path: Path) -> None:
    (tmp_path / "working").mkdir()
    (tmp_path / "working" / ".env").write_bytes(b"A=\xff\n")

    settings = load(tmp_path).unwrap()

    assert settings.warnings == (f"{tmp_path}/working/.env: the variables: is not UTF-8 text.",)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")

    loaded = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "x.yaml")}, folder=tmp_path)

    assert loaded.unwrap().warnings == ()


def test_a_working_folder_that_is_gone_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("backend: a\n")
    (tmp_path / ".env").write_text("WEBSEAM_TIMEOUT=3\n")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    settings = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "config.yaml")}).unwrap()

    assert (settings.backend, settings.timeout) == ("a", 3.0)

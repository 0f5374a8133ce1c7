"""A configuration file of Hermes is read as it is."""

from pathlib import Path

import pytest

from webseam.composition.features.models.settings import XSearchSettings
from webseam.composition.settings.schema import CacheSettings
from webseam.composition.wiring.backend_choice import choose_backend_row
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.service_backends import installed_services

from .support import load, wrong

CONFIG = """\
_config_version: 22
model:
  default: some/model
  provider: auto
  base_url: &base https://models.example/v1
toolsets: [hermes-cli]
agent: {max_turns: 90}
terminal:
  backend: local
  env_passthrough: []
web:
  backend: ' Lumen-Free '
  search_backend:
  extract_backend: torch
  extract_char_limit: "20000"
  extract_timeout: 90
  cache_enabled: true
  cache_ttl_minutes: 45
  keyless_fallback: false
  keyless_rescue: true
  cache_exempt_hosts: [localhost]
  provider_tier: {torch: free}
  xai:
    model: grok
  custom_base_url: https://api.models.example/
  custom_model: sonar
  custom_api_key: sk-xxx
  use_gateway: false
x_search:
  model: grok-4.5
  timeout_seconds: 120
  retries: 1
  credential: oauth
plugins: {enabled: [web/torch], disabled: []}
providers: {}
auxiliary: {web_extract: {base_url: *base}}
security:
  website_blocklist: {enabled: true, domains: [bad.example]}
  website_blocklist: {enabled: false}
"""


def test_its_web_and_x_search_blocks_are_read_and_the_rest_is_its_own_affair(
    tmp_path: Path,
) -> None:
    settings = load(tmp_path, CONFIG).unwrap()

    assert (settings.backend, settings.search_backend) == ("lumen-free", None)
    assert (settings.extract_backend, settings.extract_char_limit) == ("torch", 20_000)
    assert (settings.timeout, settings.keyless) == (90.0, False)
    assert settings.cache == CacheSettings(minutes=45.0)
    assert settings.custom_base_url == "https://api.models.example"
    assert settings.custom_api_key.reveal() == "sk-xxx"
    assert settings.of(XSearchSettings) == XSearchSettings(
        model="grok-4.5", timeout_seconds=120.0, retries=1
    )
    assert settings.plugins.enabled == ()
    assert str(settings.entries.origin(("backend",))).endswith("config.yaml:12")


@pytest.mark.parametrize(
    "config",
    [
        "web:\n",
        "web:\nbackend_of_theirs: x\n",
        "model: a\nx_search:\nproviders: {a: 1}\nplugins: {b: c}\n",
        "terminal: {backend: local}\n",
        "web:\n  extract_timeout: 0\n  cache_ttl_minutes: -5\n",
        "<<: {}\nweb: {<<: {}}\n",
    ],
)
def test_a_file_of_theirs_that_says_nothing_to_us_is_every_default(
    tmp_path: Path, config: str
) -> None:
    settings = load(tmp_path, config).unwrap()

    assert (settings.backend, settings.timeout, settings.cache) == (None, 30.0, CacheSettings())


def test_settings_of_ours_stand_in_a_block_of_their_own_there(tmp_path: Path) -> None:
    config = (
        "web: {backend: torch}\nwebseam:\n  policy: {deny_domains: [a.example]}\n  backend: own\n"
    )

    settings = load(tmp_path, config).unwrap()

    assert (settings.backend, settings.policy.deny_domains) == ("own", ("a.example",))
    assert wrong(tmp_path, "web:\nwebseam: {bakend: x}\n") == (
        "config.yaml:2: bakend: is not a setting; backend is."
    )


@pytest.mark.parametrize("name", ["webseam", " WebSeam "])
def test_that_hermes_asks_us_says_nothing_about_whom_we_ask(tmp_path: Path, name: str) -> None:
    text = f"web:\n  backend: '{name}'\n  search_backend: '{name}'\n  extract_backend: torch\n"

    settings = load(tmp_path, text).unwrap()

    assert (settings.backend, settings.search_backend) == (None, None)
    assert settings.extract_backend == "torch"


def test_a_wrong_value_in_their_file_is_named_with_its_line(tmp_path: Path) -> None:
    assert wrong(tmp_path, "web:\n  extract_char_limit: lots\n") == (
        "config.yaml:2: extract_char_limit: must be a whole number, not a text."
    )


def test_a_file_with_settings_of_ours_is_ours(tmp_path: Path) -> None:
    assert wrong(tmp_path, "backend: a\nmodel: b\n").startswith("config.yaml:2: model: is not")


def test_variables_beside_their_file_count(tmp_path: Path) -> None:
    settings = load(tmp_path, CONFIG, beside="CUSTOM_SEARCH_API_KEY=from-env\n").unwrap()

    assert settings.custom_api_key.reveal() == "from-env"


def test_its_references_to_variables_are_followed_and_ours_has_none(tmp_path: Path) -> None:
    config = "web:\n  custom_api_key: ${A_KEY}\n  custom_model: a-${NOWHERE}\n  custom_base_url: https://${HOST_X}/v1\n"
    environment = {"A_KEY": "k-1", "HOST_X": "a.example"}

    theirs = load(tmp_path, config, environment=environment).unwrap()
    ours = load(tmp_path, "custom_model: a-${A_KEY}\n", environment=environment).unwrap()

    assert theirs.custom_api_key.reveal() == "k-1"
    assert (theirs.custom_model, theirs.custom_base_url) == ("a-${NOWHERE}", "https://a.example/v1")
    assert ours.custom_model == "a-${A_KEY}"


@pytest.mark.parametrize(
    ("alias", "name"),
    [(alias, each.name) for each in installed_services().values() for alias in each.aliases],
)
def test_the_names_it_has_for_services_lead_to_ours(tmp_path: Path, alias: str, name: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"web:\n  search_backend: {alias}\nwebseam: {{services: {{{name}: {{}}}}}}\n")
    root = read_root({"WEBSEAM_CONFIG": str(path), f"WEBSEAM_{name.upper()}_API_KEY": "k"}).unwrap()

    choice, row = choose_backend_row("search", root).unwrap()

    assert (choice.name, row.candidate.name) == (name, name)
    assert choose_backend_row("search", root, name.upper()).failure().kind == "unknown_backend"


def test_own_settings_beside_a_web_block_are_read(
    tmp_path: Path,
) -> None:
    text = """\
web:
  backend: torch
  timeout: 7
  compressor: none
policy:
  deny_domains: [ads.example]
services:
  torch: {api_key: k-0123456789}
"""

    settings = load(tmp_path, text).unwrap()

    assert (settings.backend, settings.timeout) == ("torch", 7.0)
    assert settings.policy.deny_domains == ("ads.example",)
    assert settings.entries.get(("services", "torch", "api_key")) is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("web: 3\n", ":1: web: must be a block of settings."),
        ("web:\nx_search: [a]\n", ":2: x_search: must be a block of settings."),
        ("web: {}\nwebseam: yes\n", ":2: webseam: must be a block of settings."),
        ("web:\n  policy: {deny: [a]}\n", ":2: policy.deny: is not a setting"),
        ("web: {}\npolicy:\n  deny: [a]\n", ":3: policy.deny: is not a setting"),
    ],
)
def test_wrong_setting_in_a_hermes_file_is_named_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    assert message in wrong(tmp_path, text)


def test_a_name_that_is_nearly_a_setting_is_warned_of(tmp_path: Path) -> None:
    settings = load(tmp_path, "web:\n  bakend: torch\n  use_gateway: false\n").unwrap()

    [warning] = settings.warnings
    assert warning.endswith("config.yaml:2: web.bakend is not a setting that is read; backend is")

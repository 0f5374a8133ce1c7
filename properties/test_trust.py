"""Trust: whatever is set wherever, no key meets an address that is less trusted than itself."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import hypothesis
from hypothesis import given, strategies as st
from returns.result import Failure

from webseam.adapters.features.models.provider_registry import built_in_providers
from webseam.adapters.features.models.rerank import RERANKERS
from webseam.adapters.http.request_writing import HttpOrigin
from webseam.composition.features.models.clients import known_providers, provider_account
from webseam.composition.features.models.search_model_rows import (
    installed_search_models,
    search_model_account,
)
from webseam.composition.settings.json_endpoints import (
    API_KEY_VARIABLE,
    EXTRACT_URL_VARIABLE,
    SEARCH_URL_VARIABLE,
    read_json_endpoints,
)
from webseam.composition.settings.json_services import custom_json_services
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.notices import show_notices_through
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import service_settings
from webseam.composition.settings.vendors import FOLDER
from webseam.composition.wiring.egress import dial_rules
from webseam.composition.wiring.service_backends import installed_services
from webseam.kernel.policy.trust import Layer, Origin, least_trusted_origin, may_secret_meet_address

SERVICES = installed_services()
PROVIDERS = tuple(built_in_providers())
# Whatever may be joined, and whatever may carry it: by whose name it goes.
GROUPS = (
    *(
        (
            *(name for option in one.options for name in option.env),
            *one.address.env,
            *(f"WEBSEAM_{one.name.upper()}_{option.name.upper()}" for option in one.options),
            f"WEBSEAM_{one.name.upper()}_BASE_URL",
        )
        for one in SERVICES.values()
    ),
    *(
        (*one.login.env, *filter(None, (one.login.base_url_env,)))
        for one in (*PROVIDERS, *RERANKERS)
    ),
    ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AZURE_FOUNDRY_BASE_URL"),
    ("VERTEX_ACCESS_TOKEN", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "VERTEX_BASE_URL"),
    ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "BEDROCK_BASE_URL"),
    ("OLLAMA_API_KEY", "OLLAMA_HOST", "OLLAMA_BASE_URL"),
    ("CUSTOM_SEARCH_API_KEY", "CUSTOM_SEARCH_BASE_URL", "WEBSEAM_CUSTOM_BASE_URL"),
    (API_KEY_VARIABLE, SEARCH_URL_VARIABLE, EXTRACT_URL_VARIABLE),
    ("WEBSEAM_CORP_BASE_URL", "WEBSEAM_CORP_API_KEY", "CORP_KEY"),
    ("HTTPS_PROXY", "https_proxy", "WEBSEAM_PROXY", "ALL_PROXY"),
)
_DESCRIBED = """\
json:
  corp:
    endpoint: https://user.example/find
    api_key_env: [CORP_KEY, EXA_API_KEY]
    headers: {X-Any: user-header}
    parameters: {q: '{query}', any: user-parameter}
"""
_PROVIDERS = """\
providers:
  openai: {base_url: https://user.example}
  mine: {base_url: https://user.example, env: OPENAI_API_KEY}
  azure-openai: {api_key: user-file}
  custom: {headers: {x-any: user-header}}
"""
_HERMES = """\
web: {backend: a}
webseam: {custom_base_url: '${OPENAI_BASE_URL}', custom_api_key: user-file}
"""
BLOCKS = (
    "",
    _DESCRIBED,
    _PROVIDERS,
    _HERMES,
    "custom_api_key: user-file\n",
    "services: {tavily: {api_key: user-file}, searxng: {base_url: https://user.example}}\n",
    "web: {custom_api_key: '${EXA_API_KEY}', custom_base_url: 'https://user.example'}\n",
)


def _value(name: str, whose: str) -> str:
    """Return a value that says whose it is: an address where one is wanted, else a key."""
    if name in FOLDER.keys or name.endswith(
        ("_KEY", "_TOKEN", "_LOGIN", "_PASSWORD", "_ID", "_PASS")
    ):
        return f"{whose}-{name.lower().replace('_', '-')}"
    bare = ("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "AWS_REGION")
    return whose if name in bare else f"https://{whose}.example"


def layers(whose: str) -> st.SearchStrategy[dict[str, str]]:
    """Give variables of several services, each with a value that tells its origin."""
    names = st.lists(st.sampled_from(GROUPS), max_size=4).flatmap(
        lambda groups: st.lists(st.sampled_from(sum(groups, ()) or ("PATH",)), max_size=8)
    )
    return names.map(lambda each: {name: _value(name, whose) for name in each})


def joined(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield each address that would be called, and all that would go there, as one text."""
    yield from _services(settings)
    yield from _models(settings)
    ends = read_json_endpoints(settings)
    for url in (ends.unwrap().search_url, ends.unwrap().extract_url):
        yield url or "", ends.unwrap().key


def _services(settings: Settings) -> Iterator[tuple[str, str]]:
    described = custom_json_services(settings).value_or({})
    for service in (*SERVICES.values(), *(one.service for one in described.values())):
        known = service_settings(service, settings)
        carried = "user-header" if service.name in described else ""
        for access in known.map(lambda told: told.accesses).value_or(()):
            fields = " ".join(access.value(option.name) for option in service.options)
            yield access.base_url, f"{fields} {carried}"


def _models(settings: Settings) -> Iterator[tuple[str, str]]:
    known = known_providers(settings).unwrap()
    for provider in (*known.providers.values(), *RERANKERS):
        account = provider_account(provider, settings)
        if not isinstance(account, Failure):
            carried = (value for _, value in provider.http.headers)
            yield account.unwrap().base_url, " ".join((*account.unwrap().secrets(), *carried))
    for model in installed_search_models().values():
        who = search_model_account(model, settings)
        if not isinstance(who, Failure):
            yield who.unwrap().account.base_url, " ".join(who.unwrap().account.secrets())


# Each example makes every account that there is.
@hypothesis.settings(max_examples=50)
@given(
    environment=layers("user"),
    beside=layers("user"),
    working=layers("folder"),
    block=st.sampled_from(BLOCKS),
)
def test_no_key_meets_an_address_that_is_less_trusted(
    environment: dict[str, str], beside: dict[str, str], working: dict[str, str], block: str
) -> None:
    with TemporaryDirectory() as name:
        home, folder = Path(name, "home"), Path(name, "working")
        for place, variables in ((home, beside), (folder, working)):
            place.mkdir()
            lines = "".join(f"{key}={value}\n" for key, value in variables.items())
            (place / ".env").write_text(lines)
        (home / "config.yaml").write_text(block)
        (home / "config.yaml").chmod(0o600)
        given_variables = {
            **environment,
            "WEBSEAM_CONFIG": str(home / "config.yaml"),
            "HOME": str(home),
        }
        with show_notices_through(lambda _sentence: None):
            loaded = load_settings(given_variables, folder=folder)
    if isinstance(loaded, Failure):
        return
    settings = loaded.unwrap()

    for address, carried in joined(settings):
        assert "folder" not in address, address
        assert "folder-" not in carried or "user" not in address, address
    for own in (True, False):
        proxy = dial_rules(settings, is_user_written=own).proxy(
            HttpOrigin("https", "api.example", 443)
        )
        assert "folder" not in repr(proxy)
    assert "folder" not in str(settings.custom_base_url) + settings.proxy.reveal()
    left_out = {one.name for one in settings.folder.left_out}
    assert left_out >= (working.keys() & FOLDER.awaited) - environment.keys()


ORIGINS = st.builds(
    lambda layer, foreign: Origin(layer=layer, name="x", foreign=foreign and layer != "default"),
    st.sampled_from(get_args(Layer)),
    st.booleans(),
)


@given(ORIGINS, ORIGINS, st.lists(ORIGINS, max_size=4))
def test_a_join_never_goes_down_and_parts_never_raise_a_value(
    secret: Origin, address: Origin, parts: list[Origin]
) -> None:
    def rank(origin: Origin) -> int:
        return 0 if origin.foreign else 2 if origin.layer == "default" else 1

    # webseam comes with no secret, so that one of its own is nothing to keep.
    if secret.layer != "default" and may_secret_meet_address(secret, address):
        assert rank(address) >= rank(secret)
    whole = least_trusted_origin(secret, parts)
    assert rank(whole) <= rank(secret)
    assert not any(part.foreign for part in parts) or whole.foreign
    # Whatever a whole may meet, its parts from a folder might have met as well.
    assert not (
        whole.foreign and may_secret_meet_address(whole, address) and address.layer != "default"
    )

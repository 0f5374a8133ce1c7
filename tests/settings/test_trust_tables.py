"""The kernel's tables name every key and every address that services and providers declare."""

from collections.abc import Iterator

from webseam.adapters.models.catalogue.registry import built_in_providers
from webseam.adapters.models.providers.azure_openai import _ENDPOINTS
from webseam.adapters.models.rerank import RERANKERS
from webseam.adapters.service.declaration import Option, Service
from webseam.composition.settings.keys import known_keys
from webseam.composition.wiring.backends.services import installed_services
from webseam.composition.wiring.models.search import CUSTOM, installed_search_models
from webseam.kernel.trust import (
    AWAITED,
    KEYS,
    PROVIDER_KEYS,
    SEARCH_MODELS,
    SERVICE_KEYS,
    folder_may_name,
    folder_may_set,
    is_awaited,
)


def test_services_with_an_official_address_have_their_keys_in_the_table() -> None:
    declared = {
        name: {option.name: option.env for option in _keys(service)}
        for name, service in installed_services().items()
        if service.address.base_url
    }

    assert {name: dict(keys) for name, keys in SERVICE_KEYS.items()} == {
        name: keys for name, keys in declared.items() if keys
    }


def test_providers_with_an_official_address_have_their_keys_in_the_table() -> None:
    declared = {one.name: one.login.env for one in built_in_providers() if one.login.base_url}
    known = {name: keys[: len(declared.get(name, ()))] for name, keys in PROVIDER_KEYS.items()}

    assert known == declared
    assert {name for one in RERANKERS for name in one.login.env} <= KEYS


def test_search_models_with_a_provider_can_be_chosen_a_model_for() -> None:
    assert set(SEARCH_MODELS) == set(installed_search_models()) - {CUSTOM}


def test_every_address_and_every_other_option_waits() -> None:
    waiting = {name for service in installed_services().values() for name in _rest(service)}
    for provider in (*built_in_providers(), *RERANKERS):
        waiting |= {provider.login.base_url_env or "HTTP_PROXY"}
        waiting |= set() if provider.login.base_url else set(provider.login.env)
    waiting |= set(_ENDPOINTS)

    assert waiting <= AWAITED
    assert not any(map(folder_may_name, waiting))


def test_every_setting_is_allowed_or_told_of_by_each_of_its_names() -> None:
    for path, key in known_keys().items():
        allowed = folder_may_set(path)
        assert all(folder_may_name(name) is allowed for name in key.variables), path
        assert allowed or all(map(is_awaited, key.variables)), path


def test_what_opens_something_waits() -> None:
    blocks = ("policy", "render", "plugins", "proxy", "budgets", "keyless", "custom_base_url")

    assert not any(folder_may_set(path) for path in known_keys() if path[0] in blocks)


def _keys(service: Service) -> Iterator[Option]:
    return (each for each in service.options if each.secret or each.required)


def _rest(service: Service) -> Iterator[str]:
    yield from service.address.env
    keys = () if not service.address.base_url else tuple(_keys(service))
    yield from (name for each in service.options if each not in keys for name in each.env)

"""The table of vendors in the settings, made from what services and providers declare.

``make docs`` writes it. Reading settings imports the table and no vendor: there are a hundred of
those, and a command uses one or two.
"""

import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from release.doc_tables import own_services
from webseam.adapters.features.models.declaration.provider import Login
from webseam.adapters.features.models.embedding_apis import EMBEDDERS
from webseam.adapters.features.models.provider_registry import built_in_providers
from webseam.adapters.features.models.rerank import RERANKERS
from webseam.adapters.services.declaration import Option, Service
from webseam.composition.features.models.search_model_rows import (
    CUSTOM_NAME,
    installed_search_models,
)
from webseam.composition.settings.checks import known_setting_keys
from webseam.kernel.policy.trust import FolderRules, Vendors

_HEAD = '''"""Which variables belong to whom: keys, addresses and their parts.

Written by `make docs` from what services and providers declare: change it there, not here.
"""

from webseam.kernel.policy.trust import FolderRules, Vendors

'''


def declared_vendors() -> Vendors:
    """Return what the services and providers that come with webseam declare."""
    services = sorted(own_services(), key=lambda one: one.name)
    providers = sorted(built_in_providers(), key=lambda one: one.name)
    logins = [one.login for one in (*providers, *EMBEDDERS, *RERANKERS)]
    return Vendors(
        service_keys={one.name: _keys(one) for one in services if _keys(one)},
        provider_keys={
            one.name: (*one.login.env, *one.login.signing_env)
            for one in providers
            if one.login.base_url
        },
        search_models=tuple(sorted(set(installed_search_models()) - {CUSTOM_NAME})),
        awaited=frozenset((*_of_services(services), *_of_logins(logins), *_of_settings())),
    )


def written(vendors: Vendors) -> str:
    """Return the table as a module of Python."""
    fields = "".join(
        f"    {name}={_written_table(getattr(vendors, name))},\n"
        for name in vendors.__struct_fields__
    )
    return f"{_HEAD}VENDORS = Vendors(\n{fields})  # fmt: skip\nFOLDER = FolderRules(VENDORS)\n"


def _written_table(table: object) -> str:
    """Return a table with as many entries on a line as fit."""
    if isinstance(table, dict):
        return f"{{\n{_written_rows(f'{name!r}: {value!r}' for name, value in table.items())}    }}"
    rows = f"(\n{_written_rows(map(repr, sorted(cast('Iterable[str]', table))))}    )"
    return f"frozenset({rows})" if isinstance(table, frozenset) else rows


def _written_rows(entries: Iterable[str]) -> str:
    joined = ", ".join(entries).replace("'", '"') + ","
    lines = textwrap.wrap(joined, width=88, break_long_words=False, break_on_hyphens=False)
    return "".join(f"        {line}\n" for line in lines)


def _keys(service: Service) -> dict[str, tuple[str, ...]]:
    """Return what proves who calls, of a service with an official address."""
    return {one.name: one.env for one in service.options if _is_key(service, one)}


def _is_key(service: Service, option: Option) -> bool:
    return bool(service.address.base_url) and (option.secret or option.required)


def _of_services(services: Iterable[Service]) -> Iterator[str]:
    for service in services:
        yield from service.address.env
        for option in service.options:
            yield from () if _is_key(service, option) else option.env


def _of_logins(logins: Iterable[Login]) -> Iterator[str]:
    for login in logins:
        yield from (login.base_url_env,) if login.base_url_env else ()
        yield from login.place_env
        yield from () if login.base_url else login.env


def _of_settings() -> Iterator[str]:
    """Yield the variables of settings that a working folder may not set, but for our own."""
    alone = FolderRules(
        Vendors(service_keys={}, provider_keys={}, search_models=(), awaited=frozenset())
    )
    for path, key in known_setting_keys().items():
        if path[0] not in ("services", "providers") and not alone.may_set(path):
            yield from (name for name in key.variables if not name.startswith("WEBSEAM_"))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(written(declared_vendors()), encoding="utf-8")

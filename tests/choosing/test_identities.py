"""Where a backend is asked, and the keys of its stored answers and its health.

A key that changes loses every answer that users have stored. Those of backends without a key or a
description were recorded before ``cache_identity`` was a field of its own; the others hold their
settings, too, since one project of an API was answered with the rows of another.
"""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from tests.doors.cli.run import webseam
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.stores.cached_backend import CachedBackend
from webseam.composition.planning.route_backend import RouteBackend
from webseam.composition.wiring.backend_choice import choose_backend
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.backend_table import all_backend_rows, find_backend_row
from webseam.kernel.planner.selection import Capability

from .support import root

DESCRIBED = "json:\n  mine:\n    url_template: 'https://api.example/s?q={query}'\n    results_path: results\n"
CUSTOM = "custom_base_url: https://llm.example/v1\ncustom_model: m\n"
SITES = "sites: {a.example: {headers: {X-Key: s3cret}}}\n"
AGENT = "https://bot.example"
SIGNING = f"signing: {{key_file: key.pem, agent: '{AGENT}'}}"
JSON_SEARCH = {"WEBSEAM_JSON_SEARCH_URL": "https://api.example/s"}
JSON_EXTRACT = {"WEBSEAM_JSON_EXTRACT_URL": "https://api.example/x"}
KEYS = {"BRAVE_API_KEY": "one,two", "TAVILY_API_KEY": "t", "OPENAI_API_KEY": "o"}
ALL_PAGE_OPTIONS = "render: {mode: auto}\nextract_comments: true\nextract_walled: true\n"

# Backend, settings, environment; what is printed as its address, and its part of the keys.
ROWS: list[tuple[str, str, dict[str, str], str | None, str]] = [
    ("pages", "render: {mode: never}", {}, None, "never"),
    ("pages", "render: {mode: auto}", {}, None, "auto"),
    ("pages", "render: {mode: always}", {}, None, "always"),
    ("pages", "extract_comments: true", {}, None, "never with comments"),
    ("pages", "extract_walled: true", {}, None, "never walled"),
    ("pages", "pages: {prefer: markdown}", {}, None, "never markdown"),
    ("pages", "pages: {second_look: 0.5}", {}, None, "never second look 0.5"),
    ("pages", f"pages: {{{SIGNING}}}", {}, None, f"never signed for {AGENT}"),
    ("pages", SITES, {}, None, "neverb9b9afa16974eb88"),
    ("pages", "sites: {a.example: {hedders: {}}}", {}, None, "never"),
    ("pages", "vision: {provider: openai}", {"OPENAI_API_KEY": "k"}, None, "never"),
    (
        "pages",
        f"{ALL_PAGE_OPTIONS}pages: {{prefer: markdown, second_look: 0.5, {SIGNING}}}\n{SITES}",
        {},
        None,
        f"auto with comments walled markdown second look 0.5 signed for {AGENT}b9b9afa16974eb88",
    ),
    ("index", "", {"WEBSEAM_INDEX": "index.sqlite"}, None, "index.sqlite"),
    ("json", "", {}, None, ""),
    ("json", "", JSON_SEARCH, "https://api.example/s", "https://api.example/s"),
    ("json", "", JSON_EXTRACT, "https://api.example/x", "https://api.example/x"),
    (
        "json",
        "",
        {**JSON_SEARCH, **JSON_EXTRACT},
        "https://api.example/s",
        "https://api.example/s https://api.example/x",
    ),
    ("mine", DESCRIBED, {}, "https://api.example", "https://api.example"),
    ("exa", "", {}, "https://api.exa.ai", "https://api.exa.ai"),
    (
        "exa",
        "",
        {"WEBSEAM_EXA_BASE_URL": "https://me.example/v1/"},
        "https://me.example/v1",
        "https://me.example/v1",
    ),
    ("exa", "services: {exa: {colour: red}}", {}, None, ""),
    ("searxng", "", {}, None, ""),
    (
        "searxng",
        "",
        {"SEARXNG_URL": "https://me.example/"},
        "https://me.example",
        "https://me.example",
    ),
    ("openai_web", "", {}, None, ""),
    (
        "openai_web",
        "",
        {"OPENAI_API_KEY": "k", "WEBSEAM_OPENAI_WEB_MODEL": "gpt-x"},
        "https://api.openai.com/v1",
        "https://api.openai.com/v1 (model gpt-x)",
    ),
    ("custom", "", {}, None, ""),
    ("custom", CUSTOM, {}, "https://llm.example/v1", "https://llm.example/v1 (model m)"),
]

# Capability, route, settings, environment, user; the key of a page in the cache, and the
# fingerprints of the targets in the ledger. With the index in a route, keys change with its documents.
BRAVE_HEALTH = {"search:brave#1": "30f27cf6248d0caf", "search:brave#2": "7bf4f31f87ccdea2"}
ROUTES: list[tuple[Capability, str, str, dict[str, str], str, str | None, dict[str, str]]] = [
    (
        "extract",
        "pages",
        "",
        {},
        "",
        "73242bc0941c873687e6148524b12bd6ca14917cc11d5519f703ec580cc96e8c",
        {},
    ),
    (
        "extract",
        "pages",
        f"{ALL_PAGE_OPTIONS}pages: {{prefer: markdown, second_look: 0.5}}\n{SITES}",
        {},
        "",
        "0dcb35b2cf72d62065f0ac2df66ec5a10cd3b1b60850531a318ef8068286a91f",
        {},
    ),
    (
        "extract",
        "pages",
        "",
        {},
        "team",
        "146dec61dbdfa6ca363451e62fa0f4f0f361609ee529bbda782088fc14dc001e",
        {},
    ),
    (
        "search",
        "brave",
        "",
        KEYS,
        "",
        "63102dcb4fde5a0d8da496944d73833e23df41c897e2b2df13e977e636114507",
        BRAVE_HEALTH,
    ),
    (
        "search",
        "mine",
        DESCRIBED,
        {},
        "",
        "cdc6b07c31cfe971af874a8c7ca1f56d22e9319f9750640b0016fc5e7969a00e",
        {"search:mine#1": "40a5bda9c2798008"},
    ),
    (
        "search",
        "json",
        "",
        {**JSON_SEARCH, **JSON_EXTRACT},
        "",
        "8b9ebaacc271e2e5cb1dc50d67459215e7688933360b99cf265f7e585ed86ee5",
        {"search:json#1": "4c73ea07455e761f"},
    ),
    (
        "search",
        "openai_web",
        "",
        KEYS,
        "",
        "97df03f4ec775c3abe7ecbbea978beaae28be4022a81e11a65ae2bac365e272a",
        {"search:openai_web#1": "af420f6d29811a5a"},
    ),
    (
        "search",
        "custom",
        CUSTOM,
        {},
        "",
        "c31da7d5017ffe9444049bf6dc5acb59eec3dade50d3fe3c3d611bf1bd7f47b3",
        {"search:custom#1": "db17f547c9e7781c"},
    ),
    (
        "search",
        "brave,tavily",
        "",
        KEYS,
        "",
        "dcb96c12be7eb40f2755636ec82e9a67ed6fa45f2744dcc2c11ba97d1e362bb1",
        {**BRAVE_HEALTH, "search:tavily#1": "066c95f959858590"},
    ),
    (
        "extract",
        "tavily,pages",
        "",
        KEYS,
        "team",
        "978c714853f656eea4ce69dfdde979946f6a11736bc08ba32ca425433658e690",
        {"extract:tavily#1": "066c95f959858590", "extract:pages#1": "7d941758fd0c2071"},
    ),
    (
        "search",
        "index,brave",
        "",
        {**KEYS, "WEBSEAM_INDEX": "index.sqlite"},
        "",
        None,
        {"search:index#1": "a20613b8e1ad5841", **BRAVE_HEALTH},
    ),
]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where ``index.sqlite`` is an index, so that its path is the same on every machine."""
    monkeypatch.chdir(tmp_path)
    DocumentIndex.open_writer(Path("index.sqlite")).unwrap().close()


def test_address_is_where_a_backend_is_asked_and_its_identity_is_as_stored(tmp_path: Path) -> None:
    for name, settings, environment, address, identity in ROWS:
        row = find_backend_row(name, root(tmp_path, settings, **environment))

        assert row is not None
        assert (row.address, row.cache_identity) == (address, identity), (name, settings)


def test_keys_of_stored_answers_and_of_health_stay_as_they_are(tmp_path: Path) -> None:
    for capability, route, settings, environment, user, key, health in ROUTES:
        opened = replace(
            root(tmp_path, settings, **environment, HOME=str(tmp_path)), cache_scope=user
        )

        if key is not None:
            assert _page_key(capability, route, opened) == key, (route, settings, user)
        assert _fingerprints(capability, route, opened) == health, (route, settings)


def _page_key(capability: Capability, route: str, opened: Root) -> str:
    backend = choose_backend(capability, opened, route=route.split(",")).unwrap().backend
    assert isinstance(backend, CachedBackend)
    return backend.page_question("https://a.example/b").key.hex()


def _fingerprints(capability: Capability, route: str, opened: Root) -> dict[str, str]:
    chosen = choose_backend(capability, opened, route=route.split(","), cached=False)
    backend = chosen.unwrap().backend
    if not isinstance(backend, RouteBackend):
        return {}
    return {name: target.fingerprint for name, target in backend.planner.fleet.targets.items()}


def test_every_address_is_one_url_or_none(tmp_path: Path) -> None:
    variants = [(settings, environment) for _, settings, environment, _, _ in ROWS]
    for settings, environment in [*variants, ("", KEYS)]:
        for row in all_backend_rows(root(tmp_path, settings, **environment)):
            if row.address is not None:
                parts = urlsplit(row.address)
                assert (parts.scheme, bool(parts.hostname)) == ("https", True), row
                assert not any(map(str.isspace, row.address)), row


def test_backends_prints_null_where_there_is_no_address() -> None:
    ran = webseam("backends", "--all", "--json", OPENAI_API_KEY="k")

    backends = {backend["name"]: backend for backend in json.loads(ran.out)["data"]["backends"]}
    addresses = {name: backend["address"] for name, backend in backends.items()}
    without = {"pages", "index", "json", "custom", "searxng"}
    assert {addresses[name] for name in without} == {None}
    assert backends["openai_web"]["address"] == "https://api.openai.com/v1"
    assert backends["openai_web"]["model"] == "gpt-5-mini"
    assert backends["exa"]["model"] is None
    assert all(address is None or address.startswith("https://") for address in addresses.values())

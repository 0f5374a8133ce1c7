"""The table of backends: who is ready, who is not and why."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from returns.result import Failure

from tests.services.made_up import service
from tests.services.pick import KEY_VARIABLE, NAME, SERVICE
from webseam import configured_backend, service_backend
from webseam.adapters.services.declaration import Offer, ServiceAddress
from webseam.composition.settings.entries import option_variable
from webseam.composition.wiring.backend_choice import (
    choose_backend,
    choose_backend_row,
    choose_backend_rows,
)
from webseam.composition.wiring.backend_rows import BackendRow
from webseam.composition.wiring.backend_table import (
    all_backend_rows,
    find_backend_row,
    service_backend_row,
)
from webseam.composition.wiring.prices import backend_price
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.service_backends import installed_services
from webseam.ports import (
    InvalidSetting,
    InvalidUrl,
    NotConfigured,
    UnknownBackend,
    UnsupportedCapability,
)

from .support import root

OWN = "json:\n  mine:\n    url_template: 'https://api.example/s?q={query}'\n    results_path: results\n"


def test_a_service_is_ready_when_its_key_is_there(tmp_path: Path) -> None:
    bare = service_backend_row(service(), root(tmp_path))
    keyed = service_backend_row(service(), root(tmp_path, MADE_UP_KEY="k-0123456789"))

    assert (bare.candidate.ready, keyed.candidate.ready) == ((), ("search", "extract"))
    assert keyed.problem is None
    assert bare.problem == NotConfigured(
        reason="Made Up has no API key", settings=("MADE_UP_KEY",), backend="made_up"
    )
    assert bare.open() == Failure(bare.problem)


def test_a_service_at_no_address_says_where_to_set_one(tmp_path: Path) -> None:
    homeless = msgspec.structs.replace(service(), address=ServiceAddress(env=("MADE_UP_URL",)))

    error = service_backend_row(homeless, root(tmp_path, MADE_UP_KEY="k")).problem
    at_home = service_backend_row(
        homeless, root(tmp_path, MADE_UP_KEY="k", MADE_UP_URL="https://me.example/")
    )

    assert isinstance(error, NotConfigured)
    assert error.settings == ("MADE_UP_URL",)
    assert (at_home.problem, at_home.address) == (None, "https://me.example")


def test_service_without_a_key_is_keyless_and_not_set_up(tmp_path: Path) -> None:
    free = msgspec.structs.replace(service(), offer=Offer(keyless=("search",)))

    row = service_backend_row(free, root(tmp_path))
    own = service_backend_row(free, root(tmp_path, WEBSEAM_MADE_UP_BASE_URL="http://127.0.0.1:1"))
    none_needed = service_backend_row(msgspec.structs.replace(free, options=()), root(tmp_path))

    assert (row.candidate.ready, row.candidate.keyless) == ((), ("search",))
    assert not isinstance(row.open(), Failure)
    assert (own.candidate.ready, own.problem) == (("search",), None)
    assert (none_needed.candidate.ready, none_needed.candidate.keyless) == ((), ("search",))


def test_a_setting_that_cannot_be_used_is_the_problem_of_its_service(tmp_path: Path) -> None:
    row = service_backend_row(SERVICE, root(tmp_path, f"services: {{{NAME}: {{colour: red}}}}"))

    assert isinstance(row.problem, InvalidSetting)
    assert isinstance(row.open().failure(), InvalidSetting)


def test_one_described_in_settings_is_ready_and_first(tmp_path: Path) -> None:
    own = root(tmp_path, OWN, **{KEY_VARIABLE: "k"})

    assert find_backend_row("mine", own) is not None
    assert choose_backend_row("search", own).unwrap()[0].name == "mine"


def test_a_wrong_description_is_an_error_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("json:\n  mine:\n    method: POST\n", encoding="utf-8")

    error = read_root({"WEBSEAM_CONFIG": str(file)}).failure()

    assert "config.yaml:" in error.message


def test_wrong_settings_and_a_wrong_policy_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    for text in ("backand: x\n", "policy: {deny_domains: ['a b']}\n"):
        file.write_text(text, encoding="utf-8")
        assert isinstance(read_root({"WEBSEAM_CONFIG": str(file)}).failure(), InvalidSetting)


def test_every_row_is_found_by_its_name(tmp_path: Path) -> None:
    here = root(tmp_path)

    for row in all_backend_rows(here):
        row_found = find_backend_row(row.candidate.name, here)
        assert row_found is not None
        assert row_found.candidate == row.candidate
    assert find_backend_row("nobody", here) is None


def test_the_settings_choose(tmp_path: Path) -> None:
    key = {KEY_VARIABLE: "k-0123456789"}

    assert choose_backend("search", root(tmp_path, **key)).unwrap().choice.name == NAME
    assert (
        choose_backend("extract", root(tmp_path, f"backend: {NAME}", **key)).unwrap().choice.name
        == "pages"
    )
    named = choose_backend("search", root(tmp_path, "search_backend: nobody", **key)).failure()
    assert isinstance(named, UnknownBackend)
    assert named.name == "nobody"
    assert named.place.endswith("config.yaml:1: search_backend")
    usual = choose_backend("search", root(tmp_path, WEBSEAM_BACKEND="nobody")).failure()
    assert isinstance(usual, UnknownBackend)
    assert (usual.name, usual.place) == ("nobody", "WEBSEAM_BACKEND: backend")
    wrong = choose_backend("extract", root(tmp_path, f"extract_backend: {NAME}", **key)).failure()
    assert isinstance(wrong, UnsupportedCapability)
    assert {"index", "pages"} <= set(wrong.capable)
    assert wrong.backend == NAME
    assert wrong.place.endswith("config.yaml:1: extract_backend")


def test_a_named_one_that_is_not_set_up_says_what_is_lacking(tmp_path: Path) -> None:
    error = choose_backend("search", root(tmp_path), backend_name=NAME).failure()

    assert error == NotConfigured(
        reason=f"{SERVICE.title} has no API key", settings=(KEY_VARIABLE,), backend=NAME
    )


def test_an_endpoint_for_one_call_is_checked_when_it_is_opened(tmp_path: Path) -> None:
    environment = {"WEBSEAM_CONFIG": str(tmp_path / "none.yaml"), "WEBSEAM_JSON_API_KEY": "k"}
    here = read_root(environment, endpoint="http://api.example/").unwrap()

    assert isinstance(choose_backend("search", here, backend_name="json").failure(), InvalidUrl)


@pytest.mark.parametrize("capability", ["search", "extract"])
def test_the_json_backend_without_an_address_says_so(tmp_path: Path, capability: str) -> None:
    error = choose_backend(capability, root(tmp_path), backend_name="json").failure()  # type: ignore[arg-type]

    assert isinstance(error, NotConfigured)


def test_a_program_gets_the_backend_that_the_settings_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSEAM_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setenv(KEY_VARIABLE, "k-0123456789")

    backend = configured_backend("search", named=NAME, cached=False).unwrap()
    asyncio.run(backend.aclose())

    assert backend.about.name == NAME
    (tmp_path / "config.yaml").write_text("nonsense: 1\n", encoding="utf-8")
    assert isinstance(configured_backend("search").failure(), InvalidSetting)


def test_a_program_names_a_service_and_gives_its_key() -> None:
    backend = service_backend(NAME, {"api_key": "k-0123456789"}).unwrap()
    asyncio.run(backend.aclose())

    assert backend.about.name == NAME
    assert service_backend("nobody", {}).failure().kind == "invalid_query"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (f"{NAME}: {{api_kye: k}}", f"services.{NAME}.api_kye: is not an option of {NAME}"),
        (f"{NAME}: {{base_url: nonsense}}", f"services.{NAME}.base_url: it has no scheme"),
        (f"{NAME}x: {{api_key: k}}", f"services.{NAME}x: is not a service; {NAME} is"),
    ],
)
def test_a_block_that_is_wrong_does_not_let_somebody_else_answer(
    tmp_path: Path, block: str, said: str
) -> None:
    settings = tmp_path / "config.yaml"
    settings.write_text(f"services: {{{block}}}\n")
    settings.chmod(0o600)

    choice = read_root({"WEBSEAM_CONFIG": str(settings)}).bind(
        lambda here: choose_backend("search", here)
    )

    assert f"config.yaml:1: {said}" in choice.failure().message


@pytest.mark.parametrize("name", [NAME, "pages", "custom"])
def test_described_api_may_not_take_the_name_of_a_service(tmp_path: Path, name: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(OWN.replace("mine", name), encoding="utf-8")

    error = read_root({"WEBSEAM_CONFIG": str(file)}).failure()

    assert f"config.yaml:3: json.{name}: is the name of another service" in error.message


def test_a_wrong_block_of_one_does_not_keep_another_from_being_asked(tmp_path: Path) -> None:
    special = next(
        row.candidate.name for row in all_backend_rows(root(tmp_path)) if _is_special(row)
    )
    wrong = f"services: {{{special}: {{nonsense: x}}}}"

    named = choose_backend("extract", root(tmp_path, wrong), backend_name="pages")
    first = choose_backend("search", root(tmp_path, wrong, **{KEY_VARIABLE: "k-0123456789"}))

    assert (named.unwrap().choice.name, first.unwrap().choice.name) == ("pages", NAME)


def _is_special(row: BackendRow) -> bool:
    return row.service is not None and row.service.offer.scope == "special"


@pytest.mark.parametrize(
    ("variables", "backend"),
    [
        ({"SEARXNG_API_KEY": "k"}, "searxng"),
        ({"DATAFORSEO_LOGIN": "me"}, "dataforseo"),
        ({"GOOGLE_PSE_API_KEY": "k"}, "google_pse"),
    ],
)
def test_a_service_that_is_set_up_in_part_is_an_error_and_nobody_else_is_asked(
    tmp_path: Path, variables: dict[str, str], backend: str
) -> None:
    error = choose_backend_row("search", root(tmp_path, **variables)).failure()

    assert (error.kind, error.backend) == ("not_configured", backend)


def test_a_variable_that_is_for_others_too_begins_nothing(tmp_path: Path) -> None:
    chosen = choose_backend_row("search", root(tmp_path, GOOGLE_API_KEY="k")).unwrap()[0]

    assert chosen.reason == "keyless"


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ("route: [brave, tavily, {fuse: [serpapi, exa], quorum: 2}]", ["tavily", "exa"]),
        ("route: [brave, serpapi]", ["tavily", "pages"]),
        ("route: [brave, tavily]\nextract_backend: exa", ["exa"]),
        ("extract_route: [exa]\nextract_backend: tavily", ["exa"]),
    ],
    ids=["who can", "nobody can: the usual choice", "a backend of its own", "a route of its own"],
)
def test_a_route_for_all_tasks_leaves_out_who_cannot_do_one(
    tmp_path: Path, settings: str, names: list[str]
) -> None:
    keys = {f"{name}_API_KEY": "k" for name in ("BRAVE", "TAVILY", "SERPAPI", "EXA")}

    _, rows = choose_backend_rows("extract", root(tmp_path, settings, **keys)).unwrap()

    assert [row.candidate.name for row in rows] == names


def test_a_name_that_nobody_has_is_an_error_on_a_route_for_all_tasks(tmp_path: Path) -> None:
    failure = choose_backend_rows("extract", root(tmp_path, "route: [nobody]")).failure()

    assert "nobody" in failure.message


def test_a_question_for_an_address_of_ones_own_goes_to_nobody_else(tmp_path: Path) -> None:
    address = "https://mine.example/v1"
    variables = {
        "custom": {"CUSTOM_SEARCH_BASE_URL": address},
        "json": {"WEBSEAM_JSON_SEARCH_URL": address},
    } | {
        name: {option_variable(name, "base_url"): address}
        | {option_variable(name, it.name): "k-0123456789" for it in service.options if it.required}
        for name, service in installed_services().items()
        if service.search is not None and service.offer.scope == "web"
    }
    for name, given in variables.items():
        choice, rows = choose_backend_rows("search", root(tmp_path, **given)).unwrap()
        assert [row.candidate.name for row in rows] == [name], (name, choice)
        other = "marginalia" if name == "duckduckgo" else "duckduckgo"
        routed = root(tmp_path, **given, WEBSEAM_ROUTE=f"{name},{other}")
        _, rows = choose_backend_rows("search", routed).unwrap()
        assert [row.candidate.name for row in rows] == [name, other]


@pytest.mark.parametrize("price", ["{search: .004}", "[1]", "-1"])
def test_price_of_a_service_whose_settings_are_wrong_is_unknown(tmp_path: Path, price: str) -> None:
    opened = root(tmp_path, f"services: {{brave: {{price: {price}}}}}\n")
    row = service_backend_row(installed_services()["brave"], opened)

    assert (row.settings, backend_price(row, "search")) == (None, None)

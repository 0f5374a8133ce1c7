"""A search of X along a route, and models on the command line."""

import json
from pathlib import Path

import httpx
import pytest
from returns.result import Result

from tests.clock import run
from tests.doors.cli.run import webseam
from tests.features.models.x_search.serving import reply
from tests.settings.support import settings
from webseam.composition.features.models.x_search_setup import open_x_search
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.ports.errors import InvalidSetting, NotConfigured, WebError
from webseam.ports.x_search import XSearchOutcome
from webseam.testing import ScriptedTransport

GATEWAY = "providers: {gate: {base_url: 'https://gate.example/v1', api_key: k2}}\n"
DOWN = httpx.Response(503, json={})


def fine(**fields: object) -> httpx.Response:
    return httpx.Response(200, json=reply("High tide.", **fields))


def search(
    folder: Path, responses: list[httpx.Response], text: str = GATEWAY, **fields: object
) -> tuple[Result[XSearchOutcome, WebError], ScriptedTransport]:
    transport = ScriptedTransport(responses)
    chosen = settings(folder, text, XAI_API_KEY="k1")
    root = SettingsRoot(settings=chosen, transport=transport)
    searcher = open_x_search(root, route=("xai/grok-4.3", "gate/grok-9")).unwrap()

    async def searched() -> Result[XSearchOutcome, WebError]:
        outcome = await searcher({"query": "tides", **fields})
        await searcher.aclose()
        return outcome

    return run(searched()), transport


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBSEAM_LEDGER", str(tmp_path / "ledger.sqlite"))


def test_the_next_of_the_route_searches_x_and_the_receipt_says_who(tmp_path: Path) -> None:
    outcome, transport = search(tmp_path, [DOWN, fine()])

    receipt = outcome.unwrap().receipt
    assert receipt.backend == "gate"
    assert [(one.backend, one.outcome) for one in receipt.attempts] == [
        ("xai", "upstream_unavailable"),
        ("gate", "answered"),
    ]
    assert [json.loads(one.content)["model"] for one in transport.requests] == [
        "grok-4.3",
        "grok-9",
    ]


def test_stored_x_search_is_not_tried_with_the_next_model(tmp_path: Path) -> None:
    outcome, transport = search(tmp_path, [DOWN, fine()], store=True)

    assert outcome.failure().kind == "upstream_unavailable"
    assert len(transport.requests) == 1


def test_with_a_budget_a_search_of_x_is_refused_until_its_most_is_said(tmp_path: Path) -> None:
    outcome, transport = search(tmp_path, [fine()], GATEWAY + "budgets: {day: 100}\n")

    error = outcome.failure()
    assert isinstance(error, NotConfigured)
    assert error.settings == ("x_search.price",)
    assert transport.requests == []


@pytest.mark.parametrize(("day", "kind"), [(0.2, "budget_exceeded"), (0.3, "")])
def test_a_search_of_x_holds_the_most_that_it_may_cost(
    tmp_path: Path, day: float, kind: str
) -> None:
    more = f"budgets: {{day: {day}}}\nx_search: {{price: 0.25}}\n"

    outcome, transport = search(tmp_path, [fine()], GATEWAY + more)

    assert outcome.swap().map(lambda error: error.kind).value_or("") == kind
    assert len(transport.requests) == (not kind)


def test_a_route_that_is_none_is_told(tmp_path: Path) -> None:
    chosen = settings(tmp_path, "x_search: {route: [xai, xai]}", XAI_API_KEY="k1")

    assert isinstance(open_x_search(SettingsRoot(settings=chosen)).failure(), InvalidSetting)


def test_of_another_provider_the_model_that_searches_x_is_named(tmp_path: Path) -> None:
    chosen = settings(tmp_path, GATEWAY, XAI_API_KEY="k1")

    error = open_x_search(SettingsRoot(settings=chosen), route=("xai", "gate")).failure()

    assert "Name it on the route, as in gate/MODEL." in error.message


MODELS = """
providers:
  one: {base_url: "http://127.0.0.1:9/v1", model: m1}
  two: {base_url: "http://127.0.0.1:9/v1", model: m2}
cache: false
"""


def variables(folder: Path, more: str = "") -> dict[str, str]:
    config = folder / "config.yaml"
    config.write_text(MODELS + more)
    return {"WEBSEAM_CONFIG": str(config), "WEBSEAM_LEDGER": str(folder / "ledger.sqlite")}


def test_the_command_line_asks_models_along_a_route_and_explains(tmp_path: Path) -> None:
    ran = webseam("model", "ask", "Hi", "--route", "one,two/m9", "--explain", **variables(tmp_path))

    assert ran.code == 4
    assert "No backend answered: one (connect_failed), two (connect_failed)" in ran.err
    assert "the first choice" in ran.err


def test_the_settings_have_a_route_for_models(tmp_path: Path) -> None:
    ran = webseam(
        "model", "ask", "Hi", "--json", **variables(tmp_path, "model_route: [two, one]\n")
    )

    attempts = json.loads(ran.out)["failure"]["attempts"]
    assert [one["backend"] for one in attempts][:2] == ["two", "one"]


def test_a_route_of_models_written_wrong_says_where(tmp_path: Path) -> None:
    asked = webseam("model", "ask", "Hi", "--route", "one,one", **variables(tmp_path))
    on_x = webseam("x", "Hi", "--route", "one,one", **variables(tmp_path))
    written = variables(tmp_path, "model_route: [one, one]\n")
    set_up = webseam("model", "ask", "Hi", **written)

    assert [asked.code, on_x.code, set_up.code] == [2, 2, 3]
    assert asked.err == on_x.err == "webseam: route: names one twice.\n"
    assert "config.yaml:" in set_up.err
    assert "model_route: names one twice" in set_up.err

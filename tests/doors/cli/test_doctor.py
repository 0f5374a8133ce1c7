"""``webseam doctor``: the verdict, the next command, and what it ends with."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.doors.cli.run import Ran, webseam
from tests.services.imitation import Imitation
from tests.services.pick import ADDRESS_VARIABLE, FOUND, KEY_VARIABLE, NAME
from webseam.composition.health.answering import BackendStates, answering_part
from webseam.composition.health.health_parts import HealthPart, judge_health
from webseam.composition.health.probes import diagnose_backend_row
from webseam.composition.wiring.backend_table import find_backend_row
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.target_health import TargetHealth

KEY = "secret-key-0123456789"


def test_the_verdict_comes_first_then_the_next_command_then_the_parts() -> None:
    ran = webseam("doctor", **{KEY_VARIABLE: KEY})

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        (
            f"✓ Search is set up through {NAME}; pages are read on this machine; "
            "no model is set up (webseam setup model)."
        ),
        "  Next  webseam doctor --live   makes one real call to each that is set up",
        "",
        f"  ✓ Search  set up      {NAME}",
        "  ✓ Pages   built in    read on this machine",
        "  · Models  not set up  webseam setup model",
        "  · X       not set up  webseam setup x",
        "  · Index   empty       webseam index add PATH_OR_URL",
    ]


def test_doctor_does_not_tick_a_service_that_is_not_set_up() -> None:
    assert webseam("doctor", NAME).out.startswith(f"· {NAME} is not set up.")


def test_models_and_x_are_looked_at_by_the_choice_of_model_ask() -> None:
    one = webseam("doctor", OPENAI_API_KEY=KEY)
    two = webseam("doctor", OPENAI_API_KEY=KEY, XAI_API_KEY=KEY)
    asked = webseam("model", "ask", "?", OPENAI_API_KEY=KEY, XAI_API_KEY=KEY)

    assert "questions go to openai" in one.out
    assert "key from OPENAI_API_KEY" in one.out
    assert "! Models  several     openai, xai: webseam setup model openai --use" in two.out
    assert "✓ X       set up      key from XAI_API_KEY" in two.out
    assert "Several providers are set up: openai, xai." in asked.err
    assert (one.code, two.code, asked.code) == (0, 0, 3)


def test_a_route_says_who_answers_and_a_provider_on_it_that_is_not_set_up_is_broken() -> None:
    both = {"OPENAI_API_KEY": KEY, "XAI_API_KEY": KEY}

    routed = webseam("doctor", WEBSEAM_MODEL_ROUTE="xai/grok-4, openai", **both)
    listed = webseam("models", "--configured", WEBSEAM_MODEL_ROUTE="xai/grok-4", **both)
    keyless = webseam("doctor", WEBSEAM_MODEL_ROUTE="mistral", **both)
    none = webseam("models", "--configured", WEBSEAM_MODEL_ROUTE="mistral", **both)
    wrong = webseam("doctor", WEBSEAM_MODEL_ROUTE="xai,xai", **both)

    assert "✓ Models  set up      xai, grok-4; key from XAI_API_KEY" in routed.out
    assert listed.out.splitlines()[1].startswith("\u203a xai ")
    assert " grok-4 " in listed.out.splitlines()[1]
    assert "models do not work: model_route begins with mistral, which is not set up" in keyless.out
    assert "\u203a" not in none.out
    assert "names xai twice" in wrong.out
    assert (routed.code, keyless.code, wrong.code) == (0, 1, 1)


def test_a_name_that_is_a_backends_and_a_providers_is_not_said_twice() -> None:
    own = {"CUSTOM_SEARCH_BASE_URL": "https://llm.example/v1", "CUSTOM_SEARCH_API_KEY": KEY}

    ran = webseam("doctor", "custom", **own)

    assert ran.out.splitlines()[0] == "✓ custom is set up."
    assert "https://llm.example/v1 (model sonar)" in ran.out


def refused(*arguments: str, **more: str) -> Ran:
    async def play() -> Ran:
        imitation = Imitation([{"status": 401, "body": {}}, FOUND])
        async with imitation.running():
            variables = {KEY_VARIABLE: KEY, ADDRESS_VARIABLE: imitation.base_url, **more}
            return await asyncio.to_thread(webseam, "doctor", *arguments, **variables)

    return asyncio.run(play())


def test_a_refused_key_is_exit_1_and_says_what_to_type() -> None:
    ran = refused("--live", NAME)
    as_json = json.loads(refused("--live", NAME, "--json").out)

    assert ran.code == 1
    assert ran.out.splitlines()[:2] == [
        f"✗ {NAME} does not work: its key was refused.",
        f"  Next  webseam setup {NAME}",
    ]
    assert (as_json["success"], as_json["data"]["next"]) == (False, f"webseam setup {NAME}")
    assert KEY not in ran.out


def test_no_backend_is_called_while_the_network_is_closed() -> None:
    ran = refused("--live", NAME, WEBSEAM_POLICY_FOLLOW="cache")

    assert (ran.code, "policy.follow is cache" in ran.out) == (1, True)
    assert "key was refused" not in ran.out


def test_a_provider_is_tried_by_its_list_of_models(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    variables = {"WEBSEAM_CONFIG": str(config), "MINE_KEY": KEY}

    async def play() -> Ran:
        imitation = Imitation([{"body": {"data": [{"id": "small-1"}]}}])
        async with imitation.running():
            url = imitation.base_url
            config.write_text(
                f"providers: {{mine: {{base_url: '{url}', env: MINE_KEY, model: m}}}}\n"
            )
            return await asyncio.to_thread(
                webseam, "doctor", "mine", "models", "--live", **variables
            )

    works = asyncio.run(play())
    gone = webseam("doctor", "mine", "--live", **variables)

    assert works.code == 0
    assert works.out.startswith("✓ mine works; models work.\n")
    assert (gone.code, "✗ mine does not work: it was not reached." in gone.out) == (1, True)


def test_a_setting_that_cannot_be_used_is_exit_1(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("cach: {minutes: 5}\n")

    in_file = webseam("doctor", WEBSEAM_CONFIG=str(config))
    variable = webseam("doctor", WEBSEAM_TIMEOUT="soon")
    as_json = json.loads(webseam("doctor", "--json", WEBSEAM_CONFIG=str(config)).out)

    assert (in_file.code, variable.code) == (1, 1)
    assert in_file.out == (
        f"✗ The settings cannot be used: {config}:1: cach: is not a setting; cache is.\n"
        "  Next  webseam config path   names the file\n"
    )
    assert "Next  unset WEBSEAM_TIMEOUT" in variable.out
    assert (as_json["success"], as_json["failure"]["kind"]) == (False, "invalid_setting")


def test_a_plugin_that_cannot_be_imported_is_named_with_the_module(tmp_path: Path) -> None:
    folder = tmp_path / "plugins"
    (folder / "audit").mkdir(parents=True)
    (folder / "audit" / "__init__.py").write_text("import acme_nowhere\n")
    config = tmp_path / "config.yaml"
    config.write_text(f"plugins: {{enabled: [audit], folder: '{folder}'}}\n")

    ran = webseam("doctor", WEBSEAM_CONFIG=str(config))

    assert ran.code == 1
    assert "the plugin audit cannot be loaded" in ran.out
    assert "1 of 1 off" in ran.out
    assert "acme_nowhere" in ran.out


def test_a_package_that_cannot_be_imported_is_named_wherever_its_name_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced = tmp_path / "acme-1.0.dist-info"
    announced.mkdir()
    (announced / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (announced / "entry_points.txt").write_text(
        "[webseam.services]\ntidepool = acme_nowhere:SERVICE\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    config = tmp_path / "config.yaml"
    config.write_text("services: {tidepool: {api_key: x}}\n")
    why = "it needs the module 'acme_nowhere', which is not installed"

    for command in (
        ("search", "tides", "--backend", "tidepool"),
        ("search", "tides", "--route", "tidepool"),
        ("doctor", "tidepool"),
        ("setup", "tidepool"),
    ):
        ran = webseam(*command)
        assert (ran.code, why in ran.err) == (3, True), (command, ran.err)
    assert why in webseam("search", "tides", WEBSEAM_CONFIG=str(config)).err
    whole = webseam("doctor")
    assert (whole.code, f"tidepool: {why}" in whole.out) == (1, True)


def test_a_name_with_a_slip_gets_a_guess() -> None:
    for command in (("doctor", "tavly"), ("search", "x", "--backend", "tavly")):
        ran = webseam(*command)
        assert (ran.code, ran.err) == (
            2,
            "webseam: There is no backend 'tavly'. Did you mean tavily?\n",
        )


def test_doctor_counts_failures_of_the_ledger_without_a_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBSEAM_KEYLESS", "false")
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    root = read_root().unwrap()
    health = TargetHealth(
        backend=NAME, task="search", key=1, calls=3, cause="key", reason="it refused the key"
    )
    diagnosis = json.loads(webseam("doctor", NAME, "--json", **{KEY_VARIABLE: KEY}).out)
    row = find_backend_row(NAME, root)
    assert row is not None
    look = BackendStates(diagnoses={NAME: diagnose_backend_row(row)}, health=(health,))

    part = answering_part("search", root, look)

    assert (part.state, part.word, part.fix) == ("bad", "left alone", f"webseam setup {NAME}")
    assert diagnosis["success"] is True


def part(name: str, word: str = "not reached") -> HealthPart:
    clause = f"{name} does not work: it was not reached"
    return HealthPart(name=name, state="bad", word=word, clause=clause, subject=name)


def test_verdict_names_equal_failures_once() -> None:
    alike = [part(name) for name in ("search", "X", "brave", "tavily")]

    verdict = judge_health([*alike, part("serper", "key refused")], live=True)

    assert verdict.sentence == (
        "Search, X, brave and 1 more do not work: not reached; "
        "serper does not work: it was not reached."
    )


def test_a_settings_file_that_is_named_and_not_there_is_told(tmp_path: Path) -> None:
    named = str(tmp_path / "confg.yaml")

    ran = webseam("doctor", WEBSEAM_CONFIG=named)
    told = json.loads(webseam("doctor", "--json", WEBSEAM_CONFIG=named).out)

    warning = f"WEBSEAM_CONFIG names {named}, which is not there; the defaults hold"
    assert (ran.code, ran.err) == (0, f"webseam: {warning}\n")
    assert told["data"]["warnings"] == [warning]

"""Routes, budgets and spending from the command line, over services on this machine."""

import json
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
import pytest

from tests.doors.cli.run import webseam
from tests.ledgers import reserve_one
from webseam.adapters.stores.ledger import Ledger
from webseam.composition.planning.spending import SessionPurse
from webseam.composition.wiring import routes
from webseam.composition.wiring.backend_rows import access_fingerprint
from webseam.composition.wiring.backend_table import find_backend_row
from webseam.composition.wiring.root import read_root
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.planning import Booking, Purse, TargetMemory

CONFIG = """
cache: false
json:
  one: {{endpoint: "{one}", parameters: {{q: "{{query}}"}}, results_path: results, fields: {{snippet: content}}}}
  two: {{endpoint: "{two}", parameters: {{q: "{{query}}"}}, results_path: results, fields: {{snippet: content}}}}
{more}
"""


def settings(folder: Path, more: str = "") -> dict[str, str]:
    config = folder / "config.yaml"
    nowhere = "http://127.0.0.1:9/"
    config.write_text(CONFIG.format(one=nowhere, two=nowhere, more=more))
    return {"WEBSEAM_CONFIG": str(config), "WEBSEAM_LEDGER": str(folder / "ledger.sqlite")}


def test_a_route_that_nobody_answers_is_told_with_everybody_that_was_asked(tmp_path: Path) -> None:
    ran = webseam("search", "tides", "--route", "one,two", "--explain", **settings(tmp_path))

    assert ran.code == 4
    assert "No backend answered: one (connect_failed), two (connect_failed)" in ran.err
    assert "the first choice" in ran.err


@pytest.mark.parametrize("words", [("search", "tides"), ("ask", "which tides?")])
def test_of_one_alone_that_fails_it_is_explained_who_it_was(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ran = webseam(*words, "--backend", "one", "--explain", **settings(tmp_path))

    assert ran.code == 4
    assert ran.err.endswith("webseam: one alone was asked: connect_failed\n")


def test_of_a_question_that_nobody_answers_everybody_is_explained(tmp_path: Path) -> None:
    ran = webseam("ask", "which tides?", "--route", "one,two", "--explain", **settings(tmp_path))

    assert ran.code == 4
    assert "the first choice" in ran.err


def test_json_has_every_attempt(tmp_path: Path) -> None:
    ran = webseam("search", "tides", "--route", "one+two", "--json", **settings(tmp_path))

    failure = json.loads(ran.out)["failure"]
    assert failure["kind"] == "nobody_answered"
    assert {one["backend"] for one in failure["attempts"]} == {"one", "two"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("one,nobody", 2, "There is no backend 'nobody'"),
        ("one,one", 2, "route: names one twice"),
        ("one,exa", 3, "Set EXA_API_KEY"),
    ],
)
def test_a_route_must_be_whole(tmp_path: Path, words: str, code: int, said: str) -> None:
    ran = webseam("search", "tides", "--route", words, **settings(tmp_path))

    assert (ran.code, said in ran.err) == (code, True), ran.err


def test_a_route_in_the_settings_is_taken_and_its_mistakes_have_a_place(tmp_path: Path) -> None:
    ran = webseam("search", "tides", **settings(tmp_path, "route: [one, two]"))
    wrong = webseam("search", "tides", **settings(tmp_path, "route: [one, '']"))

    assert "one (connect_failed), two (connect_failed)" in ran.err
    assert "config.yaml" in wrong.err
    assert "has an empty name in it" in wrong.err


def test_everybody_that_is_set_up_is_asked_at_once(tmp_path: Path) -> None:
    ran = webseam("search", "tides", "--all", "--explain", **settings(tmp_path, "keyless: false"))

    assert ran.err.count("asked with others") >= 2


def test_nothing_was_spent_yet(tmp_path: Path) -> None:
    ran = webseam("spend", **settings(tmp_path))

    assert (ran.code, ran.out) == (0, "Nothing was paid for yet.\n")


def test_spend_lists_days_backends_and_budgets_left(tmp_path: Path) -> None:
    variables = settings(tmp_path, "budgets: {day: 2, month: 10}")
    book = Ledger(tmp_path / "ledger.sqlite")
    purses = (Purse("backend:brave", "2026-01-31"), Purse("all", "2026-01"))
    book.book([Booking(10_000, 2, purses, 1, 5000)])
    book.close()

    table, as_json = webseam("spend", **variables), webseam("spend", "--json", **variables)

    assert "2026-01-31  brave        2  $0.01" in table.out
    assert f"2026-01-31  $0.01  {'━' * 30}" in table.out
    assert "budgets.day: $2.00 of $2.00 left" in table.out
    data = json.loads(as_json.out)["data"]
    assert data["spent"] == [
        {
            "day": "2026-01-31",
            "backend": "brave",
            "calls": 2,
            "spent": 0.01,
            "held": 0.0,
            "uncertain_calls": 1,
            "uncertain": 0.005,
        }
    ]
    assert "Uncertain: 1 of these calls, $0.005. They were sent, and no answer came" in table.out
    assert [one["budget"] for one in data["budgets"]] == ["budgets.day", "budgets.month"]


def test_spend_says_what_is_held_for_calls_that_are_not_booked(tmp_path: Path) -> None:
    variables = settings(tmp_path)
    book = Ledger(tmp_path / "ledger.sqlite")
    today = Purse("backend:brave", "2026-01-31")
    reserve_one(book, 8000, [today], until=time.time() + 600, now=time.time())
    book.close()

    table = webseam("spend", **variables)

    assert "Held: $0.008 more, for calls that are not booked yet" in table.out


def test_spend_and_keys_list_say_what_each_key_spent(tmp_path: Path) -> None:
    variables = settings(tmp_path) | {"WEBSEAM_KEYS": str(tmp_path / "keys.sqlite")}
    made = json.loads(webseam("keys", "add", "ann", "--day", "1", "--json", **variables).out)[
        "data"
    ]
    today = datetime.now(UTC).date().isoformat()
    book = Ledger(tmp_path / "ledger.sqlite")
    owner = f"owner:{made['id']}"
    book.book([Booking(10_000, 2, (Purse(owner, today), Purse(owner, today[:7])))])
    book.close()

    spent = json.loads(webseam("spend", "--json", **variables).out)["data"]["keys"]
    table = webseam("spend", **variables).out
    listed = json.loads(webseam("keys", "list", "--json", **variables).out)["data"]["keys"]

    assert spent == [
        {"day": today, "key": "ann", "id": made["id"], "calls": 2, "spent": 0.01, "held": 0.0}
    ]
    assert f"{today}  ann      2  $0.01" in table
    amounts = {name: listed[0][name] for name in ("spent_day", "spent_month", "left_day")}
    assert amounts == {"spent_day": 0.01, "spent_month": 0.01, "left_day": 0.99}


def tire(folder: Path, variables: dict[str, str], *names: str) -> None:
    """Have a backend rest with its present key, as another process wrote down."""
    book = Ledger(folder / "ledger.sqlite")
    root = read_root(variables).unwrap()
    for name in names:
        row = find_backend_row(name, root)
        assert row is not None
        tired = PlannerTarget(
            name=f"search:{name}#1",
            backend=name,
            fingerprint=access_fingerprint(row, 1),
            open_until=time.time() + 1e6,
            used=6,
        )
        state = msgspec.msgpack.encode(tired)
        memory = TargetMemory(name=tired.name, state=state, open_until=0.0, probe_until=0.0)
        book.remember([(tired.name, partial(_known, memory))], 10.0)
    book.close()


def _known(memory: TargetMemory, _before: TargetMemory | None) -> TargetMemory:
    return memory


def test_a_route_works_while_any_on_it_does(tmp_path: Path) -> None:
    variables = settings(tmp_path, "route: [one, two]\nkeyless: false")

    tire(tmp_path, variables, "one")
    first = webseam("doctor", **variables)
    tire(tmp_path, variables, "two")
    both = webseam("doctor", **variables)

    assert "Search is set up through two" in first.out.splitlines()[0]
    assert "one does not work: it failed" in first.out.splitlines()[0].replace("; ", ";\n")
    assert "! Search" in first.out
    assert "✗ Search" in both.out


def test_backends_and_doctor_tell_who_rests_and_why(tmp_path: Path) -> None:
    variables = settings(tmp_path)
    tire(tmp_path, variables, "one")

    listed = webseam("backends", **variables)
    document = json.loads(webseam("backends", "--json", **variables).out)

    assert "left alone for" in listed.out
    one = next(each for each in document["data"]["backends"] if each["name"] == "one")
    assert one["health"][0]["reason"] == "it failed"
    assert "left alone for" in webseam("doctor", "one", **variables).out


def test_a_budget_without_a_price_asks_for_one(tmp_path: Path) -> None:
    variables = settings(tmp_path, "budgets: {day: 1}") | {"MOJEEK_API_KEY": "x"}

    ran = webseam("search", "tides", "--backend", "mojeek", **variables)

    assert (ran.code, "Set services.mojeek.price." in ran.err) == (3, True), ran.err


def test_a_session_is_one_process_however_many_routes_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = SessionPurse()
    monkeypatch.setattr(routes, "PROCESS_PURSE", session)
    priced = 'services: {exa: {base_url: "http://127.0.0.1:9/", price: 0.004}}'
    variables = settings(tmp_path, f"budgets: {{session: 0.01}}\n{priced}") | {"EXA_API_KEY": "x"}
    session.take_money(7000, None)

    refused = webseam("search", "tides", "--backend", "exa", **variables)

    assert refused.code == 5
    assert "$0.003 of $0.01 remain for this session" in refused.err
    assert "raise budgets.session" in refused.err


def test_spending_tells_of_every_budget_that_is_set(tmp_path: Path) -> None:
    caps = "call: 0.1, session: 1, day: 2, key_day: 1, key_month: 5, tool_month: 4"
    variables = settings(tmp_path, f"budgets: {{{caps}}}")
    day = time.strftime("%Y-%m-%d", time.gmtime())
    month = day[:7]
    book = Ledger(tmp_path / "ledger.sqlite")
    purses = (Purse("key:brave#2", day), Purse("key:brave#2", month), Purse("tool:search", month))
    book.book([Booking(10_000, 2, purses)])
    book.close()

    said = webseam("spend", **variables).out
    data = json.loads(webseam("spend", "--json", **variables).out)["data"]

    assert "budgets.call: $0.10 for each call" in said
    assert "budgets.session: $1.00 for each process" in said
    assert f"budgets.key_day: $0.99 of $1.00 left for key 2 of brave on {day}" in said
    assert f"budgets.key_month: $4.99 of $5.00 left for key 2 of brave in {month}" in said
    assert f"budgets.tool_month: $3.99 of $4.00 left for search in {month}" in said
    assert [(one["budget"], one["scope"], one["left"]) for one in data["budgets"]][-1] == (
        "budgets.tool_month",
        "tool:search",
        3.99,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("search", "tides", "--route", "one", "--all"),
        ("search", "tides", "--route", "one", "--backend", "two"),
        ("search", "tides", "--backend", "one", "--all"),
        ("extract", "https://a.example/", "--route", "one", "--backend", "two"),
        ("ask", "why", "--route", "one", "--backend", "two"),
        ("model", "ask", "why", "--route", "openai", "--provider", "mistral"),
    ],
    ids=" ".join,
)
def test_whoever_names_two_ways_is_asked_which_and_nobody_is_paid(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    ran = webseam(*words, **settings(tmp_path))

    assert ran.code == 2
    assert "not allowed with argument" in ran.err


def test_an_endpoint_is_one_of_a_route_that_names_it(tmp_path: Path) -> None:
    nowhere = ("--endpoint", "http://127.0.0.1:9/")

    ran = webseam("search", "tides", *nowhere, "--route", "one,json", **settings(tmp_path))

    assert "No backend answered: one (connect_failed), json (connect_failed)" in ran.err

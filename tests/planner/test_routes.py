"""Routes as they are written, and budgets as they are counted."""

import pytest
from returns.result import Failure

from webseam.kernel.planner.fusion import MemberRows, fuse_member_rows, fusion_key
from webseam.kernel.planner.money import (
    Budgets,
    SpendingAllowance,
    SpendingOccasion,
    budget_cap_micros,
    call_purses,
    dollars_to_micros,
    has_budget_cap,
    purse_words,
)
from webseam.kernel.planner.routes import RouteStep, read_route
from webseam.ports.planning import Purse
from webseam.ports.web import WebSearchResult


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["a"] * 21, "has more than 20 steps"),
        (["a", "b", "a"], "names a twice"),
        (["a", ""], "has an empty name in it"),
        (["a+"], "has an empty name in it"),
        ([{"fuse": ["a", "b"], "quorum": 3}], "requires 3 answers from 2 backends"),
        (
            [{"fuse": ["a", "b"], "weights": {"c": 2}}],
            "has a weight for c, which is not in that step",
        ),
        (
            [5],
            "must be names, or blocks such as {fuse: [a, b], quorum: 1} (Expected `object`, got `int`)",
        ),
    ],
)
def test_a_route_that_cannot_be_read_says_why(words: list[object], reason: str) -> None:
    assert read_route(words) == Failure(reason)


def test_steps_are_names_names_with_a_plus_or_blocks() -> None:
    step = RouteStep(fuse=("C", "d"), quorum=1, weights={"C": 2.0})

    route = read_route(["A", "b+x", step, {"fuse": ["E"], "patience": "2"}]).unwrap()

    assert [one.fuse for one in route] == [("a",), ("b", "x"), ("c", "d"), ("e",)]
    assert (route[2].quorum, route[3].patience) == (1, 2.0)
    assert route[2].weights == {"c": 2.0}


def test_money_is_rounded_against_the_spender() -> None:
    assert (
        dollars_to_micros(0.005),
        dollars_to_micros(0.0000014),
        dollars_to_micros(0.1 + 0.2),
    ) == (5000, 2, 300_000)
    assert (budget_cap_micros(0.3), budget_cap_micros(0.0000019)) == (300_000, 1)


def test_a_call_is_paid_from_every_purse_with_a_cap_or_without() -> None:
    budgets = Budgets(call=1.0, month=2.0, key_day=0.5, tool_month=1.0)
    on = SpendingOccasion(tool="search", backend="a", key=2, day="2026-01-31")

    assert call_purses(budgets, on) == (
        Purse("backend:a", "2026-01-31"),
        Purse("all", "2026-01-31", None, "budgets.day"),
        Purse("all", "2026-01", 2_000_000, "budgets.month"),
        Purse("key:a#2", "2026-01-31", 500_000, "budgets.key_day"),
        Purse("key:a#2", "2026-01", None, "budgets.key_month"),
        Purse("tool:search", "2026-01-31", None, "budgets.tool_day"),
        Purse("tool:search", "2026-01", 1_000_000, "budgets.tool_month"),
    )
    assert (has_budget_cap(budgets), has_budget_cap(Budgets())) == (True, False)


def test_one_of_several_pays_from_a_purse_of_its_own_too() -> None:
    on = SpendingOccasion(tool="search", backend="a", key=1, day="2026-01-31")
    ann = SpendingAllowance(owner="ann", day=1.0, month=5.0)
    without = SpendingAllowance(owner="ben")

    own = call_purses(Budgets(), on, ann)[len(call_purses(Budgets(), on)) :]

    assert [(purse.scope, purse.period, purse.cap) for purse in own] == [
        ("owner:ann", "2026-01-31", 1_000_000),
        ("owner:ann", "2026-01", 5_000_000),
    ]
    assert [purse_words(purse) for purse in own] == [
        "this key on 2026-01-31",
        "this key in 2026-01",
    ]
    # What a key without a cap spends is counted as well.
    counted = call_purses(Budgets(), on, without)[len(call_purses(Budgets(), on)) :]
    assert [(purse.scope, purse.cap) for purse in counted] == [("owner:ben", None)] * 2
    assert (has_budget_cap(Budgets(), ann), has_budget_cap(Budgets(), without)) == (
        True,
        False,
    )


def test_one_page_has_one_key_however_it_is_spelled() -> None:
    assert fusion_key("http://a.example") == fusion_key("https://www.a.example/#:~:text=x")
    assert fusion_key("https://a.example/?a=1") != fusion_key("https://a.example/?a=2")
    assert fusion_key("https://a.example/x?gclid=1&utm_medium=y") == "a.example/x"


def test_the_secure_spelling_of_a_page_is_shown() -> None:
    def rows(*urls: str) -> tuple[WebSearchResult, ...]:
        return tuple(
            WebSearchResult(title=url, url=url, snippet="", position=1, source="s") for url in urls
        )

    fused = fuse_member_rows(
        [
            MemberRows(backend="a", rows=rows("http://x.example/", "http://only.example/")),
            MemberRows(backend="b", rows=rows("https://y.example/", "https://www.x.example")),
        ]
    )

    assert [one.row.url for one in fused] == [
        "https://www.x.example",
        "https://y.example/",
        "http://only.example/",
    ]
    assert fused[0].row.title == "http://x.example/"

"""Which backend is chosen: every rung of the ladder, and what each refusal says."""

import pytest
from returns.result import Failure, Success

from webseam.kernel.planner.selection import (
    Candidate,
    Capability,
    Choice,
    Reason,
    Wish,
    fallbacks,
    select,
)
from webseam.ports import NotConfigured, UnknownBackend, UnsupportedCapability

BOTH: tuple[Capability, ...] = ("search", "extract")
KEYED = Candidate(name="keyed", can=BOTH, ready=BOTH, rank=20)
BETTER = Candidate(name="better", can=("search",), ready=("search",), rank=10)
UNSET = Candidate(name="unset", can=BOTH, rank=1)
FREE = Candidate(name="free", can=BOTH, keyless=BOTH, rank=30)
SPECIAL = Candidate(name="special", can=BOTH, ready=BOTH, keyless=BOTH, general=False, rank=0)
LOCAL = Candidate(name="index", can=BOTH, ready=("search",), embedded=True, rank=1)
PAGES = Candidate(name="pages", can=("extract",), ready=("extract",), embedded=True, rank=0)
NO_INDEX = Candidate(name="index", can=BOTH, embedded=True)


def test_a_named_backend_is_taken_whatever_else_is_set_up() -> None:
    wish = Wish(capability="search", named="unset", for_task="better", usual="keyed")

    assert select(wish, [KEYED, BETTER, UNSET]) == Success(Choice(name="unset", reason="named"))


def test_a_special_one_can_be_named() -> None:
    wish = Wish(capability="search", named="special")

    assert select(wish, [SPECIAL, KEYED]).unwrap().name == "special"


def test_the_setting_for_the_task_beats_the_usual_one() -> None:
    wish = Wish(capability="search", for_task="better", usual="keyed")

    assert select(wish, [KEYED, BETTER]) == Success(Choice(name="better", reason="configured"))


def test_the_usual_one_is_taken_where_it_can() -> None:
    assert (
        select(Wish(capability="extract", usual="keyed"), [KEYED, PAGES]).unwrap().name == "keyed"
    )


def test_the_usual_one_is_passed_over_for_what_it_cannot_do() -> None:
    wish = Wish(capability="extract", usual="better")

    assert select(wish, [BETTER, PAGES]) == Success(Choice(name="pages", reason="embedded"))


@pytest.mark.parametrize("field", ["named", "for_task", "usual"])
def test_an_unknown_name_is_an_error_that_lists_the_capable_ones(field: str) -> None:
    wish = Wish(capability="extract", **{field: "nobody"})  # type: ignore[arg-type]  # one of its fields

    assert select(wish, [BETTER, KEYED, PAGES]) == Failure(
        UnknownBackend(name="nobody", capable=("keyed", "pages"))
    )


@pytest.mark.parametrize("field", ["named", "for_task"])
def test_one_that_lacks_the_capability_is_an_error_and_never_a_silent_switch(field: str) -> None:
    wish = Wish(capability="extract", **{field: "better"})  # type: ignore[arg-type]  # one of its fields

    assert select(wish, [BETTER, KEYED, PAGES]) == Failure(
        UnsupportedCapability(capability="extract", capable=("keyed", "pages"), backend="better")
    )


def test_the_only_one_that_is_set_up_is_taken() -> None:
    table = [UNSET, FREE, SPECIAL, LOCAL, KEYED]

    assert select(Wish(capability="search"), table) == Success(Choice(name="keyed", reason="only"))


def test_of_several_the_first_by_rank_is_taken() -> None:
    assert select(Wish(capability="search"), [KEYED, BETTER]) == Success(
        Choice(name="better", reason="first")
    )


def test_equal_ranks_are_settled_by_name() -> None:
    twins = [Candidate(name=name, can=BOTH, ready=BOTH) for name in ("b", "a")]

    assert select(Wish(capability="search"), twins).unwrap().name == "a"


def test_one_without_a_key_comes_after_those_that_are_set_up() -> None:
    assert select(Wish(capability="search"), [UNSET, FREE, LOCAL]) == Success(
        Choice(name="free", reason="keyless")
    )


def test_of_several_without_a_key_the_first_by_rank_is_taken() -> None:
    later = Candidate(name="later", can=BOTH, keyless=BOTH, rank=40)

    assert select(Wish(capability="search"), [later, FREE]).unwrap().name == "free"


def test_in_turn_come_what_is_free_what_is_open_to_all_and_what_is_built_in() -> None:
    own = Candidate(name="own", can=BOTH, ready=BOTH, rank=90)
    paid = Candidate(name="paid", can=BOTH, ready=BOTH, rank=5, paid=True)
    table = [paid, KEYED, own, FREE, LOCAL, UNSET, SPECIAL]
    wish = Wish(capability="search")

    found = fallbacks(Choice(name="paid", reason="first"), wish, table)

    assert found == (KEYED.name, "own", "free", "index")


def test_one_that_costs_money_is_nobodys_fallback() -> None:
    paid = Candidate(name="paid", can=BOTH, ready=BOTH, paid=True)
    choice = Choice(name="free", reason="keyless")

    assert fallbacks(choice, Wish(capability="search"), [paid, FREE]) == ()


@pytest.mark.parametrize("reason", ["named", "configured"])
def test_nobody_stands_in_for_one_that_was_named(reason: Reason) -> None:
    choice = Choice(name="free", reason=reason)

    assert fallbacks(choice, Wish(capability="search"), [FREE, LOCAL]) == ()


def test_a_page_is_not_told_to_somebody_who_was_never_set_up() -> None:
    choice = Choice(name=KEYED.name, reason="only")

    assert fallbacks(choice, Wish(capability="extract"), [KEYED, FREE, PAGES]) == ("pages",)


def test_keyless_services_do_not_stand_in_when_that_is_not_allowed() -> None:
    wish = Wish(capability="search", keyless=False)

    assert fallbacks(Choice(name="x", reason="only"), wish, [FREE, LOCAL]) == ("index",)


def test_keyless_services_are_left_out_when_that_is_not_allowed() -> None:
    wish = Wish(capability="search", keyless=False)

    assert select(wish, [FREE, LOCAL]) == Success(Choice(name="index", reason="embedded"))


def test_pages_are_read_from_here_before_anybody_is_told_of_them() -> None:
    assert select(Wish(capability="extract"), [FREE, PAGES, LOCAL]) == Success(
        Choice(name="pages", reason="embedded")
    )


def test_when_nothing_can_be_done_the_error_says_so() -> None:
    error = select(Wish(capability="search"), [UNSET, SPECIAL, NO_INDEX]).failure()

    assert isinstance(error, NotConfigured)
    assert error.message == "No backend that can search is set up."

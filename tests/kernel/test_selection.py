"""Which backend is chosen: every rung of the ladder, and what each refusal says."""

import pytest
from returns.result import Failure, Success

from webseam.kernel.planner.selection import (
    BackendSelection,
    Capability,
    Reason,
    SelectionCandidate,
    SelectionRequest,
    fallback_backend_names,
    select_backend,
)
from webseam.ports import NotConfigured, UnknownBackend, UnsupportedCapability

BOTH: tuple[Capability, ...] = ("search", "extract")
KEYED = SelectionCandidate(name="keyed", can=BOTH, ready=BOTH, rank=20)
BETTER = SelectionCandidate(name="better", can=("search",), ready=("search",), rank=10)
UNSET = SelectionCandidate(name="unset", can=BOTH, rank=1)
FREE = SelectionCandidate(name="free", can=BOTH, keyless=BOTH, rank=30)
SPECIAL = SelectionCandidate(
    name="special", can=BOTH, ready=BOTH, keyless=BOTH, general=False, rank=0
)
LOCAL = SelectionCandidate(name="index", can=BOTH, ready=("search",), embedded=True, rank=1)
PAGES = SelectionCandidate(
    name="pages", can=("extract",), ready=("extract",), embedded=True, rank=0
)
NO_INDEX = SelectionCandidate(name="index", can=BOTH, embedded=True)


def test_a_named_backend_is_taken_whatever_else_is_set_up() -> None:
    wish = SelectionRequest(capability="search", named="unset", for_task="better", usual="keyed")

    assert select_backend(wish, [KEYED, BETTER, UNSET]) == Success(
        BackendSelection(name="unset", reason="named")
    )


def test_a_special_one_can_be_named() -> None:
    wish = SelectionRequest(capability="search", named="special")

    assert select_backend(wish, [SPECIAL, KEYED]).unwrap().name == "special"


def test_the_setting_for_the_task_beats_the_usual_one() -> None:
    wish = SelectionRequest(capability="search", for_task="better", usual="keyed")

    assert select_backend(wish, [KEYED, BETTER]) == Success(
        BackendSelection(name="better", reason="configured")
    )


def test_the_usual_one_is_taken_where_it_can() -> None:
    assert (
        select_backend(SelectionRequest(capability="extract", usual="keyed"), [KEYED, PAGES])
        .unwrap()
        .name
        == "keyed"
    )


def test_the_usual_one_is_passed_over_for_what_it_cannot_do() -> None:
    wish = SelectionRequest(capability="extract", usual="better")

    assert select_backend(wish, [BETTER, PAGES]) == Success(
        BackendSelection(name="pages", reason="embedded")
    )


@pytest.mark.parametrize("field", ["named", "for_task", "usual"])
def test_an_unknown_name_is_an_error_that_lists_the_capable_ones(field: str) -> None:
    wish = SelectionRequest(capability="extract", **{field: "nobody"})  # type: ignore[arg-type]  # one of its fields

    assert select_backend(wish, [BETTER, KEYED, PAGES]) == Failure(
        UnknownBackend(name="nobody", capable=("keyed", "pages"))
    )


@pytest.mark.parametrize("field", ["named", "for_task"])
def test_one_that_lacks_the_capability_is_an_error_and_never_a_silent_switch(field: str) -> None:
    wish = SelectionRequest(capability="extract", **{field: "better"})  # type: ignore[arg-type]  # one of its fields

    assert select_backend(wish, [BETTER, KEYED, PAGES]) == Failure(
        UnsupportedCapability(capability="extract", capable=("keyed", "pages"), backend="better")
    )


def test_the_only_one_that_is_set_up_is_taken() -> None:
    table = [UNSET, FREE, SPECIAL, LOCAL, KEYED]

    assert select_backend(SelectionRequest(capability="search"), table) == Success(
        BackendSelection(name="keyed", reason="only")
    )


def test_of_several_the_first_by_rank_is_taken() -> None:
    assert select_backend(SelectionRequest(capability="search"), [KEYED, BETTER]) == Success(
        BackendSelection(name="better", reason="first")
    )


def test_equal_ranks_are_settled_by_name() -> None:
    twins = [SelectionCandidate(name=name, can=BOTH, ready=BOTH) for name in ("b", "a")]

    assert select_backend(SelectionRequest(capability="search"), twins).unwrap().name == "a"


def test_one_without_a_key_comes_after_those_that_are_set_up() -> None:
    assert select_backend(SelectionRequest(capability="search"), [UNSET, FREE, LOCAL]) == Success(
        BackendSelection(name="free", reason="keyless")
    )


def test_of_several_without_a_key_the_first_by_rank_is_taken() -> None:
    later = SelectionCandidate(name="later", can=BOTH, keyless=BOTH, rank=40)

    assert (
        select_backend(SelectionRequest(capability="search"), [later, FREE]).unwrap().name == "free"
    )


def test_in_turn_come_what_is_free_what_is_open_to_all_and_what_is_built_in() -> None:
    own = SelectionCandidate(name="own", can=BOTH, ready=BOTH, rank=90)
    paid = SelectionCandidate(name="paid", can=BOTH, ready=BOTH, rank=5, paid=True)
    table = [paid, KEYED, own, FREE, LOCAL, UNSET, SPECIAL]
    wish = SelectionRequest(capability="search")

    found = fallback_backend_names(BackendSelection(name="paid", reason="first"), wish, table)

    assert found == (KEYED.name, "own", "free", "index")


def test_one_that_costs_money_is_nobodys_fallback() -> None:
    paid = SelectionCandidate(name="paid", can=BOTH, ready=BOTH, paid=True)
    choice = BackendSelection(name="free", reason="keyless")

    assert fallback_backend_names(choice, SelectionRequest(capability="search"), [paid, FREE]) == ()


def test_nobody_stands_in_for_one_at_an_address_of_ones_own() -> None:
    mine = SelectionCandidate(name="mine", can=BOTH, ready=BOTH, own_address=True)
    choice = BackendSelection(name="mine", reason="only")

    assert fallback_backend_names(choice, SelectionRequest(capability="search"), [mine, FREE]) == ()


@pytest.mark.parametrize("reason", ["named", "configured"])
def test_nobody_stands_in_for_one_that_was_named(reason: Reason) -> None:
    choice = BackendSelection(name="free", reason=reason)

    assert (
        fallback_backend_names(choice, SelectionRequest(capability="search"), [FREE, LOCAL]) == ()
    )


def test_a_page_is_not_told_to_somebody_who_was_never_set_up() -> None:
    choice = BackendSelection(name=KEYED.name, reason="only")

    assert fallback_backend_names(
        choice, SelectionRequest(capability="extract"), [KEYED, FREE, PAGES]
    ) == ("pages",)


def test_keyless_services_do_not_stand_in_when_that_is_not_allowed() -> None:
    wish = SelectionRequest(capability="search", keyless=False)

    assert fallback_backend_names(
        BackendSelection(name="x", reason="only"), wish, [FREE, LOCAL]
    ) == ("index",)


def test_keyless_services_are_left_out_when_that_is_not_allowed() -> None:
    wish = SelectionRequest(capability="search", keyless=False)

    assert select_backend(wish, [FREE, LOCAL]) == Success(
        BackendSelection(name="index", reason="embedded")
    )


def test_pages_are_read_from_here_before_anybody_is_told_of_them() -> None:
    assert select_backend(SelectionRequest(capability="extract"), [FREE, PAGES, LOCAL]) == Success(
        BackendSelection(name="pages", reason="embedded")
    )


def test_selection_without_a_backend_says_so() -> None:
    error = select_backend(
        SelectionRequest(capability="search"), [UNSET, SPECIAL, NO_INDEX]
    ).failure()

    assert isinstance(error, NotConfigured)
    assert error.message == "No backend that can search is set up."

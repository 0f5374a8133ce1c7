"""Laws of the effort ladder."""

from hypothesis import given, strategies as st

from webseam.adapters.features.models.declaration.rules import EFFORT_LEVELS, clamp_effort
from webseam.ports.models import Effort

levels = st.sampled_from(EFFORT_LEVELS)
vocabularies = st.lists(levels, unique=True).map(
    lambda known: tuple(level for level in EFFORT_LEVELS if level in known)
)


@given(effort=levels, known=vocabularies)
def test_clamped_effort_is_one_that_the_model_knows(
    effort: Effort, known: tuple[Effort, ...]
) -> None:
    sent = clamp_effort(effort, known)

    assert sent is None or sent in known


@given(known=vocabularies)
def test_nothing_asked_is_nothing_sent(known: tuple[Effort, ...]) -> None:
    assert clamp_effort(None, known) is None


@given(effort=levels, known=vocabularies)
def test_thinking_that_was_asked_for_is_never_switched_off(
    effort: Effort, known: tuple[Effort, ...]
) -> None:
    assert clamp_effort(effort, known) != "none" or effort == "none"


@given(
    effort=levels.filter(lambda level: level != "none"),
    known=vocabularies.filter(lambda known: known not in ((), ("none",))),
)
def test_a_model_that_thinks_is_told_how_hard(effort: Effort, known: tuple[Effort, ...]) -> None:
    assert clamp_effort(effort, known) is not None


@given(effort=levels, known=vocabularies)
def test_clamping_twice_is_clamping_once(effort: Effort, known: tuple[Effort, ...]) -> None:
    once = clamp_effort(effort, known)

    assert clamp_effort(once, known) == once


@given(pair=st.tuples(levels, levels), known=vocabularies)
def test_asking_for_more_never_gives_less(
    pair: tuple[Effort, Effort], known: tuple[Effort, ...]
) -> None:
    weaker, stronger = sorted(pair, key=EFFORT_LEVELS.index)
    low, high = clamp_effort(weaker, known), clamp_effort(stronger, known)

    assert low is None or high is None or EFFORT_LEVELS.index(low) <= EFFORT_LEVELS.index(high)

"""Laws of bulk work: nothing is lost in a cut, groups do not depend on order, filters never raise."""

from random import Random

from hypothesis import given, strategies as st
from returns.result import Success

from webseam.kernel.features.bulk.cuts import split_into_shards
from webseam.kernel.features.bulk.filters import make_bulk_row_filter
from webseam.kernel.features.bulk.frontier import CrawlRules, Frontier
from webseam.kernel.features.bulk.near_duplicates import DuplicateGroups
from webseam.kernel.features.bulk.quality import quality_signals


@given(st.lists(st.integers(0, 50)).map(sorted), st.integers(1, 7))
def test_a_cut_loses_nothing_and_begins_where_a_row_does(
    offsets: list[int], per_shard: int
) -> None:
    cuts = list(split_into_shards(offsets, per_shard))
    starts = [start for start, _ in cuts]
    counted = [sum(count for _, count in cuts[:place]) for place in range(len(cuts))]

    assert sum(count for _, count in cuts) == len(offsets)
    assert starts == [offsets[place] for place in counted]
    # Whoever begins at a start begins with its first row: no row before it shares the place.
    assert all(place == 0 or offsets[place - 1] != offsets[place] for place in counted)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20))), st.randoms())
def test_groups_do_not_depend_on_the_order_of_pairs(
    pairs: list[tuple[int, int]], random: Random
) -> None:
    shuffled = sorted(pairs, key=lambda _: random.random())

    assert [DuplicateGroups(pairs).first_row(row) for row in range(21)] == [
        DuplicateGroups(shuffled).first_row(row) for row in range(21)
    ]


@given(st.text(), st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.booleans()))
def test_a_filter_never_raises(expression: str, value: object) -> None:
    for text in (expression, f"a > {expression!r}", f"{expression!r} in a", "a < 3", "len(a) > 1"):
        made = make_bulk_row_filter(text, {"a": "any"})
        if isinstance(made, Success):
            assert made.unwrap()({"a": value}) in (True, False)


@given(st.text())
def test_signals_are_numbers_for_every_text(text: str) -> None:
    assert all(isinstance(value, int | float) for value in quality_signals(text).values())


@given(st.lists(st.text()))
def test_a_frontier_takes_every_link_at_most_once(links: list[str]) -> None:
    frontier = Frontier(CrawlRules(start="https://a.example/"))
    urls = [f"https://a.example/{link}" for link in links] + links

    taken = [url for url in urls if frontier.admit_link(url)]

    assert len(taken) == len(set(taken))
    assert len(taken) + frontier.left_out.total() == len(urls)

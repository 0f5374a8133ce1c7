"""A cache has the values used last, within its limits of size and age."""

from hypothesis import given, strategies as st

from webseam.adapters.caches import ComputedValues, RecentValues

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 5), st.integers(1, 4)),
        st.tuples(st.just("get"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("wait"), st.integers(0, 5), st.just(0)),
    )
)


@given(STEPS, st.integers(1, 8))
def test_recent_values_keep_to_size_age_and_use(
    steps: list[tuple[str, int, int]], max_size: int
) -> None:
    now = 0.0
    cache: RecentValues[int, int] = RecentValues(
        max_size, size=lambda value: value, max_age=6.0, now=lambda: now
    )
    model: list[tuple[int, int, float]] = []  # key, value, time; the last used one at the end
    for step, key, value in steps:
        stored = [entry for entry in model if entry[0] == key]
        if step == "wait":
            now += key
        elif step == "put":
            model = [*(entry for entry in model if entry[0] != key), (key, value, now)]
            evicted = []
            while sum(entry[1] for entry in model) > max_size:
                evicted.append(model.pop(0)[1])
            assert cache.put(key, value) == evicted
        else:
            model = [entry for entry in model if entry[0] != key]
            fresh = [entry for entry in stored if now - entry[2] <= 6.0]
            model += fresh
            assert cache.get(key) == (fresh[0][1] if fresh else None)
        assert cache.values() == [entry[1] for entry in model]
    assert cache.clear() == [entry[1] for entry in model]
    assert cache.values() == []


@given(st.lists(st.integers(0, 20)), st.integers(1, 5))
def test_computed_values_are_right_and_few(keys: list[int], max_values: int) -> None:
    table: ComputedValues[int, int] = ComputedValues(lambda key: key * key, max_values)
    for key in keys:
        assert table[key] == key * key
        assert len(table) <= max_values

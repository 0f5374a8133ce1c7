"""Taking what is lawful and breaking one thing in it."""

from collections.abc import Mapping

from hypothesis import strategies as st

Fields = dict[str, object]


def broken(
    whole: st.SearchStrategy[Fields], breaks: Mapping[object, st.SearchStrategy[object]]
) -> st.SearchStrategy[Fields]:
    """Put a value from ``breaks`` in the place of one field."""
    return st.one_of(
        [st.builds(_with, whole, st.just(field), values) for field, values in breaks.items()]
    )


def without(whole: st.SearchStrategy[Fields], *fields: str) -> st.SearchStrategy[Fields]:
    """Leave out one of the named fields."""
    return st.builds(_without, whole, st.sampled_from(fields))


def lone_surrogates() -> st.SearchStrategy[str]:
    """Give text that cannot be written as UTF-8."""
    return st.builds("{}{}".format, st.text(max_size=5), st.characters(categories=["Cs"]))


def _with(whole: Fields, field: str, value: object) -> Fields:
    return {**whole, field: value}


def _without(whole: Fields, field: str) -> Fields:
    return {name: value for name, value in whole.items() if name != field}

"""The laws of learned rules: each reproduces its own pages, and no changed page gets a value."""

from datetime import timedelta

import msgspec
from hypothesis import given, strategies as st

from tests.features.data.site_pages import SITE, URL, soup_page
from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.examples import learn_rules, observe_page
from webseam.kernel.features.data.page_index import PageIndex
from webseam.kernel.features.data.places import read_rule
from webseam.kernel.features.data.plain_values import is_same_value
from webseam.kernel.features.data.proving import prove
from webseam.kernel.features.data.typed_values import read_wanted
from webseam.ports.data import DataPage


class Recipe(msgspec.Struct):
    title: str | None = None
    ingredients: list[str] | None = None
    total_time: timedelta | None = None
    prep_time: timedelta | None = None
    servings: int | None = None
    author: str | None = None


SCHEMA = read_wanted(Recipe).unwrap()
ITEMS = ["3 leeks", "1 l stock", "2 eggs", "5 g yeast", "1 onion, diced", "7 figs", "Salt"]
VALUES = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["Leek soup", "Fig soup", "Pea & ham soup"]),
        "total": st.sampled_from(["20 min", "45 min", "1 h 20"]),
        "serves": st.integers(1, 12),
        "author": st.sampled_from(["Ann Mason", "Bo Lee", "Cy Dee"]),
        "items": st.lists(st.sampled_from(ITEMS), min_size=1, max_size=6, unique=True).map(tuple),
    }
)
PAGES = st.lists(VALUES, min_size=1, max_size=3)


def make_data_page(values: dict[str, object], *, linked: bool, prefix: str = "") -> DataPage:
    html = soup_page(**values, linked=linked, prefix=prefix)  # type: ignore[arg-type]
    return read_data_page(html, URL).unwrap()


@given(PAGES)
def test_a_rule_reads_the_proved_values_of_its_own_pages(pages: list[dict[str, object]]) -> None:
    own = [make_data_page(values, linked=True) for values in pages]

    rules = learn_rules(SITE, SCHEMA, own)

    for page in own:
        example = observe_page(page, SCHEMA)
        for field in SCHEMA.fields:
            if field.name in rules.fields and field.name in example.values:
                value = read_rule(PageIndex(page), field, rules.fields[field.name])
                assert value is not None
                assert is_same_value(field, value, example.values[field.name])


@given(pages=PAGES, values=VALUES, linked=st.booleans())
def test_a_rule_never_changes_a_proved_value_into_another(
    pages: list[dict[str, object]], values: dict[str, object], *, linked: bool
) -> None:
    rules = learn_rules(SITE, SCHEMA, [make_data_page(it, linked=True) for it in pages])
    page = make_data_page(values, linked=linked)

    before, after = prove(page, SCHEMA), prove(page, SCHEMA, rules=rules)

    for name in before.proved.keys() & after.proved.keys():
        assert after.proved[name].value == before.proved[name].value


@given(PAGES, VALUES)
def test_a_rule_gives_what_the_page_says(
    pages: list[dict[str, object]], values: dict[str, object]
) -> None:
    rules = learn_rules(SITE, SCHEMA, [make_data_page(it, linked=True) for it in pages])

    proved = prove(make_data_page(values, linked=False), SCHEMA, rules=rules).proved

    said = {"title": values["name"], "author": values["author"], "ingredients": values["items"]}
    said["servings"] = str(values["serves"])
    for name in proved.keys() & said.keys():
        assert proved[name].value == said[name]


@given(PAGES, VALUES)
def test_a_renamed_template_gets_nothing_from_a_rule(
    pages: list[dict[str, object]], values: dict[str, object]
) -> None:
    rules = learn_rules(SITE, SCHEMA, [make_data_page(it, linked=True) for it in pages])
    renamed = make_data_page(values, linked=False, prefix="new-")

    after = prove(renamed, SCHEMA, rules=rules)

    assert "rule" not in {it.basis.source for it in after.proved.values()}
    for name in rules.fields.keys() & after.refused.keys():
        assert after.refused[name].reason in {"template_changed", "ambiguous", "disagrees"}


@given(VALUES)
def test_two_equal_values_on_one_page_teach_neither(values: dict[str, object]) -> None:
    html = soup_page(**values, linked=True)  # type: ignore[arg-type]
    total = str(values["total"])
    twice = html.replace('"totalTime"', f'"prepTime": "{total}", "totalTime"').replace(
        "</main>", f"<p class='prep'>Prep time <b>{total}</b></p></main>"
    )

    rules = learn_rules(SITE, SCHEMA, [read_data_page(twice, URL).unwrap()])

    assert not {"prep_time", "total_time"} & rules.fields.keys()

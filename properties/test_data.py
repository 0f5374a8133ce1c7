"""The laws of typed values: what is given is proved by the words that a visitor sees."""

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import msgspec
from hypothesis import example, given, strategies as st
from returns.result import Success

import webseam
from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.checker import Checker
from webseam.kernel.features.data.fields import make_field, read_schema
from webseam.kernel.features.data.linked_data import Candidate
from webseam.kernel.features.data.number_forms import parse_number
from webseam.kernel.features.data.page_index import PageIndex
from webseam.kernel.features.data.proving import Offers, hear_last, prove, settle
from webseam.kernel.features.data.text_forms import FoldedText, is_same_text, loosen
from webseam.ports.data import PageValues, ProvedField

URL = "https://example.com/soup"
WORDS = st.sampled_from(
    [
        "Leek soup",
        "Ann Mason",
        "3 leeks",
        "1 l stock",
        "½ tsp salt",
        "Salt",
        "4",
        "1 h 20",
        "19.90",
        "Sauce",
        "A-12",
        "",
    ]
)
TAGS = st.sampled_from(["p", "li", "h1", "h2", "dt", "dd", "td", "span", "nav", "del", "div"])
LABELS = st.sampled_from(["", "", "Serves ", "Total time: ", "by ", "€ ", "SKU: ", "Yield "])


class Recipe(msgspec.Struct):
    title: str | None = None
    author: str | None = None
    ingredients: list[str] | None = None
    total_time: timedelta | None = None
    servings: int | None = None
    price: Decimal | None = None
    sku: str | None = None


FIELDS = set(Recipe.__struct_fields__)
LINKED = st.fixed_dictionaries(
    {"@type": st.just("Recipe")},
    optional={
        "name": WORDS,
        "author": WORDS,
        "recipeIngredient": st.lists(WORDS, max_size=5),
        "totalTime": st.sampled_from(["PT80M", "PT20M", "1 h 20", "P1Y", ""]),
        "recipeYield": st.sampled_from(["4", "6", 4, "4 to 6"]),
        "sku": WORDS,
        "offers": st.fixed_dictionaries({"price": st.sampled_from(["19.90", "5", "19,9"])}),
    },
)
BLOCKS = st.lists(st.tuples(TAGS, LABELS, WORDS), max_size=14)


def write_page(blocks: list[tuple[str, str, str]], linked: object) -> str:
    body = "".join(f"<{tag}>{label}{words}</{tag}>" for tag, label, words in blocks)
    script = json.dumps(linked)
    return f"<title>Leek soup | Soups</title><body><script type='application/ld+json'>{script}</script>{body}"


def values_of(html: str) -> PageValues:
    return prove(read_data_page(html, URL).unwrap(), read_schema(Recipe).unwrap())


@given(BLOCKS, LINKED)
@example(
    [("h1", "", "Leek soup"), ("p", "Total time: ", "1 h 20")],
    {"@type": "Recipe", "name": "Leek soup", "totalTime": "PT80M"},
)
def test_every_field_has_a_basis_or_a_reason(
    blocks: list[tuple[str, str, str]], linked: object
) -> None:
    values = values_of(write_page(blocks, linked))

    assert values.proved.keys() | values.refused.keys() == FIELDS
    assert not values.proved.keys() & values.refused.keys()


@given(BLOCKS, LINKED)
@example(
    [("li", "", "3 leeks"), ("li", "", "1 l stock")],
    {"@type": "Recipe", "recipeIngredient": ["3 leeks", "1 l stock"]},
)
def test_a_quote_stands_in_the_text_and_cuts_no_word(
    blocks: list[tuple[str, str, str]], linked: object
) -> None:
    values = values_of(write_page(blocks, linked))

    for proved in values.proved.values():
        assert proved.basis.quotes
        for quote in proved.basis.quotes:
            assert quote.text
            assert values.text[quote.start : quote.end] == quote.text
            around = (
                values.text[max(0, quote.start - 1) : quote.start + 1],
                values.text[quote.end - 1 : quote.end + 1],
            )
            assert not any(len(pair) == 2 and (pair.isalpha() or pair.isdigit()) for pair in around)


@given(BLOCKS, LINKED)
def test_a_text_is_its_quote_but_for_marks(
    blocks: list[tuple[str, str, str]], linked: object
) -> None:
    values = values_of(write_page(blocks, linked))

    for name in {"title", "author", "ingredients", "sku"} & values.proved.keys():
        proved = values.proved[name]
        texts = [proved.value] if isinstance(proved.value, str) else proved.value
        for text, quote in zip(texts, proved.basis.quotes, strict=True):
            assert is_same_text(text, quote.text)


@given(BLOCKS, LINKED, st.sampled_from(["PT17M", "777"]))
def test_a_liar_gets_nothing_through_that_no_visitor_sees(
    blocks: list[tuple[str, str, str]], linked: dict[str, Any], lie: str
) -> None:
    names = {
        "name": lie,
        "author": lie,
        "recipeIngredient": [lie, lie],
        "totalTime": "PT17M",
        "recipeYield": "777",
        "sku": lie,
    }

    values = values_of(write_page(blocks, linked | names))

    assert "777" not in {it.value for it in values.proved.values()}
    assert ("777", "777") not in {it.value for it in values.proved.values()}
    for name in names.keys() & {"name", "author"}:
        assert values.proved.get(name) is None


@given(BLOCKS, LINKED)
def test_hidden_words_prove_nothing(blocks: list[tuple[str, str, str]], linked: object) -> None:
    body = "".join(f"<{tag}>{label}{words}</{tag}>" for tag, label, words in blocks)
    script = f"<script type='application/ld+json'>{json.dumps(linked)}</script>"

    values = values_of(f"{script}<body><p>Seen.</p><div style='display:none'>{body}</div>")

    assert not values.proved


ITEMS = st.lists(
    st.sampled_from(["3 leeks", "1 l stock", "2 eggs", "5 g yeast", "1 onion, diced", "7 figs"]),
    min_size=2,
    max_size=6,
    unique=True,
)


@given(ITEMS, st.data())
def test_a_part_of_a_list_is_no_list(items: list[str], data: st.DataObject) -> None:
    part = data.draw(
        st.lists(st.sampled_from(items), min_size=1, max_size=len(items) - 1, unique=True)
    )
    kept = [item for item in items if item in part]
    blocks = [("li", "", item) for item in items]

    values = values_of(write_page(blocks, {"@type": "Recipe", "recipeIngredient": kept}))

    assert "ingredients" not in values.proved


@given(ITEMS)
def test_a_whole_list_is_proved(items: list[str]) -> None:
    blocks = [("li", "", item) for item in items]

    values = values_of(write_page(blocks, {"@type": "Recipe", "recipeIngredient": items}))

    assert values.proved["ingredients"].value == tuple(items)


TIMES = st.sampled_from(["PT4800S", "PT1200S", "PT2700S"])
CANDIDATES = st.lists(st.builds(Candidate, TIMES | st.none(), st.just("somewhere")), max_size=3)


@given(st.lists(CANDIDATES, max_size=3), CANDIDATES)
@example([[Candidate("PT4800S", "a")]], [Candidate("PT1200S", "b")])
def test_one_more_witness_never_changes_a_value_into_another(
    witnesses: list[list[Candidate]], more: list[Candidate]
) -> None:
    html = "<p>Total time: 1 h 20</p><p>Total: 20 min</p>"
    checker = Checker(PageIndex(read_data_page(html, URL).unwrap()))
    field = make_field("total_time", "duration")
    all_offers = [Offers("linked data", it) for it in witnesses]

    before = settle(checker, field, all_offers)
    after = settle(checker, field, [*all_offers, Offers("model", more)])

    if isinstance(before, ProvedField) and isinstance(after, ProvedField):
        assert after.value == before.value


@given(st.lists(CANDIDATES, max_size=3), CANDIDATES)
@example([[Candidate("PT4800S", "a")]], [Candidate("PT1200S", "b")])
def test_a_model_changes_and_withdraws_no_proved_value(
    witnesses: list[list[Candidate]], said: list[Candidate]
) -> None:
    html = "<p>Total time: 1 h 20</p><p>Total: 20 min</p>"
    checker = Checker(PageIndex(read_data_page(html, URL).unwrap()))
    field = make_field("total_time", "duration")
    before = settle(checker, field, [Offers("linked data", it) for it in witnesses])

    after = hear_last(checker, field, before, Offers("model", said))

    if isinstance(before, ProvedField):
        assert isinstance(after, ProvedField)
        assert (after.value, after.basis.quotes) == (before.value, before.basis.quotes)
    elif before.reason in {"disagrees", "ambiguous", "not_labelled"}:
        assert after == before


@given(BLOCKS, LINKED, st.dictionaries(st.sampled_from(sorted(FIELDS)), st.text() | WORDS))
@example([("p", "", "Ann Mason")], {"@type": "Recipe"}, {"author": "Ann Mason", "sku": "A-13"})
def test_what_a_model_adds_stands_in_the_text(
    blocks: list[tuple[str, str, str]], linked: object, said: dict[str, str]
) -> None:
    page = read_data_page(write_page(blocks, linked), URL).unwrap()
    schema = read_schema(Recipe).unwrap()
    before = prove(page, schema)

    after = prove(page, schema, said=said)

    for name, proved in before.proved.items():
        assert after.proved[name].value == proved.value
    for name in after.proved.keys() - before.proved.keys():
        basis = after.proved[name].basis
        assert basis.source == "model"
        assert basis.quotes
        for quote in basis.quotes:
            assert page.text[quote.start : quote.end] == quote.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@id",
                    "name",
                    "author",
                    "offers",
                    "price",
                    "itemListElement",
                    "review",
                    "recipeIngredient",
                    "text",
                    "aggregateRating",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.text(max_size=40))
@example({"@type": ["Recipe", None], "name": [[["a"]]], "offers": {"@id": "b"}}, "<p>a")
@example([{"@type": "Recipe", "@id": "a", "author": {"@id": "a"}}], "")
def test_any_linked_data_has_an_outcome(linked: object, body: str) -> None:
    html = f"<script type='application/ld+json'>{json.dumps(linked)}</script><h1>x</h1>{body}"

    assert isinstance(webseam.data_from_html(html, Recipe, url=URL), Success)


@given(st.text(max_size=30), st.text(max_size=10))
@example("a½b 1 1/2 (x)", "1.5")
def test_a_found_span_says_the_text(text: str, wanted: str) -> None:
    for start, end in FoldedText(text).find(wanted, is_loose=True):
        assert 0 <= start < end <= len(text)
        assert loosen(wanted) in loosen(text)


@given(st.text(alphabet="0123456789.,eE+-x ", max_size=40))
def test_a_number_is_finite_and_short(text: str) -> None:
    number = parse_number(text)

    if number is not None:
        assert number.is_finite()
        assert len(f"{number:f}") <= 60


@given(BLOCKS, LINKED)
def test_the_same_page_gives_the_same_values(
    blocks: list[tuple[str, str, str]], linked: object
) -> None:
    html = write_page(blocks, linked)

    assert values_of(html) == values_of(html)
    assert not re.search(r"\n\n\n", values_of(html).text)

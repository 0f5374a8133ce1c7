"""Finding documents again."""

from datetime import date
from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.search import LOOSENED_WARNING
from webseam.ports import WebSearchQuery

from .shelf import BOILER, BREAD, PUMP, shelf, urls


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("heat pumps", [PUMP.url, BOILER.url]),
        ("What moves warmth into houses?", [PUMP.url, BOILER.url]),
        ("bread", [BREAD.url]),
        ("zebra", []),
        ('"heat pump"', [PUMP.url]),
        ('"pump heat"', [PUMP.url, BOILER.url]),
        ('"pump zebra" +gas', [BOILER.url]),
        ('"zebra crossing"', []),
        ("pump -gas", [PUMP.url]),
        ("pump NOT boiler", [PUMP.url]),
        ('house -"heat pump"', [BOILER.url]),
        ("warm* dou*", [BREAD.url, PUMP.url]),
        ("+gas pump", [BOILER.url]),
        ("pump AND gas", [BOILER.url]),
        ("pump site:docs.heat.example", [BOILER.url]),
        ("pump site:heat.example", [PUMP.url, BOILER.url]),
        ("pump -site:docs.heat.example", [PUMP.url]),
        ("site:bread.example", [BREAD.url]),
        ("site:heat.example -gas", [PUMP.url]),
        ("-gas", []),
        ("boilers", [BOILER.url]),
        ("rye.html?", [BREAD.url]),
        ("", []),
    ],
)
def test_a_query_finds(tmp_path: Path, query: str, expected: list[str]) -> None:
    assert urls(shelf(tmp_path, PUMP, BOILER, BREAD), query) == expected


_MAIL = IndexDocument(
    url="https://list.example/1",
    title="Tower",
    text="The lantern of Skerryvore was lit in 1844. " + "Keepers lived there for weeks. " * 9,
)
_REPLY = IndexDocument(
    url="https://list.example/2",
    title="Re: Tower",
    text="Ann wrote:\n> The lantern of Skerryvore was lit in 1844.\n\nI read that, too.",
)


def test_a_mail_comes_before_a_short_reply_that_quotes_it(tmp_path: Path) -> None:
    index = shelf(tmp_path, _REPLY, _MAIL, PUMP)

    assert urls(index, "lantern Skerryvore lit") == [_MAIL.url, _REPLY.url]
    assert urls(index, "read that too Skerryvore") == [_REPLY.url, _MAIL.url]


def test_words_that_only_a_reply_quotes_are_found(tmp_path: Path) -> None:
    index = shelf(tmp_path, _REPLY, PUMP)

    for query in ("Skerryvore", "lanterns lit", '"lantern of Skerryvore"', "+lantern 1844"):
        assert urls(index, query) == [_REPLY.url], query
    assert urls(index, "Ann -lantern") == []


def test_a_word_in_the_address_alone_finds_a_document(tmp_path: Path) -> None:
    named = IndexDocument(url="http://file.localhost/notes/zebra-list.md", text="Stripes.")

    assert urls(shelf(tmp_path, PUMP, named), "zebra") == [named.url]


def test_a_word_in_the_address_is_not_one_that_must_not_be_there(tmp_path: Path) -> None:
    named = IndexDocument(url="http://file.localhost/notes/zebra-list.md", text="Stripes.")

    assert urls(shelf(tmp_path, named), "stripes -zebra") == [named.url]


def test_filters_of_the_query_count_like_typed_ones(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER)

    assert urls(index, "pump", include_domains=("docs.heat.example",)) == [BOILER.url]
    assert urls(index, "pump", exclude_domains=("docs.heat.example",)) == [PUMP.url]
    assert urls(index, "pump", include_domains=("eat.example",)) == []


def test_a_site_that_is_typed_does_not_lead_out_of_those_asked_for(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER, BREAD)

    def found(typed: str) -> list[object]:
        return urls(index, typed, include_domains=("docs.heat.example", "bread.example"))

    assert found("pump site:heat.example") == [BOILER.url]
    assert found("site:heat.example") == [BOILER.url]
    assert found("pump site:other.example") == []


def test_of_phrases_with_or_between_them_one_must_be_there(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER, BREAD)

    answer = index.answer(WebSearchQuery(query='"rye bread" OR "heat pump"')).unwrap()

    assert {row["url"] for row in answer.rows} == {BREAD.url, PUMP.url}
    assert answer.warnings == ()


def test_documents_without_a_date_stay_under_a_filter_of_dates(tmp_path: Path) -> None:
    undated = IndexDocument(url="https://a.example/", text="a pump without a date")
    index = shelf(tmp_path, PUMP, BOILER, undated)

    def found(text: str, **filters: object) -> set[object]:
        query = WebSearchQuery(query=text, **filters)  # type: ignore[arg-type]
        return {row["url"] for row in index.search(query).unwrap()}

    day = date(2026, 1, 1)
    assert found("pump", published_after=day) == {PUMP.url, undated.url}
    assert found("site:a.example", published_before=day) == {undated.url}
    assert found("+pump +without", published_after=day) == {undated.url}
    assert found("pump -without", published_after=day) == {PUMP.url}
    assert found("pump", published_after=day, include_domains=("heat.example",)) == {PUMP.url}


def test_a_date_leaves_out_what_is_older_or_newer(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER)

    assert urls(index, "pump", published_after=date(2026, 1, 31)) == [PUMP.url]
    assert urls(index, "pump", published_before=date(2025, 6, 1)) == [BOILER.url]
    assert urls(index, "pump", published_after=date(2026, 2, 1)) == []


def test_a_date_is_looked_for_below_the_best(tmp_path: Path) -> None:
    many = [IndexDocument(url=f"https://a.example/{n}", text="pump pump") for n in range(700)]
    index = shelf(tmp_path, *many, PUMP)

    found = urls(index, "pump", published_after=date(2026, 1, 1))
    assert (found[0], len(found)) == (PUMP.url, 10)


def test_a_row_has_a_title_a_score_a_date_and_a_snippet_in_bold(tmp_path: Path) -> None:
    [row] = shelf(tmp_path, PUMP).search(WebSearchQuery(query="warmth")).unwrap()

    assert isinstance(row.pop("score"), float)
    assert row == {
        "title": "Heat pumps",
        "url": PUMP.url,
        "published_at": "2026-01-31",
        "snippet": "Heat pumps · A heat pump moves **warmth** from outside into a house.",
    }


def test_a_document_without_a_title_goes_by_its_address(tmp_path: Path) -> None:
    index = shelf(tmp_path, IndexDocument(url="https://a.example/x", text="zebra"))

    [row] = index.search(WebSearchQuery(query="zebra")).unwrap()

    assert row["title"] == "https://a.example/x"


def test_a_document_stands_once_with_its_best_passage(tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {n} is about gas. " * 20 for n in range(30))
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text=f"{long}\n\nA zebra gas."))

    [row] = index.search(WebSearchQuery(query="zebra gas")).unwrap()

    assert "**zebra** **gas**" in str(row["snippet"])


def test_many_passages_of_one_document_do_not_hide_the_others(tmp_path: Path) -> None:
    gas = "gas gas gas gas. " * 100
    long = IndexDocument(url="https://long.example/", text="\n\n".join([gas] * 60))
    short = [IndexDocument(url=f"https://{n}.example/", text=f"some gas, {n}") for n in range(12)]

    assert len(urls(shelf(tmp_path, long, *short), "gas")) == 10


def test_as_many_rows_come_as_were_asked_for(tmp_path: Path) -> None:
    many = [IndexDocument(url=f"https://a.example/{n}", text=f"pump {n}") for n in range(120)]
    index = shelf(tmp_path, *many)

    assert len(urls(index, "pump", max_results=3)) == 3
    assert len(urls(index, "pump")) == 10
    assert len(urls(index, "pump", max_results=100)) == 100


def test_rare_words_count_more_than_common_ones(tmp_path: Path) -> None:
    common = [IndexDocument(url=f"https://a.example/{n}", text="gas gas heat") for n in range(60)]
    rare = IndexDocument(url="https://rare.example/", text="zebra gas among many other words here")

    assert urls(shelf(tmp_path, *common, rare), "gas zebra heat")[0] == rare.url


def test_a_common_word_alone_is_found_by_how_much_a_passage_is_about_it(tmp_path: Path) -> None:
    filler = "and many other words that are not about it at all " * 8
    common = [IndexDocument(url=f"https://a.example/{n}", text=f"gas {filler}") for n in range(90)]
    about = IndexDocument(url="https://about.example/", text="gas gas gas gas")

    assert urls(shelf(tmp_path, *common, about), "gas")[0] == about.url


def test_of_many_the_few_that_are_most_about_a_word_are_enough(tmp_path: Path) -> None:
    filler = "and other words that are not about it at all " * 8
    much = [IndexDocument(url=f"https://much.example/{n}", text="gas gas gas") for n in range(260)]
    little = [IndexDocument(url=f"https://a.example/{n}", text=f"gas {filler}") for n in range(40)]
    index = shelf(tmp_path, *little, *much)

    assert all(str(url).startswith("https://much.example/") for url in urls(index, "gas"))


def test_of_many_dated_documents_the_best_are_enough(tmp_path: Path) -> None:
    dated = [
        IndexDocument(url=f"https://a.example/{n}", text="pump", published="2026-01-01")
        for n in range(1200)
    ]

    urls_found = urls(shelf(tmp_path, *dated), "pump", published_after=date(2026, 1, 1))

    assert len(urls_found) == 10


def test_words_side_by_side_beat_the_same_words_apart(tmp_path: Path) -> None:
    apart = IndexDocument(url="https://a.example/", text="pump the old water out until it is heat")
    beside = IndexDocument(url="https://b.example/", text="out until it is old the water heat pump")

    assert urls(shelf(tmp_path, apart, beside), "heat pump") == [beside.url, apart.url]


def test_a_word_in_the_title_counts_more(tmp_path: Path) -> None:
    body = IndexDocument(url="https://a.example/", title="Notes", text="zebra and lion")
    title = IndexDocument(url="https://b.example/", title="Zebra", text="stripes and lion")

    assert urls(shelf(tmp_path, body, title), "zebra")[0] == title.url


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "'",
        '""""',
        "a OR",
        "NEAR(a b, 3)",
        "title:x",
        "{a b} : c",
        "^pump",
        "*",
        "pump*pump",
        "'; DROP TABLE documents; --",
        "\x00pump",
        "🔥 pump",
        "pump" * 2500,
        "(" * 500,
        "-" * 500,
        "\ud800",
        "site:\ud800",
        "pump AND NOT",
        "NOT NOT pump",
        "rowid:1",
        "a" * 70 + "*",
        "\u202epump",
        "pump.1",
        "@heat.example",
    ],
)
def test_no_text_breaks_the_search(tmp_path: Path, query: str) -> None:
    index = shelf(tmp_path, PUMP)

    assert isinstance(urls(index, query), list)
    assert urls(index, "pump") == [PUMP.url]


def test_a_long_snippet_is_the_part_that_holds_the_words(tmp_path: Path) -> None:
    text = f"{'before ' * 80}the zebra and the lion drink {'after ' * 80}"

    [row] = (
        shelf(tmp_path, IndexDocument(url="https://a.example/", text=text))
        .search(WebSearchQuery(query="zebra lion"))
        .unwrap()
    )

    snippet = str(row["snippet"])
    assert "the **zebra** and the **lion** drink" in snippet
    assert snippet.startswith("… before")
    assert snippet.endswith("…")
    assert len(snippet) < 350


def test_a_snippet_of_a_script_without_blanks_is_cut_where_it_must_be(tmp_path: Path) -> None:
    text = "東" * 500 + "京都" + "西" * 500

    [row] = (
        shelf(tmp_path, IndexDocument(url="https://a.example/", text=text))
        .search(WebSearchQuery(query="京都"))
        .unwrap()
    )

    assert str(row["snippet"]).startswith("… 東")
    assert "**京都**" in str(row["snippet"])


def test_words_in_quotes_that_are_nowhere_side_by_side_are_looked_for_and_that_is_said(
    tmp_path: Path,
) -> None:
    index = shelf(tmp_path, PUMP, BREAD)

    def warned(query: str) -> tuple[str, ...]:
        return index.answer(WebSearchQuery(query=query)).unwrap().warnings

    assert warned('"warmth pump"') == (LOOSENED_WARNING,)
    assert warned('"heat pump"') == warned('"zebra crossing"') == warned("+zebra pump") == ()


THAI = "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย น้ำท่วมในฤดูฝน " * 3


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        (THAI, "ประเทศไทย", "**ประเทศไทย**"),
        (THAI + "Bangkok", "ประเทศ Bangkok", "**Bangkok**"),
        ("東京都の天気は晴れ。" * 9, "天気", "**天気**"),
        ("犬 と 猫", "犬", "**犬** と"),
    ],
)
def test_a_snippet_marks_words_of_scripts_without_blanks(
    tmp_path: Path, text: str, query: str, shown: str
) -> None:
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text=text, language="th"))

    [row] = index.search(WebSearchQuery(query=query)).unwrap()

    assert shown in str(row["snippet"])


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("น้ำ", "**น้ำ**ท่วม"),
        ("ไทย", "ประเทศ**ไทย**"),
        ("เมือง", "เป็น**เมือง**หลวง"),
        ("เท", ""),  # only inside of เทพ and เทศ, but a syllable of theirs
        ("ทพ", None),
    ],
)
def test_a_syllable_of_thai_is_found_wherever_it_stands(
    tmp_path: Path, query: str, shown: str | None
) -> None:
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text=THAI), BREAD)

    rows = index.search(WebSearchQuery(query=query)).unwrap()

    assert bool(rows) is (shown is not None)
    assert (shown or "") in str(rows[:1])


@pytest.mark.parametrize("language", ["en", "de"])
def test_words_found_by_their_beginning_are_bold(tmp_path: Path, language: str) -> None:
    text = f"{'before ' * 80}a configuration of pumps{' after' * 80}"
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text=text, language=language))

    [row] = index.search(WebSearchQuery(query="config* pumps")).unwrap()

    assert "a **configuration** of **pumps**" in str(row["snippet"])


NAMES = IndexDocument(
    url="https://n.example/",
    text="See PEP-484 and RFC2616, userProfile, the HTTPServer class, or write an email in Python 3.",
)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("PEP484", "**PEP-484**"),
        ("rfc 2616", "**RFC2616**"),
        ("user profile", "**userProfile**"),
        ("http server", "**HTTPServer**"),
        ("e-mail", "**email**"),
        ("python3", "**Python 3**"),
        ("EmailClass", "**class**, or write an **email**"),
    ],
)
def test_a_word_is_found_that_others_write_as_two_or_as_one(
    tmp_path: Path, query: str, shown: str
) -> None:
    [row] = shelf(tmp_path, NAMES, BREAD).search(WebSearchQuery(query=query)).unwrap()

    assert shown in str(row["snippet"])


def test_words_that_the_index_has_are_looked_for_as_one_behind_themselves(tmp_path: Path) -> None:
    two = IndexDocument(url="https://t.example/", text="The pump stands in its own house.")
    one = IndexDocument(url="https://o.example/", text="The pumphouse is by the river.")

    rows = shelf(tmp_path, two, one).search(WebSearchQuery(query="pump house zeppelin")).unwrap()

    assert [row["url"] for row in rows] == [two.url, one.url]


@pytest.mark.parametrize("query", ["1 3", "bread 24", "x" * 30, "Zebra9"])
def test_words_are_not_put_together_or_taken_apart_at_will(tmp_path: Path, query: str) -> None:
    text = "input 12 x"
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text=text))

    assert urls(index, query) == []

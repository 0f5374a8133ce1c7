"""Symbols are found where they stand for something: pictures, money, C++ beside C."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.query import plan_query
from webseam.adapters.language.symbols import symbol_positions, symbol_terms
from webseam.ports import WebSearchQuery

from .shelf import shelf, urls

TEXTS = {
    "cpp": "C++ is compiled. Programs in C++ are fast.",
    "csharp": "C# has generics.",
    "c": "C is small, and C is portable: write C.",
    "rocket": "Deploy today 🚀 and celebrate.",
    "party": "We celebrate today 🎉🎉 again.",
    "law": "Under § 5 of the law.",
    "bill": "Pay 5 € a month.",
    "germany": "From Berlin 🇩🇪 with 👍🏽 and ❤️.",
    "denmark": "From Aarhus 🇩🇰.",
}
DOCUMENTS = [
    IndexDocument(url=f"https://{name}.example/", text=text, language="en")
    for name, text in TEXTS.items()
]


@pytest.mark.parametrize(
    ("query", "first", "found"),
    [
        ("C++", "cpp", 3),
        ("c#", "csharp", 3),
        ("🚀", "rocket", 1),
        ("celebrate 🎉", "party", 2),
        ("§", "law", 1),
        ("5 €", "bill", 2),
        ("🇩🇪", "germany", 1),
        ("👍", "germany", 1),
        ("❤", "germany", 1),
        ('"C++"', "cpp", 1),
        ("+🎉 celebrate", "party", 1),
        ("celebrate -🎉", "rocket", 1),
    ],
)
def test_a_symbol_is_found(tmp_path: Path, query: str, first: str, found: int) -> None:
    index = shelf(tmp_path, *DOCUMENTS)

    rows = urls(index, query)

    assert (rows[0], len(rows)) == (f"https://{first}.example/", found)


def test_to_leave_out_a_name_with_symbols_keeps_the_others(tmp_path: Path) -> None:
    index = shelf(tmp_path, *DOCUMENTS)

    assert set(urls(index, "C -C++")) == {"https://c.example/", "https://csharp.example/"}


def test_a_symbol_in_a_title_counts(tmp_path: Path) -> None:
    titled = IndexDocument(url="https://a.example/", title="Notes on C++", text="It is fast.")
    index = shelf(tmp_path, titled, *DOCUMENTS[1:3])

    assert urls(index, "C++")[0] == "https://a.example/"


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("C++", "**C++** is compiled."),
        ("🎉", "today **🎉🎉** again"),
        ("❤", "**❤️**"),
        ("👍", "**👍🏽**"),
    ],
)
def test_a_symbol_is_bold(tmp_path: Path, query: str, shown: str) -> None:
    row = shelf(tmp_path, *DOCUMENTS).search(WebSearchQuery(query=query)).unwrap()[0]

    assert shown in str(row["snippet"])


@pytest.mark.parametrize(
    "text",
    ["", "plain", "# A heading\n\n## Another", "foo#bar 1 + 1 a+b", "„so“ – ja…", "£\xa0"[1:]],
)
def test_most_texts_have_no_symbol(text: str) -> None:
    assert symbol_terms(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "ASP.NET, a.net and é.net",
        "so. on ...and ./a ../b .5",
        "a@b.example",
        "[up](#top) https://a.example/#top &#39; &#x27;",
        "$5 a$b $$a",
        "a--b -x --- --",
    ],
)
def test_symbols_within_names_and_addresses_are_no_terms(text: str) -> None:
    assert symbol_terms(text) == []


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("On .NET", "=.net"),
        ("(`.env`)", "=.env"),
        ("all *.py files", "=.py"),
        ("\u201c.NET\u201d", "=.net"),
        ("@types/node", "=@types"),
        ("so #happy", "=#happy"),
        ("in $HOME", "=$home"),
        ("in ${HOME}", "=$home"),
        ("with --no-cache", "=--no-cache"),
    ],
)
def test_names_that_begin_with_a_symbol_are_one_with_it(text: str, symbol: str) -> None:
    assert symbol_terms(text) == [symbol]


NETS = {
    "net": "A net is a net: the net of a net catches fish, net by net.",
    "dotnet": "Programs that run on .NET are compiled.",
    "asp": "Pages of ASP.NET are compiled, too.",
    "flag": "Run it with --force to force it.",
    "force": "A force is a push. Force, force, force.",
    "home": "It lies in ${HOME}/bin.",
    "house": "A home is a home is a home.",
}


@pytest.mark.parametrize(
    ("query", "first", "found"),
    [
        (".NET", "dotnet", 3),
        ("net", "net", 3),
        ('".NET"', "dotnet", 1),
        ("compiled -.NET", "asp", 1),
        ("--force", "flag", 2),
        ("force", "force", 2),
        ("$HOME", "home", 2),
        ("home", "house", 2),
    ],
)
def test_a_name_with_a_symbol_before_it_is_found_first(
    tmp_path: Path, query: str, first: str, found: int
) -> None:
    documents = [
        IndexDocument(url=f"https://{name}.example/", text=text, language="en")
        for name, text in NETS.items()
    ]

    rows = urls(shelf(tmp_path, *documents), query)

    assert (rows[0], len(rows)) == (f"https://{first}.example/", found)


def test_a_symbol_before_a_name_is_bold_with_it(tmp_path: Path) -> None:
    document = IndexDocument(url="https://a.example/", text="It runs on .NET alone.")

    [row] = shelf(tmp_path, document).search(WebSearchQuery(query=".net")).unwrap()

    assert row["snippet"] == "It runs on **.NET** alone."


def test_symbols_are_where_they_stand() -> None:
    text = "Is F# like C#, or g++? ∑ £5 ✅"

    assert [(text[start:end].lower(), term) for start, end, term in symbol_positions(text)] == [
        ("f#", "=f#"),
        ("c#", "=c#"),
        ("g++", "=g++"),
        ("∑", "=∑"),
        ("£", "=£"),
        ("✅", "=✅"),
    ]


def test_a_query_of_a_symbol_has_a_plan() -> None:
    assert plan_query("🚀").terms == ("=🚀",)
    assert plan_query("-C#").excluded == (("=c#",),)
    assert plan_query('"C# code"').required == ((("c", "code"),), (("=c#",),))

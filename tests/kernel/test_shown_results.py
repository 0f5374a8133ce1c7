"""Outcomes are sequences and rows are mappings; both print as text and show as escaped HTML."""

import json
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser

import pytest

from webseam import BlockingWeb, SearchAnswer
from webseam.ports.result_texts import html_link
from webseam.testing import FakeBackend, fake_blocking_web

ROWS = [
    {"title": "Tides", "url": "https://tides.example/", "snippet": "High\x1b[2J water"},
    {"title": "<script>x</script>", "url": "https://b.example/?a=1&b='"},
]
URL = "https://tides.example/page"


def opened(**parts: object) -> BlockingWeb:
    return fake_blocking_web(FakeBackend(**parts))  # type: ignore[arg-type]


def test_an_outcome_is_a_sequence_of_its_rows() -> None:
    with opened(rows=ROWS) as web:
        found = web.search("tides")

    assert [row.title for row in found] == [row.title for row in found.rows]
    assert (len(found), found[0], found[-1], found[:1]) == (2, *found.rows, found.rows[:1])
    assert found[1] in found
    assert (found.index(found[1]), found.count(found[0])) == (1, 1)
    assert [*reversed(found)] == [*found][::-1]
    assert issubclass(type(found), Sequence)
    assert found


def test_an_outcome_without_rows_is_false_unless_it_answers() -> None:
    with (
        opened(rows=[]) as nothing,
        opened(rows=[SearchAnswer(text="High water at six.")]) as prose,
    ):
        assert not nothing.search("q")
        assert list(nothing.search("q")) == []
        assert prose.search("q")


def test_a_row_is_a_mapping_of_its_fields() -> None:
    with opened(rows=ROWS) as web:
        found = web.search("tides")
    row = found[0]

    assert dict(row) == {name: getattr(row, name) for name in row.__struct_fields__}
    assert {**row} == dict(row.items()) == dict(zip(row.keys(), row.values(), strict=True))
    assert (row["title"], row.get("url"), row.get("no"), "title" in row) == (
        *("Tides", "https://tides.example/"),
        *(None, True),
    )
    with pytest.raises(KeyError):
        row["no"]
    assert len(row) == len(row.__struct_fields__)
    assert issubclass(type(row), Mapping)
    assert json.loads(json.dumps(found.to_dicts()))[1]["title"] == "<script>x</script>"


class _Tags(HTMLParser):
    """The tags, links and texts of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str | None] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_results_print_as_text_and_show_as_escaped_html() -> None:
    with opened(rows=ROWS, document="# Tides\n\n<script>alert(1)</script>\x1b[2J") as web:
        found, page = web.search("tides"), web.extract(URL)

    assert str(found).startswith("1. Tides\n   https://tides.example/\n   High[2J water\n\n2. <s")
    assert "<https://tides.example/page>\n\n# Tides" in str(page)
    table, shown = _Tags(found._repr_html_()), _Tags(page._repr_html_())
    assert table.tags == {"table", "tr", "th", "td", "a"}
    assert table.links == [row.url for row in found]
    assert "<script>x</script>" in table.text
    assert shown.tags == {"p", "b", "a", "div", "h1"}
    assert "href" not in html_link("javascript:alert(1)", "x")
    assert "\x1b" not in str(found) + str(page) + table.text + shown.text


def test_nothing_found_and_an_answer_in_prose_are_shown() -> None:
    with (
        opened(rows=[]) as nothing,
        opened(rows=[SearchAnswer(text="<b>High</b> water.")]) as prose,
    ):
        assert "Nothing found" in nothing.search("q")._repr_html_()
        answered = prose.search("q")

    assert _Tags(answered._repr_html_()).text == str(answered.answer) == "<b>High</b> water."

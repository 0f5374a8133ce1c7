"""Each text of every service is what its vendor documents: plain, markdown or HTML.

Plain text and markdown come through as they were sent, HTML as the text that it shows. What a
service states is what its decoder does, so nothing is converted twice, and nothing by chance.
"""

import copy
import html
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from properties.sample_replies import replies_of
from tests.services.pick import SERVICES
from webseam.adapters.services.calls import Reply
from webseam.adapters.services.json_api.block import read_json_search
from webseam.adapters.services.json_api.encoding import json_search_service
from webseam.adapters.services.operations import SearchOperation
from webseam.adapters.values.html_text import html_to_text
from webseam.kernel.laws.row_law import check_row
from webseam.ports.errors import InvalidRow

# As they stand on real pages: a formula, generics, a shell, parameters, an escaped tag.
PROSE = (
    "Holds if $p<q$ and fails if $r>s$", "Vec<u8>", "if (a <b && c> d)", "&region=eu&section=2",
    "?start=1&copy=2&timestamp=5", "List&lt;String&gt;", "<b>bold</b> 10<sup>6</sup>",
    "&amp;lt; and &lt;br&gt;", "*a* `<br>` # b",
)  # fmt: skip
# As the vendors document it, or as their own clients read it.
HTML = {
    "brave": {"title", "snippet"}, "crossref": {"title", "snippet"},
    "duckduckgo": {"title", "snippet"}, "hackernews": {"snippet"}, "kagi": {"title", "snippet"},
    "mojeek": {"title", "snippet"}, "openalex": {"title"}, "wikipedia": {"snippet"},
}  # fmt: skip


def with_texts(node: object, old: str, new: str) -> Iterator[object]:
    """Yield a copy of a payload for each place where a text is ``old``, with ``new`` there."""
    for place in places(node, old):
        changed = copy.deepcopy(node)
        parent = changed
        for step in place[:-1]:
            parent = parent[step]  # type: ignore[index]
        parent[place[-1]] = new  # type: ignore[index]
        yield changed


def places(node: object, text: str) -> Iterator[tuple[str | int, ...]]:
    items: list[tuple[str | int, object]] = []
    if isinstance(node, dict):
        items = list(node.items())
    elif isinstance(node, list):
        items = list(enumerate(node))
    for step, value in items:
        if value == text:
            yield (step,)
        else:
            yield from ((step, *rest) for rest in places(value, text))


def texts_of(search: SearchOperation, reply: Reply, field: str) -> list[object]:
    rows = search.decode(reply).value_or(())
    return [row.get(field) for row in rows if isinstance(row, dict)]


def shown(form: str, text: str) -> object:
    return html_to_text(text) if form == "html" else text


@pytest.mark.parametrize("name", sorted(SERVICES))
@given(text=st.sampled_from(PROSE))
def test_texts_come_through_as_their_service_states(name: str, text: str) -> None:
    search = SERVICES[name].search
    assert search is not None
    forms = {"title": search.title, "snippet": search.snippet}
    assert {field for field, form in forms.items() if form == "html"} == HTML.get(name, set())
    checked = 0
    for reply in replies_of(name):
        for field, form in forms.items():
            for value in {*texts_of(search, reply, field)}:
                sent = html.escape(str(value)) if form == "html" else value
                for source in {value, sent}:
                    for payload in with_texts(reply.payload, str(source), text):
                        made = texts_of(search, replace(reply, payload=payload), field)
                        if (
                            value
                            and not str(value).startswith("http")
                            and made != texts_of(search, reply, field)
                        ):
                            checked += 1
                            assert shown(form, text) in made, (field, value)
    # Replies in XML and HTML have no places: their samples say the same.
    assert checked or all(reply.payload is None for reply in replies_of(name))


@given(text=st.sampled_from(PROSE), fields=st.sets(st.sampled_from(["title", "snippet"])))
def test_texts_of_a_described_api_come_through_as_its_settings_say(
    text: str, fields: set[str]
) -> None:
    block = {
        "url_template": "https://api.example/s?q={query}",
        "results_path": "results",
        "html_fields": sorted(fields),
    }
    search = json_search_service("mine", read_json_search(block).unwrap()).search
    assert search is not None
    row = {"title": text, "url": "https://a.example/", "snippet": text}

    (made,) = search.decode(Reply(status=200, payload={"results": [row]})).unwrap()

    assert made == {
        **row,
        **{field: html_to_text(text) for field in fields},
    }
    assert {field for field in ("title", "snippet") if getattr(search, field) == "html"} == fields


@given(
    title=st.integers(-(2**60), 2**60) | st.floats(-1e9, 1e9),
    score=st.floats(-1e6, 1e6) | st.integers(-999, 999),
    is_text=st.booleans(),
)
def test_numbers_and_texts_of_a_described_api_are_converted_where_that_is_exact(
    title: float, score: float, *, is_text: bool
) -> None:
    row = {"title": title, "url": "https://a.example/", "snippet": 7, "published_at": 2024}

    (made,) = described_rows({**row, "score": str(score) if is_text else score})

    assert made == {
        "title": str(title),
        "url": "https://a.example/",
        "snippet": "7",
        "published_at": "2024",
        "score": score,
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ["a"]),
        ("title", True),
        ("snippet", ["a", "b"]),
        ("snippet", {"text": "a"}),
        ("score", "high"),
        ("score", [1]),
        ("score", "1e999"),
        ("score", True),
        ("url", 7),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_name(field: str, value: object) -> None:
    row = {"title": "A", "url": "https://a.example/", "snippet": "s", field: value}

    fault = check_row(described_rows(row)[0]).failure()

    assert isinstance(fault, InvalidRow)
    assert fault.field == field


def described_rows(row: dict[str, object]) -> list[object]:
    block = {"url_template": "https://api.example/s?q={query}", "results_path": "results"}
    search = json_search_service("mine", read_json_search(block).unwrap()).search
    assert search is not None
    return list(search.decode(Reply(status=200, payload={"results": [row]})).unwrap())

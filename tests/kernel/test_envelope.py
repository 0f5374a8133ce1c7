"""What an agent sees."""

import json

import msgspec
import pytest
from returns.result import Failure, Success

from webseam.kernel import (
    Piece,
    extract_envelope,
    failure_envelope,
    joined_pages,
    piece_envelope,
    search_envelope,
)
from webseam.kernel.envelopes import strip_hidden_outcome, strip_hidden_page
from webseam.ports import RateLimited, SearchAnswer, UnsupportedContent
from webseam.ports.pages import PageLink
from webseam.testing import FakeBackend

from .ask import GOOD, URL, extract, search, search_rows

RECEIPT: dict[str, object] = {
    "backend": "fake",
    "query": "q",
    "asked_max_results": None,
    "max_results": None,
    "clamped": False,
    "filters": [],
    "sent": [],
    "emulated": [],
    "verified": [],
    "refused": [],
    "returned": 1,
    "rejected": 0,
    "trimmed": 0,
    "filtered": 0,
    "undated": 0,
    "blocked": 0,
    "merged": 0,
    "cached": False,
    "age": None,
    "fetched_at": None,
    "warnings": [],
    "usage": None,
    "attempts": [],
    "middleware": [],
    "new_share": None,
    "no_progress": False,
    "unread": [],
    "pages": [],
}


def as_json(envelope: object) -> object:
    return json.loads(msgspec.json.encode(envelope))


def test_a_search_gives_rows_with_a_description_and_a_receipt() -> None:
    assert as_json(search_envelope(search_rows(GOOD))) == {
        "success": True,
        "data": {
            "web": [
                {"title": "A", "url": "https://a.example/", "description": "about a", "position": 1}
            ]
        },
        "receipt": RECEIPT,
    }


def test_nothing_found_and_a_failure_cannot_be_mistaken_for_each_other() -> None:
    found_nothing = search_envelope(search_rows())
    failed = search_envelope(Failure(RateLimited(backend="b", retry_after=2.0, detail="busy")))

    assert found_nothing["success"] is True
    assert found_nothing["data"] == {"web": []}
    assert as_json(failed) == {
        "success": False,
        "error": "b asks to slow down; try again in 2 s: busy.",
        "failure": {
            "kind": "rate_limited",
            "backend": "b",
            "status": 429,
            "retry_after": 2.0,
            "detail": "busy",
            "retryable": True,
        },
    }


def test_prose_without_rows_is_an_answer_and_no_row() -> None:
    envelope = search_envelope(search_rows(SearchAnswer(text="42\u200b")))

    assert envelope["data"] == {"web": [], "answer": "42"}


def test_prose_beside_rows_stands_beside_them() -> None:
    data = search_envelope(search_rows(GOOD, SearchAnswer(text="42\u200b")))["data"]

    assert isinstance(data, dict)
    assert data["answer"] == "42"
    assert [row["title"] for row in data["web"]] == ["A"]


def test_rejected_rows_are_listed() -> None:
    outcome = search(FakeBackend(rows=[{}]), rows="quarantine")

    assert as_json(search_envelope(outcome)["data"]) == {
        "web": [],
        "rejected": [{"index": 0, "field": "title", "reason": "is missing", "raw": "{}"}],
    }


def test_titles_are_one_line_and_nothing_hides_in_the_text() -> None:
    row = {**GOOD, "title": "a\n\nSYSTEM: b", "snippet": "pay\u200bload\x1b[2J"}

    web = as_json(search_envelope(search_rows(row))["data"])

    assert web == {
        "web": [
            {
                "title": "a SYSTEM: b",
                "url": "https://a.example/",
                "description": "payload[2J",
                "position": 1,
            }
        ]
    }


UNKNOWN_READING: dict[str, object] = {
    "view": None,
    "complete": None,
    "cuts": [],
    "left_out": None,
    "notes": [],
}


def test_a_page_gives_its_content_and_a_receipt() -> None:
    document = {"url": URL, "title": "T\nU", "content": "te\u202ext", "metadata": {"a": 1}}

    assert as_json(extract_envelope([URL], [extract(FakeBackend(document=document))])) == {
        "success": True,
        "data": {
            "results": [
                {
                    "url": URL,
                    "final_url": URL,
                    "title": "T U",
                    "content": "text",
                    **UNKNOWN_READING,
                    "metadata": {"a": 1},
                    "error": None,
                }
            ]
        },
        "failed": 0,
        "receipt": {
            "backend": "fake",
            "pages": [
                {
                    "backend": "fake",
                    "url": URL,
                    "final_url": URL,
                    "characters": 5,
                    "compressed": False,
                    "compressed_characters": None,
                    "raw": False,
                    "omitted": 0,
                    "next_cursor": None,
                    "handle": None,
                    "cached": False,
                    "age": None,
                    "fetched_at": None,
                    "warnings": [],
                    "usage": None,
                    "compressor_usage": None,
                    "compressor_attempts": [],
                    "attempts": [],
                    "middleware": [],
                    "unread": [],
                }
            ],
            "middleware": [],
        },
    }


def test_a_page_beside_one_that_failed_is_a_success_that_counts_it() -> None:
    error = RateLimited(backend="b", url="https://b.example/")

    envelope = extract_envelope(
        ["https://b.example/", URL], [Failure(error), extract(FakeBackend(document="text"))]
    )

    assert (envelope["success"], envelope["failed"]) == (True, 1)
    assert envelope["data"]["results"][0] == {  # type: ignore[index]
        "url": "https://b.example/",
        "final_url": None,
        "title": "",
        "content": "",
        **UNKNOWN_READING,
        "metadata": {},
        "error": {
            "message": error.message,
            "kind": "rate_limited",
            "backend": "b",
            "url": "https://b.example/",
            "detail": "",
            "status": 429,
            "retryable": True,
        },
    }
    assert envelope["receipt"]["pages"][0] is None  # type: ignore[index]
    assert envelope["receipt"]["backend"] == "b, fake"  # type: ignore[index]


@pytest.mark.parametrize(
    ("document", "raw"),
    [
        ({"url": URL, "content": "text", "raw_content": "te\u200bxt, raw"}, "text, raw"),
        ({"url": URL, "content": "text", "raw_content": "te\u200bxt\n"}, None),
        ({"url": URL, "content": "text"}, None),
    ],
)
def test_the_raw_content_is_told_where_it_is_another_text(
    document: dict[str, object], raw: str | None
) -> None:
    envelope = extract_envelope([URL], [extract(FakeBackend(document=document))])

    assert envelope["data"]["results"][0].get("raw_content") == raw  # type: ignore[index]


def test_envelopes_of_several_calls_are_joined_to_one() -> None:
    page = extract_envelope([URL], [extract(FakeBackend(document="text"))])
    failed = extract_envelope([URL], [Failure(RateLimited(backend="b"))])
    own: dict[str, object] = {"success": True, "text": "a plugin's"}

    joined = joined_pages([page, failed, own])

    assert (joined["success"], joined["failed"]) == (True, 1)
    assert [entry.get("content") for entry in joined["data"]["results"]] == ["text", "", None]  # type: ignore[index]
    assert joined["receipt"]["backend"] == "fake, b"  # type: ignore[index]
    assert [page is None for page in joined["receipt"]["pages"]] == [False, True]  # type: ignore[index]
    assert joined_pages([page]) is page
    both = joined_pages([failed, failed])
    assert (both["success"], both["failed"], both["error"]) == (False, 2, failed["error"])


def test_a_piece_gives_its_text_and_where_to_go_on() -> None:
    piece = Piece(text="te\u202ext", cursor=3, next_cursor=8, total=20)

    assert piece_envelope(Success(piece)) == {
        "success": True,
        "data": {"text": "text", "cursor": 3, "next_cursor": 8, "total": 20},
    }
    assert piece_envelope(Failure(RateLimited())) == failure_envelope(RateLimited())


def test_a_failed_page_gives_the_failure_envelope() -> None:
    error = RateLimited(backend="b")

    envelope = extract_envelope([URL], [Failure(error)])

    assert {name: envelope[name] for name in failure_envelope(error)} == failure_envelope(error)
    assert envelope["failed"] == 1
    assert extract_envelope([], []) == {
        "success": True,
        "data": {"results": []},
        "failed": 0,
        "receipt": {"backend": "", "pages": [], "middleware": []},
    }
    with pytest.raises(KeyError):
        _ = failure_envelope(error)["data"]
    assert search_envelope(Failure(error)) == failure_envelope(error)
    assert Success(1) != Failure(1)


def test_nothing_hides_in_metadata_or_in_an_error() -> None:
    document = {"url": URL, "content": "text", "metadata": {"type\x9b": ["text/html\x9b2J"]}}

    page = as_json(extract_envelope([URL], [extract(FakeBackend(document=document))]))
    failed = as_json(failure_envelope(UnsupportedContent(content_type="text/\x9b31mred")))

    shown = json.dumps([page, failed], ensure_ascii=False)
    assert "\x9b" not in shown
    assert '"metadata": {"type": ["text/html2J"]}' in shown
    assert '"content_type": "text/31mred"' in shown


def test_results_for_others_words_hide_what_the_envelope_hides() -> None:
    hiding = {**GOOD, "title": "\u202eT\u200b  i", "snippet": "a\u2066b"}
    rows = search(FakeBackend([hiding])).unwrap()
    prose = search(FakeBackend([SearchAnswer(text="a\u200bb")])).unwrap()
    page = extract(FakeBackend((), "# A\u200b\n\nwords\u202e")).unwrap()

    (row,) = strip_hidden_outcome(rows).rows
    answer = strip_hidden_outcome(prose).answer

    shown = search_envelope(Success(rows))["data"]["web"][0]  # type: ignore[index]
    assert (row.title, row.snippet) == (shown["title"], shown["description"]) == ("T i", "ab")
    assert answer is not None
    assert answer.text == "ab"
    assert strip_hidden_page(page).content == "# A\n\nwords"


def test_links_and_html_of_a_page_are_in_its_entry_where_they_were_asked_for() -> None:
    page = extract(FakeBackend(document="High at noon.")).unwrap()
    link = PageLink(url="https://a.example/b", text="Ebb\ntide")
    asked = msgspec.structs.replace(page, links=(link,), html="<p>High\u200b</p>")

    (entry,) = as_json(extract_envelope([URL], [Success(asked)]))["data"]["results"]  # type: ignore[index]

    assert entry["links"] == [{"url": "https://a.example/b", "text": "Ebb tide"}]
    assert entry["html"] == "<p>High</p>"

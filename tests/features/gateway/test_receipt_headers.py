"""The headers of an answer say what was sent, what was verified, and what nobody read."""

from pathlib import Path

from tests.features.gateway.asgi import Answer, Site
from webseam.ports.backends import EVERY_FILTER
from webseam.testing import FakeBackend

ROWS = [
    {"title": "A", "url": "https://a.example/", "snippet": "High.", "a key": "x"},
    {"title": "B", "url": "https://b.example/", "snippet": "Low."},
]


QUERY = {"query": "q", "include_domains": ["a.example"]}


def test_headers_say_what_a_vendors_form_has_no_field_for(tmp_path: Path) -> None:
    backend = FakeBackend(ROWS, abilities=EVERY_FILTER)
    body = {**QUERY, "country": "germany", "start_date": "2026-01-01"}

    answer = Site(tmp_path, backend).post("/tavily/search", body)

    assert told_by(answer) == {
        "x-webseam-sent": "include_domains, published_after, country",
        "x-webseam-verified": "include_domains, published_after",
        "x-webseam-filtered": "1",
        "x-webseam-undated": "1",
        "x-webseam-unread": "a%20key",
    }


def test_our_own_form_has_the_receipt_itself(tmp_path: Path) -> None:
    backend = FakeBackend(ROWS, abilities=EVERY_FILTER)

    answer = Site(tmp_path, backend).post("/api/search", {**QUERY, "published_after": "2026-01-01"})

    receipt = answer.json["receipt"]
    assert told_by(answer) == {}
    assert receipt["sent"] == receipt["verified"] == ["include_domains", "published_after"]
    assert (receipt["filtered"], receipt["undated"], receipt["unread"]) == (1, 1, ["a key"])


def test_an_answer_with_nothing_to_say_has_no_such_header(tmp_path: Path) -> None:
    answer = Site(tmp_path, FakeBackend(ROWS[1:])).post("/tavily/search", {"query": "q"})

    assert told_by(answer) == {}


def told_by(answer: Answer) -> dict[str, str]:
    assert answer.status == 200
    names = (name for name in answer.headers if name.startswith("x-webseam-"))
    return {name: answer.headers[name] for name in names if name != "x-webseam-age"}

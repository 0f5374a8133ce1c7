"""Long texts, long lists and the statuses of pages: what services have in common."""

import pytest

from webseam.adapters.services.page_results import page_error
from webseam.adapters.values.field_values import truncate_snippet
from webseam.composition.wiring.service_backends import installed_services
from webseam.ports import WebSearchQuery

MANY = tuple(f"a{n}.example" for n in range(400))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, "http_status"),
        (403, "http_status"),
        (408, "timeout"),
        (429, "rate_limited"),
        (503, "upstream_unavailable"),
        (504, "timeout"),
        (None, "bad_payload"),
        (200, "bad_payload"),
        ("404", "bad_payload"),
    ],
)
def test_a_page_fails_by_the_status_of_its_own_server(status: object, kind: str) -> None:
    assert page_error(status, "why").kind == kind


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("How tides work", "How tides …"),
        ("How", "How"),
        ("Springtides", "Springtide …"),
        ("List<String> of tides", "List<Strin …"),
    ],
)
def test_a_long_text_is_cut_between_words(text: str, short: str) -> None:
    assert truncate_snippet(text, max_chars=10) == short


def test_a_list_that_a_service_does_not_take_whole_is_kept_to_on_the_rows() -> None:
    query = WebSearchQuery(query="q", include_domains=MANY)
    limited = {
        name: service.abilities.depending(query).get("include_domains")
        for name, service in installed_services().items()
        if service.abilities.depending
        and service.abilities.filters.get("include_domains") == "native"
    }

    assert "rows" in limited.values()
    assert set(limited.values()) <= {"rows", "operator", None}


def test_the_same_holds_for_what_is_left_out() -> None:
    query = WebSearchQuery(query="q", exclude_domains=MANY)
    limited = [
        service.abilities.depending(query).get("exclude_domains")
        for service in installed_services().values()
        if service.abilities.depending
        and service.abilities.filters.get("exclude_domains") == "native"
    ]

    assert "rows" in limited
    assert set(limited) <= {"rows", "operator", None}

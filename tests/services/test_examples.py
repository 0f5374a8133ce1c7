from webseam.adapters.values.dates import date_from_parts, service_iso_date
from webseam.adapters.values.field_values import collapse_blanks, truncate_snippet
from webseam.adapters.values.html_text import html_to_text
from webseam.adapters.values.json_values import parse_whole_number, short_id, stable_id
from webseam.adapters.values.think_tags import split_thinking, strip_thoughts
from webseam.adapters.values.untrusted_rows import first_heading
from webseam.adapters.values.urls import split_host, url_path
from webseam.ports.receipts import Usage, add_usage


def test_an_example_of_service_iso_date() -> None:
    assert (
        service_iso_date("Mar 3, 2025"),
        service_iso_date("2025-03-03 10:00:00"),
        service_iso_date(1741000000),
    ) == ("2025-03-03", "2025-03-03T10:00:00", "2025-03-03T11:06:40Z")
    assert (service_iso_date("2 hours ago"), service_iso_date(""), service_iso_date(None)) == (
        "2 hours ago",
        None,
        None,
    )


def test_an_example_of_date_from_parts() -> None:
    assert (date_from_parts([2025, 3]), date_from_parts([None])) == ("2025-03", None)


def test_an_example_of_html_to_text() -> None:
    assert (
        html_to_text("How <strong>tides</strong>&nbsp;work &amp; why 1 < 2")
        == "How tides work & why 1 < 2"
    )


def test_an_example_of_truncate_snippet() -> None:
    assert truncate_snippet("How tides work", max_chars=10) == "How tides …"


def test_an_example_of_one_line() -> None:
    assert collapse_blanks(" Tides in\n  models ") == "Tides in models"


def test_an_example_of_steady_id() -> None:
    assert stable_id("lookup", "{}", 0) == stable_id("lookup", "{}", 0)


def test_an_example_of_short_id() -> None:
    assert (short_id("call_1", "call_"), len(short_id("x" * 65, "call_"))) == ("call_1", 37)


def test_an_example_of_parse_whole_number() -> None:
    assert (
        parse_whole_number("07"),
        parse_whole_number("123456789"),
        parse_whole_number("-1"),
        parse_whole_number("²"),
        parse_whole_number("9" * 5_000),
    ) == (7, 123456789, None, None, None)


def test_an_example_of_split_thinking() -> None:
    assert split_thinking("<think>first</think> then") == ("then", "first")


def test_an_example_of_strip_thoughts() -> None:
    assert (
        strip_thoughts("<think>Hm.</think>Tides."),
        strip_thoughts("Hm.\n</think>\n\nTides."),
    ) == ("Tides.", "Tides.")


def test_an_example_of_first_heading() -> None:
    assert first_heading("intro\n# Tides #\n") == "Tides"


def test_an_example_of_url_path() -> None:
    assert (url_path("https://a.example/v1"), url_path("https://a.example")) == (
        "/v1",
        "/",
    )


def test_an_example_of_split_host() -> None:
    assert (split_host("https://A.example/x")[0], split_host("https://[")[0]) == (
        "a.example",
        "",
    )


def test_an_example_of_add_usage() -> None:
    both = add_usage(Usage(input_tokens=1), Usage(input_tokens=2, cost=0.5))
    assert both is not None
    assert (both.input_tokens, both.cost) == (3, 0.5)

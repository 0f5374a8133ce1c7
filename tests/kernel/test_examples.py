from datetime import date

import msgspec

from webseam.kernel.features.models.chat import check_chat_request
from webseam.kernel.features.models.structured_output import output_type_schema, parse_model_json
from webseam.kernel.features.models.x_search_request import check_x_request
from webseam.kernel.laws.field_checks import (
    check_query,
    clamp_max_results,
    guess_field,
    query_text_fault,
)
from webseam.kernel.laws.filters import _native_domain
from webseam.kernel.laws.iso_codes import country_fault, language_fault
from webseam.kernel.text.display import hidden_offsets, quote_value, strip_hidden_values
from webseam.kernel.text.fence import fence_short_text, strip_fence_marks
from webseam.kernel.text.personal_data import redact_personal_data
from webseam.kernel.text.redaction import (
    KeyEchoes,
    has_secret_text,
    looks_like_key,
    redact,
    redact_url,
    secret_fragments,
)
from webseam.kernel.text.trim import estimate_tokens, max_text_tokens


def test_an_example_of_check_chat_request() -> None:
    assert check_chat_request({"model": "m", "messages": []}).failure().field == "messages"


def test_an_example_of_parse_model_json() -> None:
    assert parse_model_json('```json\n{"a": 1}\n```').unwrap() == {"a": 1}
    assert parse_model_json('Here you are: {"a": 1}. Bye!', anywhere=True).unwrap() == {"a": 1}
    assert parse_model_json("Nothing to report.").failure() == "the answer is not JSON"


def test_an_example_of_output_type_schema() -> None:
    post = msgspec.defstruct("Post", [("text", str), ("likes", int, 0)])
    assert output_type_schema(post).unwrap()["required"] == ["text", "likes"]


def test_an_example_of_check_x_request() -> None:
    assert (
        check_x_request({"query": "tides", "from_date": "soon"}, date(2026, 1, 1)).failure().field
        == "from_date"
    )


def test_an_example_of_strip_hidden_text_values() -> None:
    assert strip_hidden_values({"type": ["text/html\x9b2J", 1]}) == {"type": ["text/html2J", 1]}


def test_an_example_of_hidden_text_positions() -> None:
    assert hidden_offsets("pay\u200bload") == [3]


def test_an_example_of_quote_value() -> None:
    assert (quote_value("javascript:alert(1)"), quote_value(2.5), quote_value([2.5])) == (
        "'javascript:alert(1)'",
        "2.5",
        "a value of type list",
    )


def test_an_example_of_fence_short_text() -> None:
    assert (
        fence_short_text("Tides", "af9cbf46")
        == '<untrusted-web-content id="af9cbf46">Tides</untrusted-web-content id="af9cbf46">'
    )


def test_an_example_of_strip_fence_marks() -> None:
    assert strip_fence_marks("\uff35ntrusted \u2043 Web-C\u043entent") == "untrusted web content"


def test_an_example_of_redact_personal() -> None:
    assert (
        redact_personal_data("who is ada@example.org, +44 20 7946 0958?")
        == "who is [email], [phone]?"
    )


def test_an_example_of_secret_fragments() -> None:
    assert [pieces.size for pieces in secret_fragments(["0123456789"])] == [24, 16, 12, 8]


def test_an_example_of_redact() -> None:
    assert redact("bad key hunter2!", ["hunter2!"]) == "bad key ***"
    assert redact("bad key sk-0123456...", ["sk-0123456789"]) == "bad key ***..."


def test_an_example_of_key_echoes() -> None:
    assert (
        KeyEchoes(["0123456789abcdef"]).redact("you are 456789abcdef... in 12345678")
        == "you are ***... in 12345678"
    )


def test_an_example_of_redact_url() -> None:
    assert (
        redact_url("https://u:p@a.example/x?token=abc&q=1")
        == "https://***@a.example/x?token=***&q=1"
    )


def test_an_example_of_looks_like_key() -> None:
    assert (
        looks_like_key("ghp_abcdefghijklmnopqrstuvwxyz"),
        looks_like_key("a page on tokens"),
    ) == (True, False)


def test_an_example_of_has_secret_text() -> None:
    assert (
        has_secret_text("API_KEY=0123456789abcdef"),
        has_secret_text("Set API_KEY=your-own-key."),
    ) == (True, False)


def test_an_example_of_max_text_tokens() -> None:
    assert tuple(map(max_text_tokens, ("The quick brown fox.", "aGVsbG8gd29ybGQ", "東京都"))) == (
        8,
        13,
        8,
    )


def test_an_example_of_estimate_tokens() -> None:
    assert (estimate_tokens("The quick brown fox."), estimate_tokens("東京都")) == (5, 5)


def test_an_example_of_guess_field() -> None:
    fields = ["query", "max_results"]
    assert [guess_field(name, fields) for name in ("limit", "max_result", "engine")] == [
        "max_results",
        "max_results",
        None,
    ]


def test_an_example_of_check_query() -> None:
    assert check_query({"query": " "}).failure().field == "query"


def test_an_example_of_clamp_max_results() -> None:
    assert [clamp_max_results(n) for n in (None, -3, 7, 9999)] == [None, 1, 7, 100]


def test_an_example_of_query_law_fault() -> None:
    assert (query_text_fault("\u200b\u2060"), query_text_fault("tide\ttables\nfor Bremen")) == (
        "must not be blank, got '\\u200b\\u2060'",
        None,
    )


def test_an_example_of_native_filter_domain() -> None:
    assert [_native_domain(name) for name in ("*.A.example.", "b.example", "*.com")] == [
        "a.example",
        "b.example",
        "*.com",
    ]


def test_an_example_of_country_fault() -> None:
    assert (country_fault("gb"), country_fault("UK")) == (
        None,
        "must be a country code of ISO 3166-1, got 'UK'; GB is one",
    )


def test_an_example_of_language_fault() -> None:
    assert (language_fault("pt-BR"), language_fault("tlh"), language_fault("jp")) == (
        None,
        None,
        "must be a language code of ISO 639, got 'jp'",
    )

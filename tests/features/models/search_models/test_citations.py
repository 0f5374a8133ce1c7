"""The one citation extractor, on every shape that was seen."""

import pytest

from tests.features.models.search_models.answers import (
    AGENT,
    ANTHROPIC,
    BEDROCK,
    EVERY,
    GEMINI,
    LITELLM,
    MISTRAL,
    OPENAI,
    OPENROUTER,
    PORT,
    SONAR,
    TIDES,
    XAI,
    chat,
)
from webseam.adapters.features.models.search.citation_extractor import find_citations
from webseam.adapters.features.models.search.citation_shapes import annotated_claim_text


def urls(payload: object) -> list[object]:
    """Return the addresses of the rows in an answer."""
    return [row["url"] for row in find_citations(payload).rows]


def first(payload: object) -> tuple[object, object]:
    """Return title and snippet of the first row."""
    row = find_citations(payload).rows[0]
    return row["title"], row["snippet"]


@pytest.mark.parametrize("name", EVERY)
def test_every_shape_gives_both_pages_once_and_in_order(name: str) -> None:
    citations = find_citations(EVERY[name])

    assert [str(row["url"]).partition("?")[0] for row in citations.rows] == [TIDES, PORT]
    assert {row["origin"] for row in citations.rows} == {"model"}
    assert "04:12" in citations.answer
    assert citations.left_out == 0


@pytest.mark.parametrize(
    ("payload", "snippet"),
    [
        (SONAR, "High water 04:12"),
        (AGENT, "High water"),
        (OPENAI, "High tide is 04:12"),
        (ANTHROPIC, "High water 04:12"),
        (GEMINI, "High tide at 04:12."),
        (OPENROUTER, "High water 04:12"),
        (MISTRAL, "Daily tide times"),
        (BEDROCK, "High water 04:12"),
        (LITELLM, "High water 04:12"),
    ],
)
def test_title_and_snippet_are_what_was_tied_to_the_page(payload: object, snippet: str) -> None:
    assert first(payload) == ("Tide table", snippet)


@pytest.mark.parametrize("payload", [SONAR, OPENAI, ANTHROPIC, GEMINI, OPENROUTER, LITELLM])
def test_a_page_about_which_nothing_was_said_has_no_snippet(payload: object) -> None:
    assert find_citations(payload).rows[1]["snippet"] == ""


def test_a_number_is_no_title_so_the_host_stands_in_for_it() -> None:
    assert first(XAI) == ("tides.example", "High tide is 04:12.")


def test_a_post_on_x_is_named_after_its_author_or_its_number() -> None:
    posts = ["https://x.com/i/status/42", "https://twitter.com/harbour/status/43"]

    citations = find_citations({"citations": posts}).rows

    assert [row["title"] for row in citations] == ["X post 42", "@harbour"]


def test_dates_come_along_where_there_are_any() -> None:
    assert find_citations(SONAR).rows[0]["published_at"] == "2026-11-12"
    # Its ``page_age`` says when a site was updated.
    assert "published_at" not in find_citations(ANTHROPIC).rows[0]


def test_spellings_of_one_page_are_one_row_with_what_either_knows() -> None:
    payload = {
        "search_results": [{"url": "https://www.a.example/x/?utm_source=openai"}],
        "citations": [{"url": "https://A.example/x#top", "title": "X", "snippet": "All of it."}],
    }

    citations = find_citations(payload).rows

    assert [(row["url"], row["title"], row["snippet"]) for row in citations] == [
        ("https://www.a.example/x/?utm_source=openai", "X", "All of it.")
    ]


def test_citations_may_be_texts_and_objects_with_any_of_their_names() -> None:
    source = [
        "https://a.example/1",
        {"uri": "https://a.example/2", "name": "Two"},
        {"link": "https://a.example/3", "description": "Third."},
        {"source": {"url": "https://a.example/4"}},
        [{"url": "https://a.example/5"}],
    ]

    citations = find_citations({"citations": source}).rows

    assert [row["url"] for row in citations] == [f"https://a.example/{n}" for n in range(1, 6)]
    assert citations[1]["title"] == "Two"
    assert citations[2]["snippet"] == "Third."


def test_invalid_citation_urls_are_left_out_and_counted() -> None:
    broken = [None, 7, "", "javascript:alert(1)", {"title": "x"}, "https://a b/", "http://[1.2]/"]

    citations = find_citations({"citations": [*broken, TIDES]})

    assert [row["url"] for row in citations.rows] == [TIDES]
    assert citations.left_out == len(broken)


def test_places_in_files_are_no_broken_citations() -> None:
    payload = {
        "annotations": [{"type": "file_citation", "file_id": "f"}],
        "citations": [{"type": "char_location"}, {"location": {"documentChar": {}}}],
    }

    assert find_citations(payload).left_out == 0


def test_sources_inside_a_citation_are_read_by_themselves() -> None:
    page = {"type": "document", "document": {"url": TIDES, "title": "Tide table"}}

    citations = find_citations({"citations": [{"start": 0, "end": 4, "sources": [page]}]})

    assert [(row["url"], row["title"]) for row in citations.rows] == [(TIDES, "Tide table")]
    assert citations.left_out == 0


def test_flat_and_nested_annotations_are_read_alike_in_one_list() -> None:
    message = {
        "content": "One. Two.",
        "annotations": [
            {"type": "url_citation", "url": TIDES, "title": "Tide table"},
            {"type": "url_citation", "url_citation": {"url": PORT, "title": "Port log"}},
        ],
    }

    assert urls({"choices": [{"message": message}]}) == [TIDES, PORT]


def test_links_count_only_where_nothing_else_does() -> None:
    words = f"See [the table]({TIDES}), and {PORT}."

    assert urls(chat(words)) == [TIDES, PORT]
    assert urls(chat(words, citations=["https://a.example/"])) == ["https://a.example/"]
    assert find_citations(chat(words)).rows[0]["title"] == "the table"


@pytest.mark.parametrize("noise", ["[", "](", "[a](", "【", "(http://", "<a "])
def test_no_text_takes_longer_than_it_is_long(noise: str) -> None:
    # Read again from every place in it, this would take hours.
    note = {"url": TIDES, "start_index": 0, "end_index": 200_000}
    message = {"content": noise * 200_000, "annotations": [note]}

    assert urls({"choices": [{"message": message}]}) == [TIDES]
    assert find_citations(chat(noise * 200_000)).left_out == 0


def test_no_more_mentions_are_read_than_an_answer_can_have() -> None:
    many = [f"https://a.example/{number}" for number in range(20_000)]

    assert len(find_citations({"citations": many}).rows) == 5000


def test_prose_without_sources_stays_prose() -> None:
    citations = find_citations(chat("<think>Hm.</think>Nobody knows."))

    assert (citations.rows, citations.answer) == ((), "Nobody knows.")


def test_a_message_may_come_without_its_type() -> None:
    part = {"type": "output_text", "text": "At 04:12.", "annotations": [{"url": TIDES}]}

    citations = find_citations({"output": [{"content": [part]}]})

    assert (citations.answer, citations.rows[0]["url"]) == ("At 04:12.", TIDES)


def test_thoughts_among_the_parts_of_an_answer_are_not_said() -> None:
    parts = [{"text": "Hm.", "thought": True}, {"text": "At 04:12."}]
    blocks = [{"type": "thinking", "text": "Hm."}, {"type": "text", "text": "At 04:12."}]

    assert find_citations({"candidates": [{"content": {"parts": parts}}]}).answer == "At 04:12."
    assert find_citations({"content": blocks}).answer == "At 04:12."


def test_the_first_tier_alone_can_be_asked_for_rows_and_the_others_for_what_they_lack() -> None:
    payload = {
        "search_results": [{"url": TIDES}],
        "citations": [{"url": TIDES, "title": "Tide table"}, PORT],
    }

    citations = find_citations(payload, first_only=True).rows

    assert [(row["url"], row["title"]) for row in citations] == [(TIDES, "Tide table")]


def test_a_search_that_failed_inside_an_answer_is_told() -> None:
    error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    for content in (error, [error]):
        citations = find_citations(
            {"content": [{"type": "web_search_tool_result", "content": content}]}
        )

        assert (citations.error_codes, citations.rows, citations.left_out) == (
            ("max_uses_exceeded",),
            (),
            0,
        )


def test_a_fetched_page_is_a_row_with_the_beginning_of_its_text() -> None:
    document = {"type": "document", "title": "Tide table", "source": {"data": "High water 04:12"}}
    page = {"type": "web_fetch_result", "url": TIDES, "content": document}
    payload = {"content": [{"type": "web_fetch_tool_result", "content": page}]}

    assert first(payload) == ("Tide table", "High water 04:12")


def test_a_fetched_pdf_has_no_words_to_show() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}
    document = {"type": "document", "title": "Tide table", "source": source}
    page = {"type": "web_fetch_result", "url": TIDES, "content": document}
    payload = {"content": [{"type": "web_fetch_tool_result", "content": page}]}

    assert first(payload) == ("Tide table", "")


def test_people_and_figures_that_an_agent_found_have_pages_too() -> None:
    people = {"type": "people_search_results", "results": [{"title": "Tide table", "url": TIDES}]}
    figures = {"type": "finance_results", "results": [{"content": "1", "sources": [PORT]}]}

    assert urls({"output": [people, figures]}) == [TIDES, PORT]


def test_results_may_stand_in_an_object_of_the_tool_that_found_them() -> None:
    result = {"title": "Tide table", "url": TIDES, "content": "High water 04:12", "score": 0.9}
    ran = {"type": "search", "search_results": {"results": [result], "images": []}}

    assert first(chat("So.", executed_tools=[ran])) == ("Tide table", "High water 04:12")


def test_a_page_that_gemini_opened_is_a_source_and_one_it_could_not_open_is_none() -> None:
    opened = [
        {"retrievedUrl": TIDES, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
        {"retrievedUrl": PORT, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
    ]

    assert urls({"candidates": [{"urlContextMetadata": {"urlMetadata": opened}}]}) == [TIDES]
    assert urls({"vertex_ai_url_context_metadata": [{"urlMetadata": opened}]}) == [TIDES]


def test_an_image_that_gemini_found_stands_for_the_page_it_is_on() -> None:
    image = {"sourceUri": TIDES, "imageUri": "https://i.example/1.png", "title": "Tide table"}

    citations = find_citations({"groundingMetadata": {"groundingChunks": [{"image": image}]}})

    assert [(row["url"], row["title"]) for row in citations.rows] == [(TIDES, "Tide table")]


def test_a_place_beside_the_page_is_read_like_one_inside() -> None:
    note = {
        "type": "url_citation",
        "url_citation": {"url": TIDES},
        "start_index": 9,
        "end_index": 12,
    }
    message = {"content": "High tide[1].", "annotations": [note]}

    assert first({"choices": [{"message": message}]}) == ("tides.example", "High tide")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/wiki/Köln", "https://a.example/wiki/K%c3%b6ln"),
        ("https://a.example/~b", "https://a.example/%7Eb"),
        ("https://a.example/?q=%7e", "https://A.example:443?q=~"),
    ],
)
def test_escapes_do_not_make_another_page(one: str, other: str) -> None:
    assert urls({"citations": [one, other]}) == [one]
    assert urls({"citations": [other, one]}) == [other]


def test_half_a_surrogate_pair_does_not_spoil_a_row() -> None:
    source = {"url": TIDES, "title": "a\ud800b", "snippet": "\udc00", "date": "\ud800"}

    title, snippet = first({"search_results": [source]})

    assert (title, snippet) == ("a?b", "?")


@pytest.mark.parametrize(
    ("words", "start", "end", "claim"),
    [
        ("Calm. High tide is 04:12.[1][2]", 28, 31, "High tide is 04:12."),
        (f"Calm. Tide 04:12 ([t]({TIDES})).", 17, 49, "Tide 04:12"),
        ("Tide 04:12 tides.example", 11, 24, "Tide 04:12"),
        ("The tide is high.", 0, 17, "The tide is high."),
        ("The tide is high.", 0, 999, "The tide is high."),
        ("The tide is high.", 17, 5, ""),
        ("The tide is high.", -3, 5, ""),
        ("[1]", 0, 3, ""),
        ("Calm.[[1]](https://a.example/)[[2]](https://b.example/)", 31, 55, "Calm."),
        ("Up 【1†a】 and down.[2]", 18, 21, "Up and down."),
        ("Up and down.[2]", 11, 14, "Up and down"),
        ("Up [1] and down [[2]](https://a.example/).", 0, 42, "Up and down."),
        (
            "See [the table](https://a.example/) now.",
            0,
            40,
            "See [the table](https://a.example/) now.",
        ),
        ("high " * 80 + "[1]", 400, 403, ("high " * 59).strip()),
    ],
)
def test_a_claim_is_the_place_itself_or_the_sentence_before_its_mark(
    words: str, start: int, end: int, claim: str
) -> None:
    assert annotated_claim_text(words, {"start_index": start, "end_index": end}) == claim

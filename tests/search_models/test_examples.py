from webseam.adapters.features.models.search.backend import has_model_page_form
from webseam.adapters.features.models.search.citation_extractor import x_post_title
from webseam.adapters.features.models.search.declaration import non_empty_fields


def test_an_example_of_has_model_page_form() -> None:
    assert (
        has_model_page_form("# Tides"),
        has_model_page_form("Tyvärr kan jag inte läsa sidan."),
    ) == (True, False)


def test_an_example_of_x_post_title() -> None:
    assert (
        x_post_title("https://x.com/harbour/status/42"),
        x_post_title("https://x.com/i/status/42"),
    ) == ("@harbour", "X post 42")


def test_an_example_of_search_tool_fields() -> None:
    assert non_empty_fields(a=[], b=None, c="x") == {"c": "x"}

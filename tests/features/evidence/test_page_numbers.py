"""A passage and a quote of a PDF name its page; those of another document name none."""

from collections.abc import Sequence

import pytest
from returns.result import Result

from tests.features.evidence.asking import ask, deps, found, page
from tests.features.evidence.world import ScriptedModel, claiming
from webseam.errors import WebError
from webseam.kernel.features.evidence.notes import AskDeps
from webseam.kernel.features.evidence.page_numbers import PageMark, find_page_marks, page_number
from webseam.kernel.features.evidence.rendering import answer_text
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery

TRUTH = "The bridge of Alton is 100 metres long."
PAPER = (
    "## Page 1\n\n### On bridges\n\nBridges are described in many books of the county.\n\n"
    f"## Page 7\n\n{TRUTH} It was built by a guild of masons."
)


def _deps(text: str, answerer: ScriptedModel | None = None) -> AskDeps:
    async def search(queries: Sequence[WebSearchQuery]) -> list[Result[SearchOutcome, WebError]]:
        return [found("https://e.org/bridges.pdf") for _ in queries]

    async def read(urls: Sequence[str]) -> list[Result[WebExtractResult, WebError]]:
        return [page(url, text) for url in urls]

    return deps(search=search, read=read, answerer=answerer)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("", ()),
        ("Nothing printed.", ()),
        ("## Page 1\n\nx\n\n## Page 12\n\ny", (PageMark(0, 1), PageMark(14, 12))),
        ("Text before.\n\n## Page 2\n", (PageMark(14, 2),)),
        ("## Page 1\n\n## Summary\n\n## Page 2", ()),
        ("# Pages\n\n## Page 1", ()),
        ("## Page 2\n\n## Page 2", ()),
        ("## Page 0", ()),
        (
            "## Page 1\n\n```\n# x\n~~~\n## Page 9\n```\n\n## Page 2",
            (PageMark(0, 1), PageMark(38, 2)),
        ),
        ("## Page 1\n\n````\n```\n## Page 9\n````", (PageMark(0, 1),)),
    ],
)
def test_page_marks_are_the_only_headings_of_their_level(
    text: str, marks: tuple[PageMark, ...]
) -> None:
    assert find_page_marks(text) == marks


def test_page_number_is_that_of_the_last_mark_before_an_offset() -> None:
    marks = (PageMark(5, 2), PageMark(50, 4))

    numbers = [page_number(marks, offset) for offset in (0, 4, 5, 49, 50, 99)]

    assert numbers == [None, None, 2, 2, 4, 4]


def test_quote_of_a_pdf_names_its_page() -> None:
    model = ScriptedModel(claiming(("p1", TRUTH, TRUTH)))

    outcome = ask(_deps(PAPER, answerer=model), "How long is the bridge of Alton?").unwrap()

    assert [claim.page_number for claim in outcome.claims] == [7]
    assert "https://e.org/bridges.pdf, page 7, read 2026-11-15" in answer_text(outcome)


def test_extract_of_a_pdf_names_its_page_once() -> None:
    outcome = ask(_deps(PAPER), "How long is the bridge of Alton?").unwrap()

    assert [claim.page_number for claim in outcome.claims] == [7]
    assert "T, https://e.org/bridges.pdf, page 7, read" in answer_text(outcome)


def test_passage_of_a_pdf_names_the_page_on_which_it_begins() -> None:
    outcome = ask(_deps(PAPER), "How long is the bridge of Alton?").unwrap()

    assert [passage.page_number for passage in outcome.passages] == [1]


def test_quote_of_a_web_page_names_no_page() -> None:
    outcome = ask(_deps(f"## Bridges\n\n{TRUTH}"), "How long is the bridge of Alton?").unwrap()

    assert [claim.page_number for claim in outcome.claims] == [None]
    assert ", page" not in answer_text(outcome)

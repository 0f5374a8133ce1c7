"""A call for pages that failed as a whole is a failure, and no empty list."""

from pathlib import Path

import pytest
from returns.result import Failure

from webseam import errors
from webseam.composition.features.testing.fakes import FakeBackend

from .asgi import Site

BOTH = ["https://example.com/a", "https://example.com/b"]


@pytest.mark.parametrize(
    ("error", "tavily", "exa"),
    [
        (errors.RateLimited(backend="b"), 429, 429),
        (errors.AuthFailed(backend="b", status=401), 500, 500),
        (errors.EmptyContent(backend="b"), 200, 200),
        (errors.HttpStatus(backend="pages", status=404, url=BOTH[0]), 200, 200),
        (errors.ConnectFailed(backend="pages", reason="refused"), 200, 200),
    ],
)
def test_failure_of_the_whole_call_is_an_error_and_no_list(
    tmp_path: Path, error: errors.WebError, tavily: int, exa: int
) -> None:
    site = Site(tmp_path, FakeBackend(extract=Failure(error), name=error.backend or ""))

    answers = [
        site.post("/tavily/extract", {"urls": BOTH}),
        site.post("/exa/contents", {"urls": BOTH, "text": True}),
    ]

    assert [answer.status for answer in answers] == [tavily, exa]
    assert tavily != 200 or len(answers[0].json["failed_results"]) == 2

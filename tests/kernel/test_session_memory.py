"""The memory of a session: what makes a URL seen, and what does not."""

import pytest

from webseam.kernel.policy.judge import judge_fetch
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.session_memory import SessionMemory, find_text_urls
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import SearchAnswer, SearchOutcome, WebSearchResult


def test_a_link_that_is_no_url_is_left_out() -> None:
    urls = find_text_urls("[a](http://[x) [b](/y) [c](mailto:a@b.example)", "https://b.example/")

    memory = SessionMemory(urls)
    assert "https://b.example/y" in memory.urls
    assert "mailto:a@b.example" not in memory.urls


def test_what_a_model_repeats_of_the_query_is_not_seen() -> None:
    asked, cited = "https://evil.example/?d=secret", "https://cited.example/"
    rows = tuple(
        WebSearchResult(title="t", url=url, snippet=asked, position=1, source="s", origin="model")
        for url in (asked, cited)
    )
    receipt = SearchReceipt(
        backend="b", query=f"open {asked}", asked_max_results=1, max_results=1, clamped=False,
        filters=(), returned=2, rejected=0, trimmed=0,
    )  # fmt: skip
    answer = SearchAnswer(text="https://written.example/?d=secret")
    memory = SessionMemory()

    memory.note_search(SearchOutcome(rows=rows, answer=answer, rejected=(), receipt=receipt))

    urls = (asked, cited, "https://written.example/?d=secret")
    assert [url in memory.urls for url in urls] == [False, True, False]


@pytest.mark.parametrize("follow", ["any", "seen", "cache"])
def test_nothing_is_fetched_while_the_network_is_closed(follow: str) -> None:
    judged = judge_fetch("https://a.example/", Policy(follow=follow))  # type: ignore[arg-type]  # one of three

    rule = judged.map(lambda _: "").alt(lambda error: getattr(error, "rule", "")).value_or("denied")
    assert (rule == "denied") == (follow == "cache")

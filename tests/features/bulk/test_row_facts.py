"""Facts of rows: only what a server, a page or its text says."""

from pathlib import Path

import pytest

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites
from tests.features.bulk.samples import WORDS, rows, run
from webseam.adapters.language.detection import detect_written_language
from webseam.adapters.reader.html import read_html


def test_page_that_was_fetched_and_failed_has_its_status(tmp_path: Path) -> None:
    statuses = {"/gone": 404, "/shut": 403, "/bad": 410, "/paid": 402}
    site = Site({path: Answer(status) for path, status in statuses.items()} | {"/a": page("A")})

    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text("".join(f"{site.root}{path}\n" for path in [*statuses, "/a"]))
        run(tmp_path / "out", listed, policy=local_policy(site)).unwrap()

    assert [row["status"] for row in rows(tmp_path / "out")] == [*statuses.values(), 200]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("你好世界", "zh"),
        ("你好世界，今天天气很好，我们一起去公园", "zh"),
        ("漢語和國語的書寫方式有許多種類", "zh-Hant"),
        ("The tide comes in and goes out again every day.", "en"),
    ],
)
def test_script_of_chinese_is_that_of_its_own_signs(text: str, code: str) -> None:
    pytest.importorskip("pycld2")

    assert detect_written_language(text) == code


_PARAGRAPH = f"<p>{WORDS}{WORDS}</p>"
_FORUM_LIKE = {
    "https://a.example/forum/viewtopic.php?t=7": (
        '<title>How do I bake bread? - Forum - Community</title><body class="forum thread topic">'
        "<div>Forum index » Board » Topic</div><div class='topic-content'><h1>Bread</h1>"
        f"{_PARAGRAPH * 6}</div><div>Users browsing this forum: no registered users</div>"
    ),
    "https://community.example/threads/bread.123/": (
        '<title>Bread | Community forums</title><body id="forum"><div class="thread">'
        f'<h1 class="thread-title">Bread</h1>{_PARAGRAPH * 3}<h2>Reply</h2>{_PARAGRAPH * 3}</div>'
    ),
}


@pytest.mark.parametrize(("url", "markup"), _FORUM_LIKE.items(), ids=["topic", "thread"])
def test_page_that_looks_like_a_forum_without_posts_is_none(url: str, markup: str) -> None:
    assert read_html(markup, url=url).unwrap().kind != "forum"

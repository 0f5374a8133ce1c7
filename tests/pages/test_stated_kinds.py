"""The kind of a page beside what the page states about itself in linked data."""

import pytest

from webseam.adapters.reader.html import read_html

ADDRESSES = ("https://a.example/x", "https://a.example/forum/thread/7", "https://a.example/t/7")
STATED = ("Recipe", "Product", "NewsArticle", "BlogPosting", "Article", ["Product", "Thing"])
POSTS = "".join(
    f'<div class="{name}">Is it warm, part {index}? It has been so for many winters.</div>'
    for index in range(4)
    for name in ("question", "answer")
)


def kind_of(stated: object, address: str) -> str | None:
    named = str(stated).replace("'", '"') if isinstance(stated, list) else f'"{stated}"'
    linked = f'{{"@context": "https://schema.org", "@type": {named}, "name": "Boot"}}'
    body = f"<h1>Boot</h1><p>EUR 9.00</p><button>Buy</button><div class=qa>{POSTS}</div>"
    script = f'<script type="application/ld+json">{linked}</script>' if stated else ""
    page = f"<html><head><title>Boot</title>{script}</head><body>{body}</body></html>"
    return read_html(page, address).unwrap().kind


@pytest.mark.parametrize("stated", STATED)
def test_recipe_shop_or_article_with_answers_of_readers_is_no_forum(stated: object) -> None:
    assert "forum" not in {kind_of(stated, address) for address in ADDRESSES}


@pytest.mark.parametrize("stated", ["DiscussionForumPosting", "QAPage", None])
def test_page_of_posts_is_a_forum(stated: object) -> None:
    assert {kind_of(stated, address) for address in ADDRESSES} == {"forum"}

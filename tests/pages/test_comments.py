"""Comments under a page: left out of its text, and kept apart where they are wanted."""

import pytest
from returns.result import Success

from webseam.adapters.pages.reader import read_html
from webseam.ports.pages import PageComment, ReadPage

from .read import PARAGRAPH, URL, article, page

COMMENTS = f"""
<section id=comments><h2>3 comments</h2><ol class=comment-list>
<li class="comment even depth-1" id=c1><div class=comment-body>
  <cite class=fn>Ada Quay</cite> <span class=says>says:</span>
  <time datetime="2024-03-05T08:30:00Z">5 March 2024</time>
  <p>My grandfather hauled stone for it. {PARAGRAPH}</p><a href=#r>Reply</a></div>
  <ol class=children><li class="comment odd depth-2"><div class=comment-body>
    <cite class=fn>Bo</cite><p>Mine, too, they must have met on the barges.</p></div></li></ol></li>
<li class="comment even depth-1"><div class=comment-body><p>Nobody asked the town in the end.</p>
</div></li></ol></section>
"""


def with_comments(html: str) -> ReadPage:
    result = read_html(html, URL, comments=True)
    assert isinstance(result, Success), result
    document: ReadPage = result.unwrap()
    return document


def test_comments_are_not_part_of_an_article() -> None:
    document = page(article("<p>It stands to this day, and boats moor there.</p>") + COMMENTS)

    assert "grandfather" not in document.content
    assert document.comments == ()
    assert "comments" in {each.kind for each in document.left_out}


def test_what_one_writes_a_comment_in_is_none() -> None:
    box = "<div class=commentBox><p>Post a comment: log in or create an account first.</p></div>"
    document = with_comments(article("") + box + COMMENTS)

    assert "grandfather" not in document.content
    assert [comment.author for comment in document.comments] == ["Ada Quay", "Bo", None]


def test_comments_may_be_much_longer_than_the_article_over_them() -> None:
    paragraphs = "".join(f"<p>{PARAGRAPH} Stage {n} took a year.</p>" for n in range(5))
    several = "".join(
        f"<li class=comment><p>Reader {n} recalls it otherwise. {PARAGRAPH}</p></li>"
        for n in range(60)
    )
    told = "<meta property=og:type content=article><script type=application/ld+json>"
    head = f'{told}{{"@type": "NewsArticle", "headline": "The harbour"}}</script>'
    html = article(paragraphs, head) + f"<ul>{several}</ul>"

    document = read_html(html, "https://example.com/news/2024/03/05/the-harbour").unwrap()

    assert document.kind == "article"
    assert "Stage 4" in document.content
    assert "recalls" not in document.content


@pytest.mark.parametrize(
    "name", ["Kommentar", "commentaire-item", "user_comentario", "commento", "komentarz", "reactie"]
)
def test_comments_are_called_so_in_other_languages(name: str) -> None:
    comment = f"<div class={name}><p>My grandfather hauled stone for it. {PARAGRAPH}</p></div>"
    document = with_comments(article("<p>It stands to this day.</p>") + comment)

    assert "grandfather" not in document.content
    assert len(document.comments) == 1


def test_comments_are_kept_apart_where_they_are_wanted() -> None:
    document = with_comments(article("") + COMMENTS)

    assert "grandfather" not in document.content
    assert document.comments == (
        PageComment(
            author="Ada Quay",
            published_at="2024-03-05T08:30:00+00:00",
            text=f"My grandfather hauled stone for it. {PARAGRAPH}",
        ),
        PageComment(author="Bo", text="Mine, too, they must have met on the barges.", depth=1),
        PageComment(text="Nobody asked the town in the end."),
    )


def test_the_day_of_a_comment_is_read_in_the_language_of_the_page() -> None:
    comment = f"<div class=comment><span class=date>5/3/2024</span><p>{PARAGRAPH}</p></div>"
    french = (article("") + comment).replace("lang=en", "lang=fr")

    assert with_comments(french).comments[0].published_at == "2024-03-05"
    assert with_comments(article("") + comment).comments[0].published_at is None


def test_comments_are_taken_from_linked_data_where_the_page_shows_none() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "Article", "comment": [{"@type": "Comment", '
        '"author": {"name": "Ada"}, "dateCreated": "2024-03-05", "text": "Well told."}, '
        '{"@type": "Comment", "text": " "}, {"@type": "Comment", "author": "Bo", "text": "So so."}]}'
        "</script>"
    )

    assert with_comments(article("", data)).comments == (
        PageComment(author="Ada", published_at="2024-03-05", text="Well told."),
        PageComment(author="Bo", text="So so."),
    )


def test_many_and_long_comments_are_bounded() -> None:
    several = "".join(f"<div class=comment><p>{n} {PARAGRAPH * 30}</p></div>" for n in range(40))

    comments = with_comments(article("") + several).comments

    assert 5 <= len(comments) < 40
    assert all(len(comment.text) <= 4_000 for comment in comments)


def test_what_hides_is_removed_from_comments_as_well() -> None:
    one = f"<div class=comment><p>Pay\u200bload. {PARAGRAPH}</p></div>"

    assert with_comments(article("") + one).comments[0].text == f"Payload. {PARAGRAPH}"


ADA, BO = "My grandfather hauled stone for it, he said.", "Mine, too, up the river."
WORDPRESS = f"""<ol class=comment-list><li class="comment depth-1"><article class=comment-body>
<footer class=comment-meta><div class="comment-author vcard"><b class=fn>Ada Quay</b> <span>says:</span>
</div><a href=#c><time datetime=2024-03-05T08:30:00+00:00>5 March</time></a></footer>
<div class=comment-content><p>{ADA}</p></div></article><ol class=children><li class="comment depth-2">
<article class=comment-body><footer class=comment-meta><b class=fn>Bo</b></footer>
<div class=comment-content><p>{BO}</p></div></article></li></ol></li></ol>"""
DRUPAL = f"""<section><article class="comment js-comment"><footer class=comment__meta>
<p class=comment__author>Ada Quay</p><p class=comment__time>5 March 2024 - 08:30</p></footer>
<div><p>{ADA}</p></div></article><div class=indented><article class="comment js-comment">
<footer class=comment__meta><p class=comment__author>Bo</p></footer><p>{BO}</p></article></div></section>"""
SUBSTACK = f"""<div class=comment><div class=comment-meta><span class=comment-meta-name><a href=#>Ada Quay</a>
</span><a class=comment-timestamp title="Mar 5, 2024, 8:30 AM">Mar 5</a></div><div class=comment-body>
<p>{ADA}</p></div><div><button>Like (3)</button></div><div class=replies><div class=comment><div><a href=#>Bo
</a></div><div class=comment-body><p>{BO}</p></div></div></div></div>"""
OLD_REDDIT = f"""<div class="thing comment" data-author="Ada Quay"><div class=entry><p class=tagline>[–]
<a class=author href=#>x</a> 5 points <time datetime=2024-03-05>now</time></p><div class=usertext-body>
<p>{ADA}</p></div><ul><li>embed</li></ul></div><div class=child><div class="thing comment"
data-author=Bo><div class=entry><div class=usertext-body><p>{BO}</p></div></div></div></div></div>"""
REDDIT = f"""<shreddit-comment author="Ada Quay" depth=0 created="2024-03-05T08:30:00+0000"><div slot=meta>
<time>2h ago</time></div><div slot=comment><p>{ADA}</p></div><shreddit-comment author=Bo depth=1>
<div slot=comment><p>{BO}</p></div></shreddit-comment></shreddit-comment>"""
HACKER_NEWS = f"""<table class=comment-tree><tr class="athing comtr"><td><table><tr><td class=ind indent=0>
<td><span class=comhead><a class=hnuser href=#>Ada Quay</a> <span class=age title=2024-03-05T08:30:00>
2 hours ago</span></span><div class=comment><div class=commtext>{ADA}</div></div></table></td></tr>
<tr class="athing comtr"><td><table><tr><td class=ind indent=1><td><a class=hnuser href=#>Bo</a>
<div class=comment><div class=commtext>{BO}</div></div></table></td></tr></table>"""


@pytest.mark.parametrize(
    "html", [WORDPRESS, DRUPAL, SUBSTACK, OLD_REDDIT, REDDIT, HACKER_NEWS],
    ids=["wordpress", "drupal", "substack", "old reddit", "reddit", "hacker news"],
)  # fmt: skip
def test_who_wrote_what_and_when_is_read_as_pages_set_it(html: str) -> None:
    first, reply = with_comments(
        article(f"<p>It stands to this day. {PARAGRAPH}</p>") + html
    ).comments

    assert (first.author, first.text, first.depth) == ("Ada Quay", ADA, 0)
    assert (first.published_at or "").startswith("2024-03-05")
    assert reply == PageComment(author="Bo", text=BO, depth=1)


def test_what_a_reply_says_of_itself_is_not_of_what_it_replies_to() -> None:
    reply = "<div class=comment><cite>Bo</cite><time datetime=2024-03-05></time><p>So.</p></div>"

    first, _ = with_comments(
        article("") + f"<div class=comment><p>Nobody.</p>{reply}</div>"
    ).comments

    assert first == PageComment(text="Nobody.")


def test_replies_in_linked_data_follow_what_they_reply_to() -> None:
    data = """{"@type": "Article", "comment": [{"@type": "Comment", "text": "One.", "author": [{"name":
    "Ada"}], "comment": {"@type": "Comment", "text": "Reply."}}, {"@type": "Comment", "text": "Two."}]}"""
    html = article("", f"<script type=application/ld+json>{data}</script>")

    assert with_comments(html).comments == (
        PageComment(author="Ada", text="One."),
        PageComment(text="Reply.", depth=1),
        PageComment(text="Two."),
    )


def test_a_depth_that_is_no_depth_is_none() -> None:
    html = f"<shreddit-comment author=Bo depth={'9' * 5_000}><p>{ADA}</p></shreddit-comment>"

    comments = with_comments(article(f"<p>It stands to this day. {PARAGRAPH}</p>") + html).comments

    assert [comment.depth for comment in comments] == [0]

"""Comments under a page: left out of its text, and kept apart where they are wanted."""

import pytest
from returns.result import Success
from turbohtml import parse

from webseam.adapters.reader import read_html
from webseam.adapters.reader.comment_reading import keep_post_authors
from webseam.adapters.reader.comments import post_boxes
from webseam.adapters.reader.page_segments import segment_page
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


def test_form_for_a_comment_is_no_comment() -> None:
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


def test_invisible_characters_are_removed_from_comments() -> None:
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
    "html",
    [WORDPRESS, DRUPAL, SUBSTACK, OLD_REDDIT, REDDIT, HACKER_NEWS],
    ids=["wordpress", "drupal", "substack", "old reddit", "reddit", "hacker news"],
)
def test_author_text_and_date_of_comments_are_read(html: str) -> None:
    first, reply = with_comments(
        article(f"<p>It stands to this day. {PARAGRAPH}</p>") + html
    ).comments

    assert (first.author, first.text, first.depth) == ("Ada Quay", ADA, 0)
    assert (first.published_at or "").startswith("2024-03-05")
    assert reply == PageComment(author="Bo", text=BO, depth=1)


def test_author_of_a_reply_is_not_that_of_its_parent() -> None:
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


FIRST, SECOND = (
    f"Who built the old harbour wall? {PARAGRAPH}",
    f"The town did. {PARAGRAPH} So it was.",
)
THIRD = f"They say the floods undid it twice. {PARAGRAPH} Nobody knows."
NAMES = (
    ("Ada Quay", "5 March 2024", FIRST), ("Bo", "6 March 2024", SECOND), ("Cy", "7 March 2024", THIRD),
)  # fmt: skip
ENGINES = {
    "xenforo": """<article class="message message--post" data-author="{name}"><div class=message-cell>
        <h4 class=message-name><a class=username>{name}</a></h4><h5 class=userTitle>Member</h5><dl><dt>
        Joined</dt><dd>Jan 1, 2020</dd></dl></div><time class=u-dt datetime="{day}">{day}</time><div
        class=message-body><div class=bbWrapper>{text}</div></div></article>""",
    "phpbb": """<div class="post has-profile bg2"><dl class=postprofile><dt><a class=username>{name}</a></dt>
        <dd>Posts: 12</dd></dl><div class=postbody><p class=author><a class=unread><span>Post</span></a> by
        <a class=username>{name}</a> » Tue {day} 8:30 am</p><div class=content>{text}</div><div
        class=signature>Ships pass.</div></div></div>""",
    "vbulletin": """<li class="postbitlegacy postcontainer old"><div class=posthead><span class="postdate old">
        <span class=date>{day}, <span class=time>08:30</span></span></span></div><div class=userinfo><a
        class="username offline"><strong>{name}</strong></a><span class=usertitle>Senior</span></div><div
        class=postbody><blockquote class="postcontent restore">{text}</blockquote></div></li>""",
    "invision": """<article class="cPost ipsBox ipsComment"><aside class=ipsComment_author><h3><a>{name}</a></h3>
        <ul><li>1.2k posts</li></ul></aside><p>Posted <time datetime="{day}">{day}</time></p><div
        data-role=commentContent><p>{text}</p></div></article>""",
    "vbulletin 3": """<div id=edit70{number}><table id=post70{number} class=tborder><tr><td class=thead>{day},
        08:30 AM</td><td class=thead>#<a href=/70>2</a></td></tr><tr><td class=alt2><div id=postmenu_70{number}><a
        class=bigusername>{name}</a></div><div class=smallfont>Senior Member</div><div>Join Date: Feb 2012</div>
        </td><td class=alt1 id=td_post_70{number}><div class=smallfont><strong>Harbour wall</strong></div><hr>
        <div id=post_message_70{number}>{text}</div></td></tr></table></div>""",
    "invision 3": """<div class="post_block hentry" id=post_id_22{number}><div class=author_info><ul><li><p
        class=member_title>Rows a boat</p></li><li class=author>{name}</li><li>5,401 posts</li></ul></div><div
        class=post_body><p class=posted_info>Posted <abbr class=published title="{day}">{day}</abbr></p><div
        itemprop=commentText>{text}</div><ul><li>Reply</li></ul></div></div>""",
    "mybb": """<div class="post classic"><div class=post_author><div class=author_information><a>{name}</a></div>
        Posts: 12</div><div class=post_content><span class=post_date>{day}, 08:30 AM</span><div class=post_body>
        {text}</div></div></div>""",
    "smf": """<div class=windowbg><div class=post_wrapper><div class=poster><h4><a>{name}</a></h4><ul><li>Member
        </li></ul></div><div class=postarea><div class=keyinfo><div class=smalltext>« Reply #1 on: {day} »</div>
        </div><div class=post><div class=inner>{text}</div></div></div></div></div>""",
    "fluxbb": """<div class="blockpost rowodd"><h2><span>#2 {day} 08:30:00</span></h2><div class=postleft><dl><dt>
        <strong>{name}</strong></dt><dd>Registered: 2016-07-02</dd></dl></div><div class=postmsg><p>{text}</p>
        </div></div>""",
    "stack exchange": """<div class=answer itemprop=suggestedAnswer itemscope><div class=s-prose><p>{text}</p></div>
        <div itemprop=author><a>{name}</a> 1,992 <i>2</i> gold badges</div>answered <time datetime="{day}">then
        </time></div>""",
    "discourse": """<div class="topic-body crawler-post"><span itemprop=author><b itemprop=name>{name}</b></span>
        <time datetime="{day}">{day}</time><div class=post itemprop=text><p>{text}</p></div></div>""",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_posts_of_a_forum_are_told_apart_with_who_wrote_them(engine: str) -> None:
    posts = [
        ENGINES[engine].format(name=name, day=day, text=text, number=number)
        for number, (name, day, text) in enumerate(NAMES)
    ]
    html = f"<title>Harbour wall - Forum</title><h1>Harbour wall</h1><div>{''.join(posts)}</div>"
    document = read_html(html, "https://forum.example.com/threads/harbour-wall.7/", comments=True)

    comments = document.unwrap().comments

    days = [f"2024-03-{day:02}" for day in (5, 6, 7)]
    assert [comment.author for comment in comments] == ["Ada Quay", "Bo", "Cy"]
    assert [comment.published_at for comment in comments] == days
    assert [comment.text for comment in comments] == [FIRST, SECOND, THIRD]


def test_comments_on_answers_are_replies_to_them_and_parts_of_comments_are_none() -> None:
    comment = "<li class=comment><span class=comment-copy>So it was.</span> – <a class=comment-user>Cy</a></li>"
    post = ENGINES["stack exchange"].replace("</div>answered", f"</div><ul>{comment}</ul>answered")
    posts = [post.format(name=name, day=day, text=text) for name, day, text in NAMES[:2]]
    html = f"<title>Harbour wall - Forum</title><h1>Harbour wall</h1>{''.join(posts)}"
    page = read_html(html, "https://forum.example.com/questions/7/harbour-wall", comments=True)
    inside = (
        f"<div class=comment><b class=username>Bo</b><div class=message><p>{BO}</p></div></div>"
    )

    told = [(one.author, one.depth) for one in page.unwrap().comments]

    assert told == [("Ada Quay", 0), ("Cy", 1), ("Bo", 0), ("Cy", 1)]
    assert len(with_comments(article("") + inside * 2).comments) == 2


OLD_WORDPRESS = f"""<ol><li class="comment depth-1"><div class=comment-body><div class="comment-author vcard">
<cite class=fn>Ada Quay</cite> <span class=says>says:</span></div><div class="comment-meta commentmetadata">
<a href=#c>March 5, 2024 at 8:30 am</a></div><p>{ADA}</p><div class=reply><a>Reply</a></div></div></li></ol>"""
BESIDE = """<div class=feedback><div class=info><span class=user-name>{name}</span> <time>{day}</time></div>
<div class=feedback__comment>{text}</div></div>"""
WOOCOMMERCE = f"""<ol class=commentlist><li class=review><div class=comment_container><div class=comment-text><div
class=star-rating>Rated 5 out of 5</div><p class=meta><strong class=woocommerce-review__author>Ada Quay</strong>
<em>(verified owner)</em> – <time datetime=2024-03-05>then</time></p><div class=description><p>{ADA}</p></div>
</div></div></li></ol>"""


@pytest.mark.parametrize(
    "html",
    [
        OLD_WORDPRESS,
        BESIDE.format(name="Ada Quay", day="5 March 2024", text=ADA)
        + BESIDE.format(name="Bo", day="6 March 2024", text=BO),
        WOOCOMMERCE,
    ],
    ids=["wordpress of old", "beside the comment", "woocommerce"],
)
def test_author_and_date_around_a_comment_are_read(html: str) -> None:
    first = with_comments(article(f"<p>It stands to this day. {PARAGRAPH}</p>") + html).comments[0]

    assert first == PageComment(author="Ada Quay", published_at="2024-03-05", text=ADA)


def test_quoted_author_is_not_the_author_of_the_comment() -> None:
    quote = "<blockquote><cite>Bo</cite><p>Mine, too.</p></blockquote>"
    html = f"<div class=comment>{quote}<p>{ADA}</p></div>"

    assert with_comments(article("") + html).comments[0].author is None


@pytest.mark.parametrize(
    "text", ["Fish &amp; chips.\\n \\n\\n\\tMore.", "<p>Fish &amp; chips.</p><p>More.</p>"]
)
def test_comments_in_linked_data_are_plain_text(text: str) -> None:
    data = f'{{"@type": "Article", "comment": {{"@type": "Comment", "text": "{text}"}}}}'
    html = article("", f"<script type=application/ld+json>{data}</script>")

    assert with_comments(html).comments == (PageComment(text="Fish & chips.\n\nMore."),)


def test_the_line_that_says_who_wrote_a_post_is_kept_with_it() -> None:
    post = "<article class=message {}><h4 class=username>{}</h4><i>Member</i><p>{}</p></article>"
    named = post.format("data-author=Ann", "Ann", "I like the tide.")
    found = post.format("", "Bo", "So do I.")
    body = parse(f"<body>{named}{found}{found}</body>", positions=False).find("body")
    assert body is not None
    page_cut = segment_page(body)
    chosen = [False, False, True, False, False, True, False, False, False]

    keep_post_authors(page_cut, post_boxes(page_cut, []), chosen)

    assert chosen == [True, False, True, True, False, True, False, False, False]


OLD_THEME = "".join(
    f"<li{' class=alt' if n % 2 else ''} id=comment-{n}><cite>Reader {n}</cite> says:<br>"
    f"<small class=commentmetadata>May {n}rd, 2009</small>"
    f"<p>I recall it otherwise. {PARAGRAPH} {PARAGRAPH}</p></li>"
    for n in range(1, 9)
)


@pytest.mark.parametrize(
    "comments",
    [
        f"<h3 id=comments>8 Responses</h3><ol class=commentlist>{OLD_THEME}</ol>",
        f"<h3>8 Responses</h3><div class=comments-list>{OLD_THEME.replace('li', 'div')}</div>",
        f"<div class=comments><h3>8 Responses</h3><ol>{OLD_THEME}</ol></div>",
    ],
)
def test_comments_are_known_by_their_number_or_their_list(comments: str) -> None:
    html = (
        "<title>Tides</title><meta property=og:type content=article><div class=post><h2>Tides</h2>"
        f"<div class=entry><p>The tide table is wrong. {PARAGRAPH}</p></div></div>{comments}"
    )
    document = read_html(html, "https://example.com/2009/05/tides.html", comments=True).unwrap()

    assert "tide table" in document.content
    assert "recall" not in document.content
    assert len(document.comments) == 8


def test_unsigned_comment_of_a_manual_is_no_comment() -> None:
    part = (
        "<section><h3>dig_{0}</h3><pre>public void dig_{0}(int deep)</pre>"
        "<div class=deprecation-block>Deprecated. <div class=deprecation-comment>since 3.{0}, lay stones with"
        " the crane that stands at the quay instead of this.</div></div><p>Digs as deep as it is told to, {0}"
        " times over, and says how far it came.</p></section>"
    )
    parts = "".join(map(part.format, range(1, 7)))
    head = "<title>Spade (Harbour API)</title><meta name=generator content=javadoc>"

    document = page(f"{head}<body class=docs><main><h1>Class Spade</h1>{parts}</main></body>")

    assert document.kind == "documentation"
    assert document.content.count("the crane") == 6


@pytest.mark.parametrize("count", [3, 12, 20, 40, 120])
def test_comments_are_no_content_however_many_there_are(count: int) -> None:
    comments = "".join(
        f"<li class=comment id=comment-{number}><cite>reader{number}</cite> <time>14.01.2020</time>"
        f"<p>I do not agree with number {number} of what is said here: the wall costs far too much,"
        " and nobody asked us who live in the lower town.</p></li>"
        for number in range(count)
    )
    html = article("").replace(
        "</article>",
        f"</article><section id=comments><h2>{count} comments</h2>"
        f"<ol class=comment-list>{comments}</ol></section>",
    )

    read = read_html(html, "https://example.com/2024/05/03/harbour", comments=True).unwrap()

    assert read.content.count(PARAGRAPH[:40]) == 2
    assert "do not agree" not in read.content
    assert len(read.comments) == count

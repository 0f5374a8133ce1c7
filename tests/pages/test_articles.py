"""What stands in an article and is none of it: forms, bars, boxes, lines that lead elsewhere."""

import pytest
from turbohtml import parse

from webseam.adapters.reader import read_html
from webseam.adapters.reader.articles import drop_foreign_text
from webseam.adapters.reader.measures.page_features import KINDS
from webseam.adapters.reader.page_segments import segment_page
from webseam.adapters.reader.run_choice import choose_runs
from webseam.ports.pages import PageImage, ReadPage

from .read import PARAGRAPH, article, page

HEAD = (
    "<meta property=og:type content=article><script type=application/ld+json>"
    '{"@type": "NewsArticle", "headline": "The harbour"}</script>'
)
BODY = "".join(f"<p>{PARAGRAPH} Stage {number} took a year.</p>" for number in range(8))


def read(inside: str, body: str = BODY) -> str:
    html = article(f"{body}{inside}{body.replace('Stage', 'Step')}", HEAD)
    document: ReadPage = read_html(html, "https://example.com/news/2024/03/05/harbour").unwrap()
    assert document.kind == "article"
    return document.content


@pytest.mark.parametrize(
    "names",
    [
        "class=newsletter-box",
        "class='inline NewsletterSignup'",
        "class='sharedaddy sd-block'",
        "class=post-cta",
        "class=jp-relatedposts",
        "id=author-info",
        "class=cookie-notice",
    ],
)
def test_a_small_box_named_after_something_else_is_none_of_the_article(names: str) -> None:
    aside = (
        f"<div {names}><p>Stone by stone, each week: our letter about harbours is free.</p></div>"
    )

    content = read(aside)

    assert "our letter" not in content
    assert "Stage 7" in content
    assert "Step 0" in content


def test_large_part_of_an_article_is_kept_for_any_class_name() -> None:
    body = BODY.replace("<p>", "<p class=newsletter-text>")

    assert "Stage 3" in read("", body)


def test_a_heading_whose_id_is_made_of_its_words_stays() -> None:
    heading = "<h2 id=what-share-of-the-stone-came-by-barge>What share came by barge</h2>"

    assert "What share came by barge" in read(f"{heading}<p>{PARAGRAPH} All of it.</p>")


@pytest.mark.parametrize(
    "line",
    [
        "<p><b>Also read: <a href=/m>Who paid for the mole</a></b></p>",
        "<p>[<a href=/m>Read more: Who paid for the mole</a>]</p>",
        "<p><em>Lesen Sie auch: <a href=/m>Who paid for the mole</a></em></p>",
        "<div><span>Lire aussi</span> <a href=/m>Who paid for the mole</a></div>",
        "<p>Читайте также: <a href=/m>Who paid for the mole</a></p>",
        (
            "<p><b>Read more:</b></p><p><a href=/m>Who paid for the mole</a></p>"
            "<p><a href=/n>And who paid for the mole light</a></p>"
        ),
    ],
)
def test_a_line_that_leads_to_another_article_is_none_of_this_one(line: str) -> None:
    content = read(line)

    assert "Who paid" not in content
    assert "mole light" not in content
    assert "Step 0" in content


def test_a_sentence_with_a_link_stays() -> None:
    sentence = (
        "<p>Read more about it in <a href=/m>the letters</a> that the masons wrote to the town "
        "in the years after the flood.</p>"
    )

    assert "the masons wrote" in read(sentence)


@pytest.mark.parametrize(
    "line",
    [
        "<p>Sign up for our letter about harbours, free each week.</p>",
        "<p><em>Photo: the mole at low tide, by our letter writer</em></p>",
        "<p>Follow us on Mastodon, our letter tells how.</p>",
        "<p>（责任编辑：our letter）</p>",
        "<p>You are here: Home | Harbours | our letter</p>",
        "<div><a href=/m>Who paid for our letter to the town</a></div>",
        "<p>© 2024 our letter</p>",
        "<figure><img src=a.png><figcaption>The mole, drawn for our letter.</figcaption></figure>",
    ],
)
def test_a_line_about_the_site_or_the_name_of_another_article_is_none_of_it(line: str) -> None:
    content = read(line)

    assert "our letter" not in content
    assert "Step 0" in content


def test_words_of_tools_in_a_list_or_a_sentence_stay() -> None:
    told = "<ul><li>Save</li><li>Print</li></ul><p>Share this with the pilots.</p>"

    content = read(f"<p>{PARAGRAPH} The office has two buttons:</p>{told}")

    assert "- Save" in content
    assert "Share this with the pilots." in content


def test_an_article_is_not_emptied() -> None:
    html = article("", HEAD).replace(f"<p>{PARAGRAPH}</p>", "").replace("<p>Later, ", "<p>Photo: ")
    document = read_html(html, "https://example.com/news/2024/03/05/harbour").unwrap()

    assert "built in three stages" in document.content


def test_a_picture_is_told_of_with_the_caption_that_is_left_out_of_the_text() -> None:
    figure = (
        "<figure><a href=/m><img src=/mole.jpg alt='The mole'></a>"
        "<figcaption>The mole in May, before the last stones came.</figcaption></figure>"
    )
    html = article(f"{BODY}{figure}{BODY.replace('Stage', 'Step')}", HEAD)

    document = read_html(html, "https://example.com/news/2024/03/05/harbour").unwrap()

    assert "last stones" not in document.content
    assert document.images == (
        PageImage(
            url="https://example.com/mole.jpg",
            alt="The mole",
            caption="The mole in May, before the last stones came.",
        ),
    )


def left(html: str) -> list[bool]:
    """Return which runs of a sure article are left, of which all were kept."""
    body = parse(f"<body>{html}</body>", positions=False).find("body")
    assert body is not None
    page_cut = segment_page(body)
    kept = [True] * len(page_cut.runs)
    drop_foreign_text(page_cut, kept, is_sure=True)
    return kept


def test_boxes_of_one_name_stay_that_are_a_fifth_of_the_article() -> None:
    few = "<p>One two three.</p>" * 20
    box = "<div class=newsletter><p>One two three.</p></div>"

    assert left(f"{few}{box * 3}") == [True] * 20 + [False] * 3
    assert left(f"{few}{box * 6}") == [True] * 26


def test_lines_that_lead_elsewhere_stay_where_they_are_most_of_it() -> None:
    line = "<p>Also read: <a href=/m>who paid for the mole</a></p>"

    assert left(f"<p>One two three.</p>{line}") == [True, True]
    assert left(f"{'<p>One two three.</p>' * 9}{line}") == [True] * 9 + [False]


@pytest.mark.parametrize("name", ["intro", "summary", "subtitle", "article__standfirst", "dek"])
@pytest.mark.parametrize("tag", ["p", "div", "h2"])
def test_the_lead_beside_the_title_is_content(name: str, tag: str) -> None:
    lead = "What the lower town has waited for since the great flood is now to be built after all."
    html = article("").replace("</h1>", f"</h1><{tag} class={name}>{lead}</{tag}><i>By Ann Lee</i>")

    assert lead in read_html(html, "https://example.com/2024/05/03/harbour").unwrap().content


@pytest.mark.parametrize("heading", ["h1", "h2"])
def test_articles_that_follow_under_links_are_not_the_page(heading: str) -> None:
    def entry(number: int) -> str:
        title = f"<{heading}><a href=/p/{number}>Market {number}</a></{heading}><p>By Ann Lee</p>"
        return f"<article class=post>{title}<p>Market {number}: {PARAGRAPH}</p></article>"

    own = f"<article class=post><h1>The old mole</h1><p>{PARAGRAPH}</p><p>Later, {PARAGRAPH}</p></article>"
    document = page(
        f"{HEAD}<title>The old mole</title><main>{own}<div>{''.join(map(entry, range(4)))}</div></main>"
    )

    assert f"Later, {PARAGRAPH}" in document.content
    assert "Market" not in document.content


TEASER = (
    "<div class=item><span class=time>{n}:05</span> <a href=/news/{n}>Storm takes roof off {n}</a>"
    "<p>Short words about what happened there on day {n}, and what people say.</p></div>"
)


@pytest.mark.parametrize("count", [10, 30, 60])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_short_article_stands_alone_among_other_news(count: int, language: str) -> None:
    before, after = (
        "".join(TEASER.format(n=n) for n in numbers)
        for numbers in (range(count // 3), range(count // 3, count))
    )
    text = f"<div class=text><p>{PARAGRAPH}</p><p>Then, {PARAGRAPH}</p></div>"
    html = (
        f"<html lang={language}><head><title>The harbour - News</title></head><body><div>{before}"
        f"</div><div class=left><h1>The harbour</h1><div>06.01.2012 10:17</div>{text}</div>"
        f"<div class=news><h3>Other news</h3>{after}</div></body></html>"
    )

    content = page(html).content

    assert "Short words" not in content
    assert f"{PARAGRAPH}\n\nThen, {PARAGRAPH}" in content


@pytest.mark.parametrize(
    ("entry", "head"),
    [
        ("<article class=post><h1>{}</h1>{}</article>", ""),
        ("<div class=post-{}><div class=top><h1>{}</h1></div><div class=body>{}</div></div>", "1"),
        ("<section><div><h1 class=t>{}</h1></div>{}</section>", ""),
    ],
)
def test_articles_in_the_markup_of_the_own_one_are_not_the_page(entry: str, head: str) -> None:
    def part(number: int) -> str:
        text = "".join(f"<p>Of market {number}.{at}: {PARAGRAPH}</p>" for at in range(4))
        return entry.format(*[head] * bool(head), f"Market {number}", text)

    document = page(f"{HEAD}<title>Market 0</title><main>{''.join(map(part, range(4)))}</main>")

    assert "market 0.3" in document.content
    assert not any(f"arket {number}" in document.content for number in range(1, 4))


def test_likely_sentence_between_the_title_and_the_text_stays() -> None:
    text = "".join(f"<p>{n} {'the mole was long in building ' * 10}</p>" for n in range(10))
    lead = "The council wants to close the old mole for a whole year."
    body = parse(
        f"<body><div><p>{lead} An older one.</p></div><h1>The mole</h1><div><p>{lead}</p></div>"
        f"<div class=by><p>By Ann Lee</p></div><div class=see><p><a href=/x>{lead} Elsewhere.</a></p></div>"
        f"<article>{text}</article></body>",
        positions=False,
    ).find("body")
    assert body is not None
    segments = segment_page(body)
    chances = [0.6] * 5 + [0.95] * 10

    kept = choose_runs(
        segments, chances, [float(kind == "article") for kind in KINDS], [False] * 15
    ).kept

    assert kept == [False, True, True, False, False, *[True] * 10]

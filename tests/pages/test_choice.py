"""Which runs are kept, given how likely each is."""

from turbohtml import parse

from webseam.adapters.reader.html import read_html
from webseam.adapters.reader.measures.page_features import KINDS
from webseam.adapters.reader.page_segments import PageSegments, prune_to_runs, segment_page
from webseam.adapters.reader.run_choice import RunChoice, best_threshold, choose_runs
from webseam.ports.pages import LeftOut

from .read import PARAGRAPH, URL, article, page

ARTICLE = [float(kind == "article") for kind in KINDS]
FORUM = [float(kind == "forum") for kind in KINDS]
MANUAL = [float(kind == "documentation") for kind in KINDS]
MAYBE = [{"article": 0.2, "listing": 0.8}.get(kind, 0.0) for kind in KINDS]
POST = "one two three four five six seven eight nine ten eleven twelve"


def cut_of(html: str) -> PageSegments:
    body = parse(f"<body>{html}</body>", positions=False).find("body")
    assert body is not None
    return segment_page(body)


def choose(
    page_cut: PageSegments, likely: list[float], kinds: list[float], related: tuple[int, ...] = ()
) -> RunChoice:
    under = [place in related for place in range(len(page_cut.runs))]
    return choose_runs(page_cut, likely, kinds, under)


def posts(count: int) -> PageSegments:
    return cut_of("".join(f"<div class=post><p>{n} {POST * 6}</p></div>" for n in range(count)))


def test_quote_of_an_earlier_post_is_dropped() -> None:
    asked = "The mole leaks at low tide, and the stones of its foot are loose by now."
    page_cut = cut_of(
        f"<div class=post><p>Since May. {asked} Who mends it?</p></div>"
        f"<div class=post><blockquote><p>{asked}</p></blockquote><p>{POST}</p></div>"
        "<div class=post><blockquote><p>Harbours are mended by those who use them.</p></blockquote>"
        f"<p>So says the law. {POST}</p></div>"
    )

    assert choose(page_cut, [0.9] * 5, FORUM).kept == [True, False, True, True, True]
    assert choose(page_cut, [0.9] * 5, ARTICLE).kept == [True] * 5


def test_loose_text_beside_what_is_kept_goes() -> None:
    page_cut = cut_of("<div>Share this <p>The mole</p> <b>Print</b> it</div><p>Menu</p>")

    assert prune_to_runs(page_cut, [False, True, False, False]).text.strip() == "The mole"


def test_unlikely_and_outer_runs_are_no_holes() -> None:
    assert choose(posts(4), [0.9, 0.9, 0.04, 0.9], FORUM).kept == [True, True, False, True]
    assert choose(posts(4), [0.9, 0.9, 0.9, 0.04], FORUM).kept == [True, True, True, False]
    nearly = [0.9, 0.9, 0.8, 0.4, 0.1, 0.1]
    assert choose(posts(6), nearly, ARTICLE).kept == [True] * 4 + [False] * 2


def test_cards_that_look_alike_are_kept_together_or_not_at_all() -> None:
    text = "".join(f"<p>{n} {POST * 6}</p>" for n in range(6))
    cards = "".join(f"<li class=card><b>{n} {POST}</b></li>" for n in range(6))
    page_cut = cut_of(f"<div>{text}</div><ul>{cards}</ul>")
    body = [0.95] * 6

    mostly = choose(page_cut, [*body, 0.9, 0.4, 0.9, 0.9, 0.9, 0.4], FORUM)
    hardly = choose(page_cut, [*body, 0.1, 0.1, 0.6, 0.1, 0.1, 0.1], FORUM)

    assert mostly.kept == [True] * 12
    assert hardly.kept == [True] * 6 + [False] * 6


def test_a_list_of_many_things_is_cut_for_what_it_would_miss() -> None:
    words, likely = [100, 100, 100], [0.9, 0.6, 0.35]

    assert best_threshold(words, likely) == 0.6
    assert best_threshold(words, likely, 1.35) == 0.35


def test_an_article_ends_with_the_box_that_holds_most_of_it() -> None:
    inside = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    outside = f"<p>x {POST}</p><p>y {POST * 2}</p>"
    page_cut = cut_of(f"<div><article>{inside}</article><div>{outside}</div></div>")
    likely = [0.95] * 10 + [0.7, 0.97]

    # What is nearly certain stays, wherever it stands.
    assert choose(page_cut, likely, ARTICLE).kept == [True] * 10 + [False, True]
    assert choose(page_cut, likely, FORUM).kept == [True] * 12
    # A page that only may be one ends there, too.
    assert choose(page_cut, likely, MAYBE).kept == [True] * 10 + [False, True]


def test_a_first_paragraph_before_the_box_of_the_rest_needs_less_than_what_comes_after() -> None:
    inside = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    heading = f"<h2>Why {POST} are thirteen all told</h2>"
    before = f"<section>{heading}<p>In May</p><p>x {POST * 2}</p></section>"
    page_cut = cut_of(f"{before}<article>{inside}</article><section><p>y {POST * 2}</p></section>")
    likely = [0.75, 0.75, 0.75, *[0.95] * 10, 0.75]

    assert choose(page_cut, likely, ARTICLE).kept == [False] * 2 + [True] * 11 + [False]


def test_a_piece_of_an_article_is_called_as_the_rest_of_it() -> None:
    inside = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    before = f"<div class=body><p>x {POST * 2}</p></div><div class=teaser><p>y {POST * 2}</p></div>"
    page_cut = cut_of(f"{before}<aside></aside><div class=body>{inside}</div>")
    likely = [0.6, 0.6, *[0.95] * 10]

    assert choose(page_cut, likely, ARTICLE).kept == [True, False] + [True] * 10


def test_runs_under_related_are_less_likely_on_an_article() -> None:
    body = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    page_cut = cut_of(f"{body}<h3>Related</h3><ul><li>x {POST}</li><li>y {POST}</li></ul>")
    likely = [0.9] * 10 + [0.5, 0.55, 0.55]

    assert choose(page_cut, likely, ARTICLE).kept == [True] * 13
    assert choose(page_cut, likely, ARTICLE, (10, 11, 12)).kept == [True] * 10 + [False] * 3
    assert choose(page_cut, likely, MAYBE, (10, 11, 12)).kept == [True] * 10 + [False] * 3
    assert choose(page_cut, likely, FORUM, (10, 11, 12)).kept == [True] * 13


def test_a_box_of_related_pages_ends_where_the_article_goes_on() -> None:
    body = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    page_cut = cut_of(
        f"{body}<div>Video: The mole</div><p class=next>{POST * 5}</p><p class=last>{POST}</p>"
    )

    goes_on = choose(page_cut, [*[0.9] * 10, 0.4, 0.9, 0.5], ARTICLE, (10, 11, 12))
    ended = choose(page_cut, [*[0.9] * 10, 0.4, 0.5, 0.5], ARTICLE, (10, 11, 12))

    assert goes_on.kept == [True] * 10 + [False, True, True]
    assert ended.kept == [True] * 10 + [False, False, False]


def test_the_last_link_of_related_pages_heads_nothing() -> None:
    body = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    page_cut = cut_of(f"{body}<p class=more>Further reading</p><h4>Moles</h4><p>{POST * 5}</p>")
    likely = [*[0.9] * 10, 0.5, 0.5, 0.9]

    assert choose(page_cut, likely, ARTICLE).kept == [True] * 13
    assert choose(page_cut, likely, ARTICLE, (10, 11)).kept == [True] * 10 + [False, False, True]


def test_a_table_under_related_is_as_likely_as_it_was() -> None:
    body = "".join(f"<p>{n} {POST * 5}</p>" for n in range(10))
    rows = f"<tr><td>x {POST}</td></tr><tr><td>y {POST}</td></tr>"
    page_cut = cut_of(f"{body}<h3>Related</h3><table>{rows}</table><div>z {POST * 3}</div>")
    likely = [0.9] * 10 + [0.5, 0.55, 0.55, 0.5]

    kept = choose(page_cut, likely, ARTICLE, (10, 11, 12, 13)).kept

    assert kept == [True] * 13 + [False]


def test_a_table_or_list_between_kept_text_is_kept_whole() -> None:
    rows = "".join(f"<tr><td>Row {n}</td><td>{n} metres</td></tr>" for n in range(4))
    around = [f"<p>{n} {POST * 6}</p>" for n in range(4)]
    page_cut = cut_of(f"{around[0]}{around[1]}<table>{rows}</table>{around[2]}{around[3]}")
    ends = cut_of(f"{''.join(around)}<table>{rows}</table>")
    near, far = [0.4, 0.3, 0.4, 0.4], [0.1] * 4

    assert choose(page_cut, [0.9, 0.9, *near, 0.9, 0.9], FORUM).kept == [True] * 8
    assert choose(page_cut, [0.9, 0.9, *far, 0.9, 0.9], FORUM).kept[2:6] == [False] * 4
    assert choose(ends, [0.9] * 4 + near, FORUM).kept[4:] == [False] * 4


def test_a_table_with_a_caption_that_is_not_kept_is_kept_all_the_same() -> None:
    rows = "".join(f"<tr><td>Row {n}</td><td>{n} metres</td></tr>" for n in range(4))
    around = [f"<p>{n} {POST * 6}</p>" for n in range(4)]
    table = f"<p class=caption>Table one</p><table>{rows}</table><p class=source>Source</p>"
    page_cut = cut_of(f"{around[0]}{around[1]}{table}{around[2]}{around[3]}")
    likely = [0.9, 0.9, 0.1, 0.4, 0.3, 0.4, 0.4, 0.1, 0.9, 0.9]

    kept = choose(page_cut, likely, FORUM).kept

    assert kept == [True, True, False, True, True, True, True, False, True, True]


def test_left_out_words_are_counted_by_kind() -> None:
    document = page(article(f"<p>{PARAGRAPH}</p>"))

    copied = len(PARAGRAPH.split())
    assert document.left_out == (
        LeftOut(kind="menus", words=3),
        LeftOut(kind="copies", words=copied),
    )
    assert read_html(f"<p>{PARAGRAPH}</p>", URL).unwrap().left_out == ()


def test_a_table_between_the_paragraphs_of_an_article_needs_to_be_less_likely() -> None:
    rows = "".join(f"<tr><td>{n}<td>many<td>words" for n in range(4))
    page_cut = cut_of(f"<p>One {POST * 9}</p><table>{rows}</table><p>Two {POST * 9}</p>")
    likely = [0.95, *[0.2] * 4, 0.95]

    assert choose(page_cut, likely, ARTICLE).kept == [True] * 6
    assert choose(page_cut, likely, FORUM).kept == [True, *[False] * 4, True]


def test_code_that_comes_again_is_no_copy() -> None:
    example = f"<pre>{POST}</pre>"
    page_cut = cut_of(f"<p>Once.</p><div>{example}</div><p>Again.</p><section>{example}</section>")

    assert choose(page_cut, [0.9] * 4, ARTICLE).kept == [True] * 4


def test_a_heading_stays_though_the_list_of_contents_has_said_it() -> None:
    entry = f"<ul><li>{POST}</li></ul>"
    page_cut = cut_of(f"{entry}<p>Before.</p><h2>{POST}</h2><p>After.</p>")

    assert choose(page_cut, [0.9] * 4, ARTICLE).kept == [False, True, True, True]


def test_a_heading_that_comes_again_over_copies_alone_is_a_copy() -> None:
    part = f"<h2>Tides</h2><p>{POST}</p>"
    page_cut = cut_of(f"<div>{part}<p>{POST} more</p></div><section>{part}<h2>End</h2></section>")
    new = cut_of(f"<div>{part}</div><section>{part}<p>{POST} more</p></section>")
    under = cut_of(f"<div>{part}</div><section>{part}<h3>Ebb</h3><p>{POST} more</p></section>")

    assert choose(page_cut, [0.9] * 6, ARTICLE).kept == [True] * 3 + [False] * 2 + [True]
    assert choose(new, [0.9] * 5, ARTICLE).kept == [True] * 3 + [False, True]
    assert choose(under, [0.9] * 6, ARTICLE).kept == [True] * 3 + [False, True, True]


def test_a_line_that_is_a_control_is_left_out_of_all_but_manuals() -> None:
    lines = "<p>Read more »</p><div>ADVERTISEMENT</div><p>Lire la suite</p>"
    meant = "<h2>Share</h2><table><tr><td>Print</table><p>Read more of it.</p>"
    page_cut = cut_of(f"<p>{POST * 9}</p>{lines}{meant}")

    assert choose(page_cut, [0.9] * 7, ARTICLE).kept == [True] + [False] * 3 + [True] * 3
    assert choose(page_cut, [0.9] * 7, MANUAL).kept == [True] * 7


def noted(notes: int) -> PageSegments:
    marks = "".join(f"<sup><a href=#n{n}>{n}</a></sup>" for n in range(notes))
    told = "".join(f"<li id=n{n}>{n} See the book of the harbour.</li>" for n in range(notes))
    return cut_of(f"<h1>Tides</h1><p>{PARAGRAPH}{marks}</p><p>{PARAGRAPH}</p><ol>{told}</ol>")


def test_a_footnote_is_kept_with_its_mark_on_every_kind_of_page() -> None:
    assert choose(noted(1), [0.9, 0.9, 0.9, 0.05], ARTICLE).kept == [True, True, True, True]


def test_notes_that_are_more_than_a_fifth_of_the_text_are_references() -> None:
    likely = [0.9, 0.9, 0.9, *[0.05] * 5]

    assert choose(noted(5), likely, ARTICLE).kept == [True] * 3 + [False] * 5
    assert choose(noted(5), likely, MANUAL).kept == [True] * 8

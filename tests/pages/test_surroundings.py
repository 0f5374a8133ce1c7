"""What the model is told of a run's surroundings."""

from math import log1p

import pytest
from turbohtml import parse

from training.columns import (
    BOX_NAMES,
    NUMBERS,
    PAGE_NAMES,
    RUN_NAMES,
    bare_feature_page,
    html_run_rows,
)
from training.harder import Stock, harden, leftovers
from webseam.adapters.reader import scores as feature_rows
from webseam.adapters.reader.measures.context_features import measure_context
from webseam.adapters.reader.measures.page_features import (
    KINDS,
    MeasuredPage,
    measure_opened,
    open_document,
    page_features,
)
from webseam.adapters.reader.measures.signs import Anchor

from .read import PARAGRAPH

PAGE = f"""<html><head><title>The old mole</title><script type="application/ld+json">
{{"@type": "NewsArticle", "articleBody": "{PARAGRAPH} {PARAGRAPH}"}}</script></head><body>
<h2>Menu</h2><main><article itemprop=articleBody><h1>The old mole</h1><p>{PARAGRAPH}</p>
<p>Then, {PARAGRAPH}</p><p>5 March 2024</p></article></main>
<div class=more><h3>Related stories</h3><ul><li><img><a href=/1>A first storm came on 3 May…</a></li>
<li><img><a href=/2>A second one</a></li><li><img><a href=/3>A third one</a></li></ul></div>
<section><h3>12 comments</h3><p>Well said. {PARAGRAPH}</p><p>Reply</p></section></body></html>"""


def measured(html: str = PAGE, url: str = "https://example.com/2024/the-old-mole") -> MeasuredPage:
    page = measure_opened(open_document(parse(html, positions=False)), url)
    assert page is not None
    return page


def column(name: str) -> dict[str, float]:
    page = measured()
    around = measure_context(page)
    if name in RUN_NAMES:
        values = [row[RUN_NAMES.index(name)] for row in around.rows(range(len(page.segments.runs)))]
    else:
        place = BOX_NAMES.index(name)
        values = [row[place] for row in around.box_rows([run.box for run in page.segments.runs])]
    return {run.text[:12]: value for run, value in zip(page.segments.runs, values, strict=True)}


def marked(name: str) -> list[str]:
    return [text for text, value in column(name).items() if value > 0]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("related_share", ["Related stor", "A first stor", "A second one", "A third one"]),
        ("item_body", ["The old mole", "The harbour ", "Then, The ha", "5 March 2024"]),
        ("kin_images", ["A first stor", "A second one", "A third one"]),
        ("kin_linked", ["A first stor", "A second one", "A third one"]),
        ("part_heading", ["12 comments", "Well said. T", "Reply"]),
    ],
)
def test_marks_stand_on_the_runs_that_they_are_of(name: str, texts: list[str]) -> None:
    assert marked(name) == texts


@pytest.mark.parametrize(
    "text",
    [
        "5 March",
        "March 5th",
        "Sept. 5",
        "at 12:30",
        "in 1999",
        "2024-03-05",
        "3 days ago",
        "vor 3 Tagen",
        "il y a 2 heures",
        "há 2 dias",
        "3 дня назад",
        "3天前",
        "2024年3月5日",
    ],
)
def test_a_date_is_known_in_a_short_run(text: str) -> None:
    assert measured(f"<body><p>{text}</p><p>{PARAGRAPH}</p></body>").signs.dates == [1, 0]


@pytest.mark.parametrize("text", ["room 12", "x2024", "lagoon", "3 agoras", "vor Ort"])
def test_a_number_or_a_word_alone_is_no_date(text: str) -> None:
    assert measured(f"<body><p>{text}</p><p>{PARAGRAPH}</p></body>").signs.dates == [0, 0]


def test_places_are_told_from_the_body_and_from_the_title() -> None:
    body, title = column("body_distance"), column("title_distance")

    assert body["Menu"] < 0 == body["The harbour "] < body["Related stor"] < body["Reply"]
    assert title["Menu"] < 0 == title["The old mole"] < title["The harbour "]


def test_a_row_has_a_number_for_each_name_and_all_are_floats() -> None:
    page = measured()

    rows = [groups for groups, _ in html_run_rows(page, [0.0] * len(KINDS))]

    assert len(measure_context(page).page) == len(PAGE_NAMES)
    assert {tuple(map(len, groups)) for groups in rows} == {tuple(map(len, NUMBERS))}
    assert all(type(number) is float for groups in rows for group in groups for number in group)


@pytest.mark.parametrize(
    "link", ['<link rel="canonical" href="{}">', '<meta property="og:url" content="{}">']
)
def test_a_copy_is_where_its_page_says_it_is(link: str) -> None:
    here, there = "https://a.example/2024/05/quay-after-the-storm", "http://127.0.0.1:8000/17.html"
    said = PAGE.replace("<head>", f"<head>{link.format(here)}")

    original, copy, unsaid = (
        page_features(measured(html, url))
        for html, url in ((said, here), (said, there), (PAGE, there))
    )

    assert copy == original
    assert copy != unsaid


def test_a_bare_page_tells_nothing_by_its_address_or_its_data() -> None:
    page = measured()
    stripped = parse(PAGE.replace("NewsArticle", ""), positions=False)
    other = measure_opened(open_document(stripped), "")
    assert other is not None

    assert page_features(bare_feature_page(page)) == page_features(bare_feature_page(other))
    assert page_features(page) != page_features(bare_feature_page(page))


def test_a_harder_article_is_shorter_among_other_pages_parts_and_the_same_each_time() -> None:
    several = "".join(f"<p>{n} {PARAGRAPH}</p>" for n in range(20))
    html = f"<head><title>Quay</title></head><main><article>{several}</article></main>"

    def made() -> tuple[str, str] | None:
        page = measured(html)
        pool = leftovers(measured(), [0.0] * len(measured().segments.runs), "article")
        return harden(page, [1.0] * len(page.segments.runs), pool, Stock(), ("b", html))

    copy = made()
    assert copy is not None
    assert copy == made()
    assert "<title>Quay</title>" in copy[0]
    assert "storm" in copy[0] or "Well said" in copy[0]
    assert 60 <= len(copy[1].split()) <= len(several.split())


def test_a_harder_article_may_stand_among_texts_of_its_site() -> None:
    several = "".join(f"<p>{n} {PARAGRAPH}</p>" for n in range(20))
    html = f"<head><title>Quay</title></head><main><article>{several}</article></main>"
    stock = Stock()
    stock.add(
        measured(f"<h1>Roof of the school lost</h1><p>{PARAGRAPH}</p>"),
        f"{PARAGRAPH}\n" * 5,
        "article",
    )
    stock.add(measured(), f"I do not agree. {PARAGRAPH}", "forum")
    labels = [1.0] * len(measured(html).segments.runs)
    copies = [harden(measured(html), labels, ["<p>x</p>"], stock, (str(n), html)) for n in range(9)]

    assert any(
        copy and ("Roof of the" in copy[0] or "I do not agree" in copy[0]) for copy in copies
    )
    assert not any(copy and "I do not agree" in copy[1] for copy in copies)


SECTIONS = f"""<body><h1>The old mole</h1><div class=a><p>{PARAGRAPH}</p><p>Short</p><p>Short too</p>
<p>{PARAGRAPH} So.</p></div><h2><a href=/1>A linked heading</a></h2><p>{PARAGRAPH} Then.</p>
<h3>Related</h3><p>One more</p></body>"""


def values(name: str) -> list[float]:
    page = measured(SECTIONS)
    place = RUN_NAMES.index(name)
    return [row[place] for row in measure_context(page).rows(range(len(page.segments.runs)))]


def test_the_last_heading_before_a_run_is_told() -> None:
    assert values("last_words") == [-1, 3, 3, 3, 3, 3, 3, 3, 1]
    assert values("last_runs") == [30, 1, 2, 3, 4, 5, 1, 2, 1]
    assert values("last_level") == [0, 1, 1, 1, 1, 1, 2, 2, 3]
    assert values("high_headings") == [0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert values("linked_headings") == [0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_the_most_short_runs_between_two_long_ones_are_told() -> None:
    assert values("widest_gap") == [0, 0, 0, 0, 2, 2, 2, 2, 2]


def test_a_sign_late_on_the_page_is_told_from_itself_on() -> None:
    after = values("after_related")

    assert after[:7] == [-1] * 7
    assert after[7] == 0 < after[8]


def test_a_run_is_measured_alike_alone_and_among_all() -> None:
    page = measured(SECTIONS)
    measures = feature_rows.measure_page(page, [0.0] * len(KINDS))
    every = list(html_run_rows(page, [0.0] * len(KINDS)))

    assert [next(measures.rows([place])) for place in range(len(every))] == every


def test_distances_begin_with_one_step_on_both_sides() -> None:
    anchor = Anchor(first=2, last=4, box=0, path={})

    assert anchor.run_distances(range(6)) == [-log1p(2), -log1p(1), 0, 0, log1p(1), log1p(2)]


def test_a_box_in_a_group_has_the_largest_above_it_and_the_steps_to_the_nearest() -> None:
    rows = "".join(
        f"<li class=row><p>{PARAGRAPH}</p><i>x</i><p><b>y</b></p></li>" for _ in range(4)
    )
    page = measured(f"<body><ul>{rows}</ul></body>")
    box = next(number for number, box in enumerate(page.segments.boxes) if box.tag == "p")
    repeats = page.repeats

    assert repeats.steps[box] == 1
    assert repeats.largest[box] == repeats.groups[repeats.nearest[box]] == repeats.groups[1]
    assert len(repeats.members[1]) == 4


def test_a_box_is_named_by_its_class_its_id_and_its_role() -> None:
    boxes = ("class=comments", "id=comments", "role=comments", "title=comments")
    page = measured("<body>" + "".join(f"<div {box}>x</div>" for box in boxes) + "</body>")

    owns = [box.own for box in page.segments.boxes[1:]]

    assert owns[0] == owns[1] == owns[2] != 0 == owns[3]


def test_links_are_told_of_near_and_far_runs_each_by_itself() -> None:
    page = measured("<body><a href=/1>x</a>" + "<p>x</p>" * 15 + "</body>")
    window = NUMBERS.index(
        ("window8_longs", "window8_links", "window8_words", "window20_longs", "window20_links")
    )

    last = list(html_run_rows(page, [0.0] * len(KINDS)))[15][0][window]

    assert last[1] == 0 < last[4] == 1 / 16


def test_the_own_text_ends_where_its_part_ends_and_other_parts_tell_their_heading() -> None:
    other = f"<div><h2><a href=/1>Another</a></h2><p>May 5, 2024</p><p>{PARAGRAPH}</p></div>"
    own = f"<div class=text><h1>The mole</h1><div><p>{PARAGRAPH}</p><p>So</p></div></div>"
    page = measured(f"<body><p>News</p><main>{own}{other}</main><p>End</p></body>")
    context = measure_context(page)
    side = RUN_NAMES.index("own_side")
    parts = [BOX_NAMES.index(name) for name in ("part_heading", "part_dated")]
    rows = list(context.box_rows([run.box for run in page.segments.runs]))

    sides = [row[side] for row in context.rows(range(len(page.segments.runs)))]

    assert sides == [0, 1, 1, 1, 3, 3, 3, 3]
    assert [[row[part] for part in parts] for row in rows[4:]] == [[2, 1]] * 3 + [[0, 0]]

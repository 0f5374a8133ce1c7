"""Pages of other languages say what stands around the content in words of their own."""

import pytest
from turbohtml import parse

from training.columns import RUN_NAMES
from webseam.adapters.reader.measures.context_features import measure_context
from webseam.adapters.reader.measures.page_features import (
    MeasuredPage,
    measure_opened,
    open_document,
)
from webseam.adapters.reader.measures.signs import page_words

from .read import PARAGRAPH, page

CHINESE = "潮水退了以后，港口的船都靠在岸边，渔民们把网晒在石堤上，等着傍晚再一次出海。城里的人说，今年的收成比去年好得多。"
HEADLINES = (
    "秋天的第一场雨来了",
    "老城区的灯又亮起来",
    "他们把旧船修好了",
    "海边的学校重新开学",
    "市场里的鱼价又涨了",
)


def measured(html: str) -> MeasuredPage:
    whole = measure_opened(open_document(parse(html, positions=False)), "")
    assert whole is not None
    return whole


@pytest.mark.parametrize(
    ("heading", "is_related"),
    [
        ("Das könnte Sie auch interessieren", True),
        ("Schlagwörter: Hafen", True),
        ("Artikel teilen", True),
        ("À lire également", True),
        ("Vous pourriez aussi aimer", True),
        ("También te puede interesar", True),
        ("Você também pode gostar", True),
        ("Potrebbe interessarti anche", True),
        ("Dit vind je misschien ook leuk", True),
        ("Läs också", True),
        ("Lue myös", True),
        ("Zobacz również", True),
        ("Mohlo by vás zajímat", True),
        ("Kapcsolódó cikkek", True),
        ("Citește și", True),
        ("Читайте также", True),
        ("Вам может понравиться", True),
        ("Читайте також", True),
        ("Σχετικά άρθρα", True),
        ("İlgili haberler", True),
        ("اقرأ أيضا", True),
        ("כתבות נוספות", True),
        ("यह भी पढ़ें", True),
        ("Baca juga", True),
        ("Xem thêm", True),
        ("ข่าวที่เกี่ยวข้อง", True),
        ("관련 기사", True),
        ("あわせて読みたい", True),
        ("为您推荐", True),
        ("猜你喜欢", True),
        ("熱門新聞", True),
        ("The tides of the year", False),
        ("Die Gezeiten des Jahres", False),
        ("潮水的故事", False),
    ],
)
def test_a_heading_says_what_follows_in_any_language(heading: str, *, is_related: bool) -> None:
    whole = measured(f"<p>{PARAGRAPH}</p><div><h3>{heading}</h3><p>{PARAGRAPH}</p></div>")

    assert bool(whole.signs.scopes) == is_related


def test_a_title_is_found_on_the_page_where_a_script_has_no_blanks() -> None:
    whole = measured(
        "<title>渔民们在港口等着潮水-海边日报</title><h3>海边日报的新闻</h3>"
        f"<h3>渔民们在港口等着潮水</h3><p>{CHINESE}</p>"
    )
    rows = measure_context(whole).rows([0, 1, 2])
    distances = [row[RUN_NAMES.index("title_distance")] for row in rows]

    assert distances[0] < 0 == distances[1] < distances[2]


def test_an_article_ends_where_its_language_says_so() -> None:
    items = "".join(f"<li><a href=/{line}>{line}</a></li>" for line in HEADLINES)
    body = "".join(f"<p>{number}月，{CHINESE}</p>" for number in range(1, 7))
    content = page(
        f"<title>港口的秋天</title><div><h1>港口的秋天</h1>{body}</div>"
        f"<div><h3>为您推荐</h3><ul>{items}</ul></div>"
    ).content

    assert content.count(CHINESE) == 6
    assert not any(line in content for line in HEADLINES)


@pytest.mark.parametrize(
    ("text", "words"),
    [("", []), ("潮", ["潮"]), ("潮水", ["潮水"]), ("Über ALLES", ["über", "alles"])],
)
def test_words_are_what_blanks_part_or_two_letters(text: str, words: list[str]) -> None:
    assert page_words(text) == words

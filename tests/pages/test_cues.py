"""Pages of other languages say what stands around the content in words of their own."""

import pytest
from turbohtml import parse

from webseam.adapters.documents.reader.features.context_features import (
    RUN_NAMES,
    measure_context_features,
)
from webseam.adapters.documents.reader.features.page_features import (
    MeasuredPage,
    measure_opened,
    open_document,
)
from webseam.adapters.documents.reader.features.signs import COMMENTS, RELATED, page_words

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
    ("heading", "meaning"),
    [
        ("Das könnte Sie auch interessieren", RELATED),
        ("Schlagwörter: Hafen", RELATED),
        ("Artikel teilen", RELATED),
        ("À lire également", RELATED),
        ("Vous pourriez aussi aimer", RELATED),
        ("También te puede interesar", RELATED),
        ("Você também pode gostar", RELATED),
        ("Potrebbe interessarti anche", RELATED),
        ("Dit vind je misschien ook leuk", RELATED),
        ("Läs också", RELATED),
        ("Lue myös", RELATED),
        ("Zobacz również", RELATED),
        ("Mohlo by vás zajímat", RELATED),
        ("Kapcsolódó cikkek", RELATED),
        ("Citește și", RELATED),
        ("Читайте также", RELATED),
        ("Вам может понравиться", RELATED),
        ("Читайте також", RELATED),
        ("Σχετικά άρθρα", RELATED),
        ("İlgili haberler", RELATED),
        ("اقرأ أيضا", RELATED),
        ("כתבות נוספות", RELATED),
        ("यह भी पढ़ें", RELATED),
        ("Baca juga", RELATED),
        ("Xem thêm", RELATED),
        ("ข่าวที่เกี่ยวข้อง", RELATED),
        ("관련 기사", RELATED),
        ("あわせて読みたい", RELATED),
        ("为您推荐", RELATED),
        ("猜你喜欢", RELATED),
        ("熱門新聞", RELATED),
        ("Schreibe einen Kommentar", COMMENTS),
        ("Laissez un commentaire", COMMENTS),
        ("3 comentários", COMMENTS),
        ("Lascia un commento", COMMENTS),
        ("Geef een reactie", COMMENTS),
        ("Dodaj komentarz", COMMENTS),
        ("Комментарии (12)", COMMENTS),
        ("Yorumlar", COMMENTS),
        ("التعليقات", COMMENTS),
        ("Bình luận", COMMENTS),
        ("댓글 5", COMMENTS),
        ("コメント", COMMENTS),
        ("网友评论", COMMENTS),
        ("The tides of the year", 0),
        ("Die Gezeiten des Jahres", 0),
        ("潮水的故事", 0),
    ],
)
def test_a_heading_says_what_follows_in_any_language(heading: str, meaning: int) -> None:
    whole = measured(f"<p>{PARAGRAPH}</p><div><h3>{heading}</h3><p>{PARAGRAPH}</p></div>")

    assert [scope.what for scope in whole.signs.scopes] == ([meaning] if meaning else [])


def test_a_title_is_found_on_the_page_where_a_script_has_no_blanks() -> None:
    whole = measured(
        "<title>渔民们在港口等着潮水-海边日报</title><h3>海边日报的新闻</h3>"
        f"<h3>渔民们在港口等着潮水</h3><p>{CHINESE}</p>"
    )
    rows = measure_context_features(whole).rows([0, 1, 2])
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

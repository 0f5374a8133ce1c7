"""Vietnamese: its words are syllables with blanks between, and are found as two of them."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.query import plan_query
from webseam.adapters.language.stems import likely_syllable_pairs
from webseam.adapters.language.tokenising import text_terms
from webseam.ports import WebSearchQuery

from .shelf import shelf, urls

USED = (
    "Mỗi người sử dụng một cuốn lịch: lịch treo tường thì dễ sử dụng, và lịch bàn cũng được "
    "sử dụng trong nhà của các gia đình."
)
PAST = (
    "Trong thành phố này có nhiều ngôi nhà cổ và những con đường hẹp ở bên sông, được các người "
    "dân xây từ trước. Bảo tàng kể lại lịch sử của vùng đất với những bức tranh và nhiều đồ vật."
)
ENGLISH = "The history of the town is told in the old house by the river."


def _documents(language: str | None) -> list[IndexDocument]:
    texts = {"used": USED, "past": PAST, "english": ENGLISH}
    return [
        IndexDocument(
            url=f"https://{name}.example/",
            text=text,
            language=language if name != "english" else None,
        )
        for name, text in texts.items()
    ]


@pytest.mark.parametrize("language", ["vi", "vi-VN", None])
@pytest.mark.parametrize("query", ["lịch sử", "Lịch sử là gì?", "lich su", "LỊCH SỬ"])
def test_a_word_of_two_syllables_counts_more_than_each_of_them(
    tmp_path: Path, query: str, language: str | None
) -> None:
    index = shelf(tmp_path, *_documents(language))

    assert urls(index, query) == ["https://past.example/", "https://used.example/"]


def test_both_syllables_are_bold(tmp_path: Path) -> None:
    index = shelf(tmp_path, *_documents("vi"))

    row, _ = index.search(WebSearchQuery(query="lịch sử")).unwrap()

    assert "kể lại **lịch** **sử** của" in str(row["snippet"])


def test_a_quoted_word_is_found_as_it_stands(tmp_path: Path) -> None:
    index = shelf(tmp_path, *_documents("vi"))

    assert urls(index, '"lịch sử"') == ["https://past.example/"]
    assert urls(index, '"sử lịch"', max_results=1) != []  # one by one


def test_other_languages_make_no_pairs(tmp_path: Path) -> None:
    index = shelf(tmp_path, *_documents("vi"))

    assert urls(index, "house by the river") == ["https://english.example/"]
    assert plan_query("lịch sử").pairs == ()
    assert plan_query("history of bridges", ("en", "vi")).pairs == ()
    assert plan_query("lịch sử", ("en", "vi")).pairs == ("lich_su",)


def test_english_function_words_are_searched_in_other_languages() -> None:
    assert plan_query("in ấn", ("en", "vi")).terms == ("in", "an")
    assert plan_query("bu da bir at mi", ("en", "tr")).terms == ("at",)
    assert plan_query("what is in the box", ("en", "tr", "vi")).terms == ("box",)


def test_marks_tell_that_a_query_is_vietnamese() -> None:
    query = "Super Bowl năm 2016 được tổ chức"

    assert likely_syllable_pairs(query, text_terms(query, "vi"))[:2] == ["super_bowl", "bowl_nam"]
    assert likely_syllable_pairs("super bowl", ["super", "bowl"]) == []

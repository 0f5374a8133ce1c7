"""A single character or syllable is found wherever it stands, and where it stands most first."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.passage_terms import ending_sign_marks

from .shelf import shelf, urls

TEXTS = {
    "once": "庭に犬がいる。猫は三匹いて、鳥はいない。",
    "often": "犬の家。犬は走る。犬と犬が遊ぶ。",
    "last": "これは私の犬。",
    "alone": "犬、猫",
    "none": "猫だけがいる。",
}
DOCUMENTS = [
    IndexDocument(url=f"https://{name}.example/", text=text, language="ja")
    for name, text in TEXTS.items()
]


def test_a_sign_is_found_wherever_it_stands_and_where_it_stands_most_first(tmp_path: Path) -> None:
    found = urls(shelf(tmp_path, *DOCUMENTS), "犬")

    assert found[0] == "https://often.example/"
    assert set(found) == {f"https://{name}.example/" for name in TEXTS if name != "none"}


def test_a_sign_that_must_be_there_or_must_not_be_is_looked_for_everywhere(tmp_path: Path) -> None:
    index = shelf(tmp_path, *DOCUMENTS)

    assert set(urls(index, "猫 -犬")) == {"https://none.example/"}
    assert "https://last.example/" in urls(index, "+犬 私の")
    assert "https://none.example/" not in urls(index, "+犬 猫")


@pytest.mark.parametrize(
    ("text", "query"),
    [("บ้านมีไฟ", "ไฟ"), ("ไฟไหม้", "ไฟ"), ("ดื่มน้ำ", "น้ำ"), ("새 책", "책"), ("책을 읽다", "책")],
)
def test_a_syllable_is_found_at_the_beginning_and_at_the_end(
    tmp_path: Path, text: str, query: str
) -> None:
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text=text))

    assert urls(index, query) == ["https://a.example/"]


def test_marks_are_of_signs_that_end_a_run() -> None:
    assert ending_sign_marks("子犬。犬 と 猫, plain text; ดื่มน้ำ") == ["]犬", "]猫", "]น้ํา"]
    assert ending_sign_marks("nothing, nor の") == []


def test_a_sign_that_nearly_all_have_is_found_by_its_commonest_pair_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webseam.adapters.features.index.ranking.candidates.MAX_LISTED_PASSAGES", 0)

    assert len(urls(shelf(tmp_path, *DOCUMENTS), "犬")) == 4

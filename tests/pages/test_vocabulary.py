"""What class names say a box is for, in whatever language its site names its parts."""

import re

import pytest

from webseam.adapters.reader.measures.vocabulary import GROUPS, PATTERNS_BY_GROUP, name_mask

BITS = {name: 1 << place for place, name in enumerate(GROUPS)}


@pytest.mark.parametrize(
    ("names", "group"),
    [
        ("leser-kommentare", "comments"),
        ("listaComentarios", "comments"),
        ("reacties", "comments"),
        ("pinglun", "comments"),
        ("werbung_oben", "advert"),
        ("publicite", "advert"),
        ("meistgelesen", "related"),
        ("noticias-relacionadas", "related"),
        ("articoli correlati", "related"),
        ("artikel-inhalt", "content"),
        ("contenuto", "content"),
        ("cuerpo-noticia", "content"),
        ("zhengwen", "body"),
        ("autor", "author"),
        ("datumszeile", "meta"),
        ("vorspann", "description"),
        ("compartir", "share"),
        ("impressum", "footer"),
    ],
)
def test_parts_are_known_by_names_of_other_languages(names: str, group: str) -> None:
    assert name_mask(names) & BITS[group]


@pytest.mark.parametrize(
    ("names", "group"),
    [
        ("correlation-chart", "related"),
        ("compartment", "share"),
        ("reactive", "comments"),
        ("autoroute", "author"),
        ("rubric", "meta"),
        ("marginal-cost", "aside"),
    ],
)
def test_english_words_that_look_like_them_are_not(names: str, group: str) -> None:
    assert not name_mask(names) & BITS[group]


@pytest.mark.parametrize(("place", "pattern"), list(enumerate(PATTERNS_BY_GROUP.values())))
def test_every_word_of_a_group_is_found_by_how_it_begins(place: int, pattern: str) -> None:
    parts = (re.fullmatch(r"\^?([a-z]+)\$?", part) for part in pattern.split("|"))
    words = [found[1] for found in parts if found]

    missed = [word for word in words if not name_mask(word) >> place & 1]

    assert words
    assert missed == []

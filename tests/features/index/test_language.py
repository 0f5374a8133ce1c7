"""Words as the index sees them."""

from operator import itemgetter

import pytest
import Stemmer

from webseam.adapters.language.folding import fold_letters, fold_with_offsets
from webseam.adapters.language.scripts import (
    SCRIPT_CLUSTER_PATTERN,
    UNSPACED_PATTERN,
    find_words,
    has_unspaced,
    word_pattern,
)
from webseam.adapters.language.stems import (
    SNOWBALL_ALGORITHMS,
    STEMMER_LANGUAGES,
    stem_word,
    stemmer_language,
)
from webseam.adapters.language.term_positions import (
    TermPattern,
    first_positions,
    term_runs,
    unspaced_positions,
    word_positions,
    written_forms,
)
from webseam.adapters.language.tokenising import content_terms, terms_of_word, text_terms

# What Snowball's own "english" stemmer gives for these.
STEMS = {
    "": "", "by": "by", "sky": "sky", "skies": "sky", "dying": "die", "cats": "cat", "gas": "gas",
    "this": "this", "caresses": "caress", "ties": "tie", "cries": "cri", "gaps": "gap",
    "kiwis": "kiwi", "virus": "virus", "agreed": "agre", "feed": "feed", "proceed": "proceed",
    "inning": "inning", "evenings": "evening", "hopping": "hop", "hoping": "hope", "adding": "add",
    "luxuriated": "luxuri", "troubled": "troubl", "sized": "size", "falling": "fall", "bed": "bed",
    "happy": "happi", "cry": "cri", "say": "say", "youth": "youth", "boyish": "boyish",
    "relational": "relat", "conditional": "condit", "digitizer": "digit", "vietnamization":
    "vietnam", "analogously": "analog", "apology": "apolog", "biologist": "biolog",
    "pedagogi": "pedagogi", "sensibly": "sensibl", "formally": "formal", "really": "realli",
    "electrical": "electr", "hopeful": "hope", "goodness": "good", "formative": "format",
    "negative": "negat", "adoption": "adopt", "region": "region", "adjustment": "adjust",
    "replacement": "replac", "probate": "probat", "rate": "rate", "controlling": "control",
    "roll": "roll", "generously": "generous", "communism": "communism", "universe": "univers",
    "paste": "paste", "internal": "internal", "organization": "organiz", "yoke": "yoke",
    "playing": "play", "knightly": "knight", "rationalli": "ration",
}  # fmt: skip


def test_an_english_word_has_the_stem_that_snowball_gives() -> None:
    assert {word: stem_word(word) for word in STEMS} == STEMS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The CAFÉ's menu", ["the", "cafe", "menu"]),
        ("don\u2019t \u201cquote\u201d \u2014 me", ["don", "quot", "me"]),
        ("read_html(v3.11)", ["read", "html", "v3", "11"]),
        ("Straße größer", ["strass", "grosser"]),
        ("東京都へ go", ["東京", "京都", "都へ", "go"]),
        ("v東2 ก", ["v", "東", "2", "ก"]),
        ("Москва 2026", ["москва", "2026"]),
        ("!?\x00\ud800", []),
        ("हिन्दी भाषा, में।", ["हिंदी", "भाषा", "में"]),
        ("한국어를 배우는 책", ["한국", "국어", "어를", "배우", "우는", "책"]),
        ("co\xadoperation\u200b", ["cooper"]),
        ("தமிழ்!", ["தமிழ்"]),
        ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
        ("ท่วมกรุง", ["ท่ว", "วม", "มก", "กรุ", "รุง"]),
    ],
)
def test_a_text_is_the_terms_of_its_words(text: str, expected: list[str]) -> None:
    assert text_terms(text) == expected


@pytest.mark.parametrize(
    ("text", "language", "looked_for", "places"),
    [
        ("Größe, running; RUN", "en", ["run", "gross"], ["Größe", "running", "RUN"]),
        ("Die Häuser, das Haus, Hausbau", "de", ["haus"], ["Häuser", "Haus"]),
        ("SGML文書とsgml、xsgml", "en", ["sgml"], ["SGML", "sgml"]),
        ("भाषा भाषाओं", "hi", text_terms("भाषा", "hi"), ["भाषा", "भाषाओं"]),
    ],
)
def test_words_are_found_where_they_stand(
    text: str, language: str, looked_for: list[str], places: list[str]
) -> None:
    found = sorted(
        word_positions(text, TermPattern(frozenset(looked_for)), language), key=itemgetter(0)
    )

    assert [text[start:end] for start, end, _ in found] == places


@pytest.mark.parametrize(
    "text",
    [
        "Das „Haus“ \u2013 3² §§",
        "ёлка, дом_и»",
        "a\u0301 é",
        "\ud800x",
        "हिन्दी में",
        "x\x1cy\x85z",
        "서울, 한국",
        "كتابٌ، مدرسـة؛ ٣٤ \u200fنعم؟",
        "۱۲ خانهٔ من",
        "בית־ספר שָׁלוֹם",
        "घर। १२ ॥ ॐ",
    ],
)
def test_words_are_the_same_by_bytes_and_by_pattern(text: str) -> None:
    assert find_words(text) == word_pattern(text).findall(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("か\u3099ギ", "がギ"),
        ("ＡＢ東ｶﾞ", "ab東ガ"),
        ("东É\u0301京İ", "东e京i"),
        ("ผู้ทำ", "ผู้ท\u0e4dา"),
        ("ก\u0e48\u0e38", "ก\u0e38\u0e48"),
        ("가\u11a8東", "각東"),
    ],
)
def test_scripts_without_blanks_are_folded_run_by_run_as_they_are_whole(
    text: str, expected: str
) -> None:
    assert fold_letters(text) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [("ทำ東京", "東京"), ("ﾊﾟ東京", "東京"), ("(株)㈱東京", "東京"), ("か\u3099東京", "東京")],
)
def test_a_folded_character_knows_where_it_came_from(text: str, part: str) -> None:
    plain = fold_with_offsets(text)
    start, original = plain.text.index(part), text.index(part)

    assert plain.original_span(start, start + 1) == (original, original + 1)


def test_words_that_only_build_a_sentence_tell_nothing() -> None:
    assert content_terms(text_terms("What is the capital of France, the capital?")) == [
        "capit",
        "franc",
    ]
    assert content_terms(text_terms("to be or not to be")) == ["to", "be", "or", "not"]


def test_folding_is_idempotent() -> None:
    assert fold_letters(fold_letters("ÀÉ\u2019ﬁ")) == fold_letters("ÀÉ\u2019ﬁ")


def test_every_language_of_the_stemmer_has_a_tag() -> None:
    older = {"porter", "dutch_porter"}

    assert set(SNOWBALL_ALGORITHMS.values()) == set(Stemmer.algorithms()) - older


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Häuser", "Hauses"),
        ("fr", "chevaux", "cheval"),
        ("es", "canciones", "canción"),
        ("ru", "книгами", "книга"),
        ("sv", "flickorna", "flickor"),
        ("it", "gatti", "gatto"),
        ("fi", "taloissa", "talo"),
        ("tr", "evlerde", "ev"),
    ],
)
def test_forms_of_a_word_are_one_term_in_its_language(language: str, one: str, other: str) -> None:
    assert text_terms(one, language) == text_terms(other, language)


@pytest.mark.parametrize("language", sorted(STEMMER_LANGUAGES))
def test_a_term_has_no_blank_and_is_found_where_the_word_stands(language: str) -> None:
    text = "Über 2026 l\u2019été, книги κόσμος naïve हिन्दी"

    spanned = [term for word in find_words(text) for term in terms_of_word(word, language)]

    assert spanned == text_terms(text, language)
    assert not any(set(term) & set(" .@/\n") for term in spanned)


def test_a_tag_that_nobody_knows_is_english() -> None:
    assert [stemmer_language(tag) for tag in ("zh-Hans", "", "x", "nb-NO", " DE ")] == [
        "en",
        "en",
        "en",
        "nb",
        "de",
    ]


@pytest.mark.parametrize(
    ("text", "term", "places"),
    [
        ("東京都と東京", "東京", ["東京", "東京"]),
        ("น้ำท่วม ทำ", "ท่ว", ["ท่ว"]),
        ("とん と", "と", ["と"]),
        ("犬と 犬", "犬", ["犬", "犬"]),
        ("x", "東京", []),
    ],
)
def test_a_term_without_blanks_is_found_where_it_stands(
    text: str, term: str, places: list[str]
) -> None:
    assert [text[start:end] for start, end, _ in unspaced_positions(text, [term])] == places


def test_a_word_of_hindi_is_found_in_its_other_forms() -> None:
    assert text_terms("भाषाओं", "hi") == text_terms("भाषा", "hi")


def test_voiced_kana_are_letters() -> None:
    assert text_terms("がぎ ペー") == ["がぎ", "ペー"]


def test_a_pair_is_another_one_when_a_mark_follows() -> None:
    assert text_terms("กนิ") == ["กนิ"]
    assert unspaced_positions("กนิ", ["กน"]) == first_positions("กนิ", written_forms(["กน"]), 1) == []


@pytest.mark.parametrize(
    ("text", "pairs", "runs"),
    [
        ("東京都と東京", ["東京", "京都"], ["東京都", "東京"]),
        ("น้ำท่วม ทำ", text_terms("น้ำท่วม"), ["น้ำท่วม"]),
        ("ｶﾞｷの犬", ["ガキ"], ["ｶﾞｷ"]),
        ("とん と", ["と"], ["と"]),
        ("x", ["東京"], []),
    ],
)
def test_terms_without_blanks_that_touch_are_one_run(
    text: str, pairs: list[str], runs: list[str]
) -> None:
    assert [text[start:end] for start, end in term_runs(text, written_forms(pairs))] == runs


def test_the_first_terms_that_a_text_has_are_found_as_they_are_written() -> None:
    places = first_positions("ทำงาน 東京", written_forms(["犬猫", *text_terms("ทำงาน"), "東京"]), 1)

    assert [(start, end) for start, end, _ in places] == [(0, 4)]


def test_words_of_thai_and_lao_are_cut_where_no_vowel_belongs_to_both_sides() -> None:
    assert text_terms("ประเทศไทย") == ["ประ", "ระเท", "เทศ", "ศไท", "ไทย"]
    assert text_terms("ປະເທດລາວ") == ["ປະເທ", "ເທດ", "ດລາ", "ລາວ"]


@pytest.mark.parametrize(("text", "pair"), [("เทศ", "ทศ"), ("ไทยา", "ไทย")])
def test_a_pair_is_another_one_when_a_vowel_belongs_to_it(text: str, pair: str) -> None:
    assert pair not in text_terms(text)
    assert unspaced_positions(text, [pair]) == first_positions(text, written_forms([pair]), 1) == []


def test_a_character_that_stands_for_several_words_counts_as_each() -> None:
    assert text_terms("½") == ["1", "2"]
    places = word_positions("a ½ cup", TermPattern(frozenset(("2", "cup"))), "en")

    assert sorted(places) == [(2, 3, frozenset(("2",))), (4, 7, frozenset(("cup",)))]


@pytest.mark.parametrize("word", ["ιστός", "όταν", "leri", "\u0591", "\u064b", "\u0640", "\u093c"])
def test_no_term_is_empty(word: str) -> None:
    for language in STEMMER_LANGUAGES:
        assert all(text_terms(word, language)), language
        assert all(terms_of_word(word, language)), language


def test_every_unspaced_character_is_found_and_none_in_western_text() -> None:
    western = bytes(range(256)).decode("cp1252", "ignore")
    wrong = [
        character
        for character in map(chr, (*range(0xD800), *range(0xE000, 0x31350)))
        if has_unspaced(f"– {character}") != (UNSPACED_PATTERN.search(character) is not None)
    ]

    assert wrong == []
    assert not has_unspaced(western)


def test_thai_is_split_into_clusters_of_letters() -> None:
    assert SCRIPT_CLUSTER_PATTERN.findall("ประเทศไทย") == ["ป", "ระ", "เท", "ศ", "ไท", "ย"]

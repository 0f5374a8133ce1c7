from webseam.adapters.language.detection import detect_stemmer_language
from webseam.adapters.language.folding import fold_letters
from webseam.adapters.language.function_words import (
    foreign_function_words,
    has_question_mark,
    is_question,
)
from webseam.adapters.language.scripts import SCRIPT_CLUSTER_PATTERN, ending_signs, is_script_sign
from webseam.adapters.language.spelling_variants import identifier_terms
from webseam.adapters.language.stems import likely_syllable_pairs, stem_word, stemmer_language
from webseam.adapters.language.symbols import find_sigils
from webseam.adapters.language.term_positions import term_runs, written_forms
from webseam.adapters.language.tokenising import (
    content_terms,
    lower_case_letters,
    normalise_spelling,
    strip_unseen_chars,
    text_terms,
)


def test_an_example_of_detect_stemmer_language() -> None:
    assert (
        detect_stemmer_language("Die Brücke wurde 1912 gebaut und ist die älteste der Stadt.")
        == "de"
    )
    assert detect_stemmer_language("Brücke über die Elbe") == "en"


def test_an_example_of_fold_letters() -> None:
    assert fold_letters("Über-Größe") == "uber-grosse"


def test_an_example_of_language_function_words() -> None:
    assert sorted(
        foreign_function_words(frozenset(("wie", "ist", "der", "berg")), ("en", "de"))
    ) == ["der", "ist", "wie"]
    assert (
        foreign_function_words(frozenset(("man", "in", "the", "war")), ("en", "de")) == frozenset()
    )


def test_an_example_of_has_question_mark() -> None:
    assert (has_question_mark("τι είναι το IMAP;"), has_question_mark("int deep;")) == (True, False)
    assert not has_question_mark("το IMAP; port 143")


def test_an_example_of_is_question() -> None:
    assert (
        is_question("how do heat pumps work", "en"),
        is_question("the pump is in the cellar", "en"),
    ) == (True, False)


def test_an_example_of_is_script_sign() -> None:
    assert (
        is_script_sign("犬"),
        is_script_sign("책"),
        is_script_sign("ไฟ"),
        is_script_sign("の"),
        is_script_sign("東京"),
    ) == (True, True, True, False, False)


def test_an_example_of_script_ending_signs() -> None:
    assert ending_signs("子犬。犬 と 猫, ห้องไฟ") == ["犬", "犬", "猫", "ไฟ"]


def test_an_example_of_script_cluster_pattern() -> None:
    assert SCRIPT_CLUSTER_PATTERN.findall("ประเทศไทย") == ["ป", "ระ", "เท", "ศ", "ไท", "ย"]


def test_an_example_of_identifier_terms() -> None:
    assert identifier_terms("Call getUserProfile of the UserProfileView, not of LibreOffice.") == [
        "get",
        "user",
        "profil",
        "user",
        "profil",
        "view",
    ]


def test_an_example_of_likely_syllable_pairs() -> None:
    assert likely_syllable_pairs("lich su of the heat", ["lich", "su", "of", "the", "heat"]) == [
        "lich_su",
        "the_heat",
    ]


def test_an_example_of_stemmer_language() -> None:
    assert [stemmer_language(tag) for tag in ("de-AT", "PT_br", "ja", None)] == [
        "de",
        "pt",
        "en",
        "en",
    ]


def test_an_example_of_stem_word() -> None:
    assert [stem_word(word) for word in ("running", "studies", "generously", "relational")] == [
        "run",
        "studi",
        "generous",
        "relat",
    ]
    assert stem_word("häuser", "de") == "haus"


def test_an_example_of_find_sigils() -> None:
    assert find_sigils("Use .NET, not a.net, in $HOME") == [".NET", "$HOME"]


def test_an_example_of_term_runs() -> None:
    assert term_runs("東京都と京都", written_forms(["東京", "京都"])) == [(0, 3), (4, 6)]


def test_an_example_of_strip_unseen_chars() -> None:
    assert strip_unseen_chars("co\xadoperation") == "cooperation"


def test_an_example_of_lower_case_letters() -> None:
    assert (lower_case_letters("İI", "tr") == "iı", lower_case_letters("İI", "de")) == (True, "ii")


def test_an_example_of_normalise_spelling() -> None:
    assert (
        normalise_spelling("łodz"),
        normalise_spelling("हिन्दी") == normalise_spelling("हिंदी"),
    ) == ("lodz", True)


def test_an_example_of_text_terms() -> None:
    assert text_terms("The café's RUNNING costs, 東京都") == [
        "the",
        "cafe",
        "run",
        "cost",
        "東京",
        "京都",
    ]
    assert text_terms("Die Häuser des Malers", "de") == ["die", "haus", "des", "mal"]


def test_an_example_of_content_terms() -> None:
    assert content_terms(text_terms("What is the capital of France?")) == ["capit", "franc"]

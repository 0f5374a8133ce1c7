"""Which language a text is in, by the words that build its sentences."""

import pytest

from webseam.adapters.language.detection import detect_stemmer_language
from webseam.adapters.language.function_words import FUNCTION_WORD_LANGUAGES, is_question
from webseam.adapters.language.stems import STEMMER_LANGUAGES

# Of its 31 words three build its sentences: the others have endings.
TURKISH = (
    "Köprü şehrin iki yakasını birbirine bağlar ve binlerce yolcu taşır. Yapımı üç yıl sürdü, çünkü "
    "nehrin suyu ilkbaharda yükselir. Bugün yanında bir müze ile küçük dükkânlar bulunur, "
    "balıkçılar sabahları oltalarını sarkıtır."
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge was built in 1912 and is the oldest one of the town.", "en"),
        ("Die Brücke wurde im Jahr 1912 gebaut und ist die älteste der Stadt.", "de"),
        ("Le pont a été construit en 1912 et il est le plus ancien de la ville.", "fr"),
        ("El puente fue construido en 1912 y es el más antiguo de la ciudad.", "es"),
        ("Мост был построен в 1912 году и это самый старый мост, который есть.", "ru"),
        ("Κάθε γέφυρα είναι μεγάλη και έχει πολλούς επισκέπτες από την Ελλάδα.", "el"),
        ("यह पुल बहुत बड़ा है और इसके पास कई लोग रहते हैं", "hi"),
        ("Köprü çok eski ve bu bir deniz gibi, ama daha güzel", "tr"),
        (TURKISH, "tr"),
        ("Cây cầu này được xây vào năm 1912 và là cây cầu cổ của thành phố.", "vi"),
        ("Brücke über die Elbe", "en"),
        ("Silta ylittää joen, jonka rannalla olivat kalastajat, kunnes jää lähtee", "fi"),
        ("Kylämäen sillä ylittävä käyntisilta", "fi"),
        ("Brücke, Mädchen, Häuser, Öfen", "en"),
        ("Ağrı Dağı, Diyarbakır", "tr"),
        ("Cây cầu cổ, phố", "vi"),
        ("Żółty most, Łódź", "pl"),
        ("bridge tower stone river water boat sail wind", "en"),
        ("東京都の橋は1912年に作られた", "en"),
        ("", "en"),
        ("Москва, улицы и дома", "ru"),
        ("ύδατα", "el"),
        ("किताबें", "hi"),
        ("الكتاب الجديد", "ar"),
        ("کتاب‌های گل", "fa"),
        ("the word Москва in a sentence", "en"),
    ],
)
def test_a_text_is_in_the_language_of_its_commonest_words(text: str, language: str) -> None:
    assert detect_stemmer_language(text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how do heat pumps work", "en"),
        ("is there a pump", "en"),
        ("i am looking for the pump", "en"),
        ("the pump, and what it costs", "en"),
        ("the pump of the house?", "en"),
        ("in welchem jahr die brücke gebaut wurde", "de"),
        ("yazar bu kitap için ne yazmış", "tr"),
        ("πόσο μεγάλη είναι η γέφυρα", "el"),
        ("η γέφυρα είναι μεγάλη;", "el"),
        ("الكتاب الجديد؟", "ar"),
    ],
)
def test_a_question_is_told_by_its_marks_and_how_it_begins(text: str, language: str) -> None:
    assert is_question(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("this is the pump that stands in the cellar", "en"),
        ("heat pumps; an introduction", "en"),
        ("die brücke, wie sie war", "de"),
        ("what wir haben", "de"),
        ("", "en"),
        ("橋の長さ", "en"),
    ],
)
def test_a_statement_is_no_question(text: str, language: str) -> None:
    assert not is_question(text, language)


def test_every_language_that_is_guessed_has_stems() -> None:
    assert STEMMER_LANGUAGES.issuperset(FUNCTION_WORD_LANGUAGES)

"""The lines that are shown of a passage: where they begin and end, and what is bold in them."""

import pytest

from webseam.adapters.features.index.ranking.snippets import Snippets, markdown_to_line
from webseam.adapters.language.symbols import symbol_terms
from webseam.adapters.language.tokenising import text_terms


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("needle " + "characteristically, " * 40, "characteristically, …"),
        ("needle " + "किताबें " * 60, " किताबें …"),
        ("needle " + "हैहै " * 80, " हैहै …"),
        ("needle" + "ก้" * 300, "ก้ …"),
        ("needle " + "e\u0301" * 300, "e\u0301 …"),
        ("needle " + "👩🏽\u200d🚀" * 100, "👩🏽\u200d🚀 …"),
        ("needle!" + "🇩🇪" * 5 + "x" * 400, "x …"),
        ("needle " + "x" * 400, "x …"),
    ],
)
def test_a_snippet_ends_between_words_or_at_least_between_characters(
    text: str, ending: str
) -> None:
    assert Snippets({"needl": 1.0}).make_snippet(text).endswith(ending)


@pytest.mark.parametrize("length", range(2, 9))
def test_a_snippet_begins_between_characters(length: int) -> None:
    shown = Snippets({"needl": 1.0}).make_snippet("กี่" * 200 + "x" * length + " needle " + "y" * 400)

    assert shown.startswith(("… กี่", "… x", "… **needle**"))


def test_the_last_word_that_was_looked_for_stays_in_the_snippet() -> None:
    text = f"needle {'word ' * 48}pump, {'word ' * 60}"

    assert "**pump**" in Snippets({"needl": 1.0, "pump": 1.0}).make_snippet(text)


@pytest.mark.parametrize(
    ("text", "query", "language", "shown"),
    [
        ("او می\u200cخواهم را گفت", "می\u200cخواهم", "fa", "او **می\u200cخواهم** را گفت"),
        ("کتاب\u200cهای خوب", "کتاب", "fa", "**کتاب\u200cهای** خوب"),
        (
            "Then 👨\u200d👩\u200d👧 came",
            "👨\u200d👩\u200d👧",
            "en",
            "Then **👨\u200d👩\u200d👧** came",
        ),
        ("See [it](https://a.example/b_(c)) there", "there", "en", "See it **there**"),
    ],
)
def test_a_snippet_marks_what_joiners_hold_together(
    text: str, query: str, language: str, shown: str
) -> None:
    looked_for = [*text_terms(query, language), *symbol_terms(query)]

    assert Snippets(dict.fromkeys(looked_for, 1.0)).make_snippet(text, language) == shown


_SENTENCES = (
    "# Lights of the coast\n\n"
    + "The lighthouse has a height of some metres. Its lamp is old. " * 6
    + "\n\n## Skerryvore\n\n*Skerryvore*, built by Stevenson, stands on a reef far out at sea. "
    + "Few ships pass it. " * 20
)


def test_a_snippet_shows_whole_sentences_with_the_rarest_words() -> None:
    worth = {"lighthous": 2.0, "height": 1.8, "skerryvor": 2.5}

    shown = Snippets(worth).make_snippet(_SENTENCES)

    sentences = shown.strip("… ").split(" … ")
    assert all(each[0] in "*TIF" and each.endswith(".") for each in sentences)
    assert "**Skerryvore**, built by Stevenson, stands on a reef far out at sea." in shown
    assert "The **lighthouse** has a **height** of some metres." in shown
    assert len(shown.replace("**", "")) < 340


def test_a_heading_and_an_item_do_not_run_into_what_follows() -> None:
    body = "# Pumps\n\nA heat pump\nmoves heat.\n\n- *one*, or\n- `two`\n\nEnd"

    assert Snippets({"end": 1.0}).make_snippet(body) == (
        "Pumps · A heat pump moves heat. · one, or · two · **End**"
    )


def test_a_heading_is_neither_glued_to_a_sentence_nor_fills_the_rest() -> None:
    filler = "Nothing else of this kind was ever seen on the whole long coast of the north. " * 4
    body = f"{filler}\n\nThe lighthouse is high.\n\n## Further reading\n\n{filler}"

    assert "The lighthouse is high. \xb7 Further reading \xb7 Nothing" in markdown_to_line(body)
    assert Snippets({"lighthous": 2.0}).make_snippet(body) == "… The **lighthouse** is high. …"


def test_an_ordinal_an_initial_and_a_title_end_no_sentence() -> None:
    fill = "Der Turm steht auf einem Riff im Meer, und nur wenige Schiffe kommen vorbei. " * 5
    body = f"{fill}Am 3. Mai fand J. Smith mit Dr. Adam, z. B. im Haus, die Lampe. {fill}"

    shown = Snippets({"lamp": 2.0}).make_snippet(body, "de")

    assert shown.startswith(
        "\u2026 Am 3. Mai fand J. Smith mit Dr. Adam, z. B. im Haus, die **Lampe**. Der"
    )


def test_a_snippet_has_no_blank_before_a_comma_or_a_full_stop() -> None:
    assert markdown_to_line("By Park , Kim\n, and Lee .\nEnd") == "By Park, Kim, and Lee. End"

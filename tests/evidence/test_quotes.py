"""Quotes: found where they stand, whole, by the declared normalisation and nothing else."""

import pytest
from returns.result import Failure

from webseam.kernel.features.evidence.normalisation import readable_text
from webseam.kernel.features.evidence.quotes import find_quote, searchable_page


def quoted(page: str, quote: str) -> str:
    """Return the words of the page that a quote stands for, or the reason why it is none."""
    found = find_quote(searchable_page(page), quote)
    if isinstance(found, Failure):
        return f"({found.failure()})"
    return page[found.unwrap().start : found.unwrap().end]


@pytest.mark.parametrize(
    ("page", "quote", "words"),
    [
        ("It was a cold day in May.", "It was a\ncold  day", "It was a cold day"),
        ("It was \u201ca cold day\u201d.", "It was 'a cold day'", "It was \u201ca cold day"),
        ("A bridge \u2014 the old one \u2014 fell.", "bridge - the old one", "bridge \u2014 the old one"),
        ("the ef\ufb01cient way is this", "the efficient way", "the ef\ufb01cient way"),
        ("a des\u00adcrip\u200btion of it all", "a description of it", "a des\u00adcrip\u200btion of it"),
        ("a descrip-\ntion of it all", "a description of it", "a descrip-\ntion of it"),
        ("a well-\nknown fact here", "a well-known fact", "a well-\nknown fact"),
        ("an Anglo-\nSaxon word here", "an Anglo-Saxon word", "an Anglo-\nSaxon word"),
        ("cafe\u0301 society of old", "caf\u00e9 society of old", "cafe\u0301 society of old"),
        ('**Bold** words and [a link](https://a.example/ "t") here', "Bold words and a link here", 'Bold** words and [a link](https://a.example/ "t") here'),
        ("words <b>in</b> HTML<br>and more", "words in HTML and more", "words <b>in</b> HTML<br>and more"),
        ("cited before[12] and after it", "cited before and after", "cited before[12] and after"),
        ("cited before[12] and after it", "cited before[12] and after", "cited before[12] and after"),
        ("cited before[12] and after it", "cited before[13] and after", "(not_in_page)"),
        ("| one cell | two cells |\n| --- | --- |\n| three | four |", "one cell two cells", "one cell | two cells"),
        ("# Heading of it\n\n- first item here\n- second item", "first item here\nsecond item", "first item here\n- second item"),
        ("It costs ~~$50~~ $40 in all shops", "It costs $40 in all shops", "It costs ~~$50~~ $40 in all shops"),
        ("It costs ~~$50~~ $40 in all shops", "It costs $50 $40 in all", "(not_in_page)"),
        ("Seen ![hidden words](a.png) and known", "hidden words are", "(not_in_page)"),
        ("Seen <!-- hidden words here --> and known", "hidden words here", "(not_in_page)"),
        ("An open <!-- comment hides nothing here", "hides nothing here", "hides nothing here"),
        ('[a]: https://a.example/ "hidden words here"\nSeen text', "hidden words here", "(not_in_page)"),
        ("Result<u32, E> is a type here", "Result<u32, E> is a type", "Result<u32, E> is a type"),
        ("The first rule is this one.", "\u201cthe first rule is this one\u201d", "The first rule is this one"),
        ("He said: the rule, it is this", "...the rule, it is this...", "the rule, it is this"),
        ("The rule, as all of them know, is this one here.", "The rule, as all ... is this one here", "The rule, as all of them know, is this one here"),
        ("The rule, which is not known, is this one here.", "The rule, which ... is this one here", "(not_in_page)"),
        ("The rule of the 12 wise men is this one here.", "The rule of the ... is this one here", "(not_in_page)"),
        ("The rule is known. Another one is this one here.", "The rule is known ... is this one here", "(not_in_page)"),
        ("The rule of all\n\nmen of old is this one here.", "The rule of all ... is this one here", "(not_in_page)"),
        ("\u041f\u0440\u0430\u0432\u0438\u043b\u043e \u0434\u043b\u044f \u0432\u0441\u0435\u0445 \u043b\u044e\u0434\u0435\u0439 \u044d\u0442\u043e \u0432\u043e\u0442 \u043e\u043d\u043e \u0441\u0430\u043c\u043e\u0435", "\u041f\u0440\u0430\u0432\u0438\u043b\u043e \u0434\u043b\u044f \u0432\u0441\u0435\u0445 ... \u044d\u0442\u043e \u0432\u043e\u0442 \u043e\u043d\u043e \u0441\u0430\u043c\u043e\u0435", "(not_in_page)"),
        ("The rule of all men is this one here.", "The rule ... of all ... is this", "(parts)"),
        ("The rule of them ... is this one here.", "The rule of them ... is this one", "The rule of them ... is this one"),
        ("the rule of it or the rule of it, all told, is this one here", "the rule of it ... is this one here", "the rule of it or the rule of it, all told, is this one here"),
        ("It rose by 5.2 million in all", "It rose by 5.2", "(not_in_page)"),
        ("It rose by 1,500 in all", "It rose by", "(too_short)"),
        ("It then rose by 1,500 in all", "It then rose by 1", "(not_in_page)"),
        ("They all met on 1 March in Cork", "They all met on 1", "(not_in_page)"),
        ("It is minus 5 degrees cold", "5 degrees cold", "(not_in_page)"),
        ("It cannot be true at all", "not be true at all", "(not_in_page)"),
        ("It is a non-toxic thing here", "toxic thing here", "(not_in_page)"),
        ("They can't be true at all", "They can't be true", "They can't be true"),
        ("Here they all can't be", "Here they all can", "(not_in_page)"),
        ("In the firm's own words", "In all of it", "(not_in_page)"),
        ("This is in the firm's words", "This is in the firm", "This is in the firm"),
        ("Temperature: -5 degrees now", "- 5 degrees now", "(not_in_page)"),
        ("A list:\n\n- 5 degrees now and here", "- 5 degrees now and here", "5 degrees now and here"),
        ("It was - 5 degrees now and here", "- 5 degrees now and here", "- 5 degrees now and here"),
        ("The rule of all, is this one here", "The rule of all ..., is this one here", "The rule of all, is this one here"),
        ("About the 5 degrees now and here", "- 5 degrees now and here", "(not_in_page)"),
        ("It was -5 degrees now and here", "-5 degrees now and here", "-5 degrees now and here"),
        ("\u8fd9\u5ea7\u6865\u4e8e1999\u5e74\u5efa\u6210\u5168\u957f\u767e\u7c73\u5de6\u53f3", "\u6865\u4e8e1999\u5e74\u5efa\u6210\u5168\u957f\u767e\u7c73", "\u6865\u4e8e1999\u5e74\u5efa\u6210\u5168\u957f\u767e\u7c73"),
        ("a [link](https://a.example/1) to it all", "a [link](https://a.example/2) to it", "(not_in_page)"),
        ("a [link](https://a.example/1) to it all", "a [link](https://a.example/1) to it", "a [link](https://a.example/1) to it"),
        ("word \u2014\u00a0word and a word", "word \u2014\nword and a word", "word \u2014\u00a0word and a word"),
        ("A range of 5 -10 things here", "A range of 5-10 things", "(not_in_page)"),
        ("A picture [of it all now](https://a.example/a.png) here", "of it all now", "(not_in_page)"),
        ("ABC is the name of it all", "aBC is the name of it", "(not_in_page)"),
        ("x" * 10, "x " * 700, "(too_long)"),
        ("a and b", "a and", "(too_short)"),
    ],
)  # fmt: skip
def test_a_quote_is_the_page_s_own_words(page: str, quote: str, words: str) -> None:
    assert quoted(page, quote) == words


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("The rate fell from 3.5 to 2", "The rate fell from 3"),
        ("The rate fell from 3 to 2 then", "The rate fell from 3"),
        ("It takes from 5 to 10 days", "10 days of it all"),
        ("It takes 5 to 10 days of it all", "10 days of it all"),
        ("It cost 5 to $10 million in all", "$10 million in all"),
        ("They then sold 1 234 of them", "They then sold 1"),
        ("They then sold 1\u202f234 of them", "They then sold 1"),
        ("They then sold 1 234 of them all", "234 of them all"),
        ("They then sold 1'234 of them", "They then sold 1"),
        ("They then sold 1_234 of them", "They then sold 1"),
        ("They then sold 1,234 of them", "They then sold 1,"),
        ("The road is 5 km long", "The road is 5"),
        ("It lasted for 5 years in all", "It lasted for 5"),
        ("It then did 120 km/h in all", "It then did 120 km"),
        ("It was then at 5 \u00b0C in all", "It was then at 5"),
        ("They had then 5 \u00b1 2 of them", "They had then 5"),
        ("They had then 5 and a half", "They had then 5"),
        ("They had then 5 1/2 of them", "They had then 5"),
        ("They had then 3 out of 5 of them", "They had then 3"),
        ("They had then 3 in 5 of them", "They had then 3"),
        ("They had then 500 or more", "They had then 500"),
        ("They had then 500+ of them", "They had then 500"),
        ("It then cost $5 in all shops", "It then cost $"),
        ("It cost USD 5 for all of them", "5 for all of them"),
        ("Some five million of them came", "Some five of them"),
        ("Then some five million of them", "Then some five"),
        ("Then 5 million of them came by", "million of them came by"),
        ("Es kamen dann 5 Millionen Leute", "Es kamen dann 5"),
        ("Il y en a alors 5 milliards", "Il y en a alors 5"),
        (
            "\u8fd9\u5ea7\u6865\u5168\u957f\u5341\u4e8c\u91cc\u6709\u6b64\u6709\u6b643\u4e07\u4eba",
            "\u8fd9\u5ea7\u6865\u5168\u957f\u5341\u4e8c\u91cc\u6709\u6b64\u6709\u6b643",
        ),
        ("The drink here is sugar-free", "The drink here is sugar"),
        ("The sugar**-free** drink is here", "free drink is here"),
        ("A sugar-free drink is all here", "free drink is all here"),
        ("All of it is at example.com", "All of it is at example"),
        ("They will and/or must do it all", "or must do it all"),
        ("All the money is for R&D now", "All the money is for R&"),
        ("They don't agree with it all", "t agree with it all"),
        ("It was on March 12 of all days", "12 of all days"),
    ],
)
def test_a_quote_that_cuts_a_word_or_a_figure_is_refused(page: str, quote: str) -> None:
    assert quoted(page, quote) == "(not_in_page)"


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("It is the river\u2014a long one", "It is the river"),
        ("It is the river - a long one", "It is the river"),
        ("| They then sold 1 | 234 |", "They then sold 1"),
        ("They opened it in 2019\n\n- May parade", "They opened it in 2019"),
        ("They opened it in 2019.Next year", "They opened it in 2019"),
        ("They opened it in 2019,then left", "They opened it in 2019"),
        ("They opened it,2019 was the year", "They opened it"),
        ("They opened it in 2019 and left", "They opened it in 2019"),
        ("A list of it:\n\n- 12 of all days", "12 of all days"),
        ("They paid about this: $12 of it all", "$12 of it all"),
    ],
)
def test_a_quote_that_ends_between_words_is_taken(page: str, quote: str) -> None:
    assert quoted(page, quote) == quote


def test_a_word_that_stands_cut_very_often_is_found_nowhere() -> None:
    assert quoted("many words hereto " * 80, "many words here") == "(not_in_page)"


def test_parts_that_stand_apart_very_often_are_found_nowhere() -> None:
    page = "the first part. " * 80 + "The second part."

    assert quoted(page, "the first part ... the second part") == "(not_in_page)"


@pytest.mark.parametrize("mark", ["[3]", "[^1]", " [note 2]", "\u30101\u2020source\u3011"])
def test_marks_that_a_model_adds_are_dropped_and_others_must_agree(mark: str) -> None:
    plain, marked = "The tide is high today.", "The tide is high[4] today."

    assert quoted(plain, f"The tide is high{mark} today") == "The tide is high today"
    assert quoted(marked, f"The tide is high{mark} today") == "(not_in_page)"
    assert quoted(marked, "The tide is high[4] today") == "The tide is high[4] today"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**Run** `webseam index --check` first.", "Run webseam index --check first."),
        ("It fell \u2014 slowly \u2014 from\n3 - 2.", "It fell \u2014 slowly \u2014 from 3 - 2."),
        ("- The [tide](https://a.example/t) is high [1].", "The tide is high."),
        ("The \ufb01rst\u2026", "The \ufb01rst\u2026"),
    ],
)
def test_a_sentence_is_shown_as_it_stands_without_its_marks(written: str, shown: str) -> None:
    assert readable_text(written) == shown

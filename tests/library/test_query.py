"""What a user typed, read as a plan."""

import pytest

from webseam.adapters.local.query import MOST_TERMS, Plan, plan


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", Plan()),
        ("solar panels", Plan(terms=("solar", "panel"))),
        ("solar Solar SOLAR", Plan(terms=("solar",), repeated=(("solar", 3),))),
        ("what is the sun", Plan(terms=("sun",))),
        ("the who", Plan(terms=("the", "who"))),
        ('"heat pump"', Plan(terms=("heat", "pump"), required=(("heat", "pump"),))),
        ("\u201cheat pump\u201d", Plan(terms=("heat", "pump"), required=(("heat", "pump"),))),
        ('"unclosed phrase', Plan(terms=("unclos", "phrase"))),
        ('""', Plan()),
        ("heat -gas", Plan(terms=("heat",), excluded=(("gas",),))),
        ("heat NOT gas", Plan(terms=("heat",), excluded=(("gas",),))),
        ('heat -"gas boiler"', Plan(terms=("heat",), excluded=(("gas", "boiler"),))),
        ("heat -5", Plan(terms=("heat", "5"))),
        ("use --verbose", Plan(terms=("use", "verbos"))),
        ("+heat pump", Plan(terms=("heat", "pump"), required=(("heat",),))),
        ("a1 AND b1", Plan(terms=("a1", "b1"), required=(("a1",), ("b1",)))),
        ("heat OR pump", Plan(terms=("heat", "pump"))),
        ("AND OR NOT", Plan()),
        ("config*", Plan(prefixes=("config",))),
        ("configuration*", Plan(prefixes=("configur",))),
        ("happy*", Plan(prefixes=("happy",))),
        ("a* *", Plan()),
        ("-config*", Plan(excluded=(("config",),))),
        ("pumps site:Heat.Example/x", Plan(terms=("pump",), sites=("heat.example",))),
        ("-site:a.example -site:a.example", Plan(excluded_sites=("a.example",))),
        ("site:", Plan(terms=("site",))),
        ("site:...", Plan()),
        ("e-mail", Plan(terms=("e", "mail"))),
    ],
)
def test_a_query_is_read_as(query: str, expected: Plan) -> None:
    assert plan(query) == expected


def test_a_query_without_end_is_cut() -> None:
    read = plan(" ".join(f"word{number}" for number in range(5000)))

    assert len(read.terms) == MOST_TERMS


PASTED = 'Do NOT use the "gold standard" AND wait for one two three four five six seven eight nine'


def test_in_a_text_that_was_pasted_quotes_and_operators_are_words() -> None:
    read = plan(PASTED)

    assert (read.required, read.excluded) == ((), ())
    assert read.terms[:4] == ("use", "gold", "standard", "wait")


def test_signs_and_sites_count_in_a_long_text_too() -> None:
    read = plan(f'{PASTED} +"heat pump" -gas site:a.example')

    assert (read.required, read.excluded) == ((("heat", "pump"),), (("gas",),))
    assert read.sites == ("a.example",)


def test_many_words_with_operators_between_them_are_no_text() -> None:
    read = plan(" AND ".join(f"word{number}" for number in range(20)))

    assert len(read.required) == 20

"""What a user typed, read as a plan."""

import pytest

from webseam.adapters.features.index.query import MAX_QUERY_TERMS, QueryPlan, plan_query


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", QueryPlan()),
        ("solar panels", QueryPlan(terms=("solar", "panel"))),
        ("solar Solar SOLAR", QueryPlan(terms=("solar",), repeated=(("solar", 3),))),
        ("what is the sun", QueryPlan(terms=("sun",))),
        ("the who", QueryPlan(terms=("the", "who"))),
        ('"heat pump"', QueryPlan(terms=("heat", "pump"), required=((("heat", "pump"),),))),
        (
            "\u201cheat pump\u201d",
            QueryPlan(terms=("heat", "pump"), required=((("heat", "pump"),),)),
        ),
        ('"unclosed phrase', QueryPlan(terms=("unclos", "phrase"))),
        ('""', QueryPlan()),
        ("heat -gas", QueryPlan(terms=("heat",), excluded=(("gas",),))),
        ("heat NOT gas", QueryPlan(terms=("heat",), excluded=(("gas",),))),
        ('heat -"gas boiler"', QueryPlan(terms=("heat",), excluded=(("gas", "boiler"),))),
        ("heat -5", QueryPlan(terms=("heat", "5"))),
        ("use --verbose", QueryPlan(terms=("use", "verbos", "=--verbose"))),
        ("+heat pump", QueryPlan(terms=("heat", "pump"), required=((("heat",),),))),
        ("a1 AND b1", QueryPlan(terms=("a1", "b1"), required=((("a1",),), (("b1",),)))),
        ("heat OR pump", QueryPlan(terms=("heat", "pump"))),
        (
            '"heat pump" OR "gas boiler" OR oven',
            QueryPlan(
                terms=("heat", "pump", "gas", "boiler", "oven"),
                required=((("heat", "pump"), ("gas", "boiler"), ("oven",)),),
            ),
        ),
        (
            'oven OR "heat pump" -gas',
            QueryPlan(
                terms=("oven", "heat", "pump"),
                required=((("oven",), ("heat", "pump")),),
                excluded=(("gas",),),
            ),
        ),
        (
            "a1 AND b1 OR c1",
            QueryPlan(terms=("a1", "b1", "c1"), required=((("b1",), ("c1",)), (("a1",),))),
        ),
        (
            '"C++" OR "C#"',
            QueryPlan(
                terms=("c", "=c++", "=c#"),
                repeated=(("c", 2),),
                required=((("=c++",), ("=c#",)),),
            ),
        ),
        (
            '"heat pump" OR boil*',
            QueryPlan(
                terms=("heat", "pump"),
                prefixes=("boil",),
                required=((("heat", "pump"), ("boil*",)),),
            ),
        ),
        ("+boil*", QueryPlan(prefixes=("boil",), required=((("boil*",),),))),
        ("NOT boil*", QueryPlan(excluded=(("boil*",),))),
        ("AND OR NOT", QueryPlan()),
        ("config*", QueryPlan(prefixes=("config",))),
        ("configuration*", QueryPlan(prefixes=("configur",))),
        ("happy*", QueryPlan(prefixes=("happy",))),
        ("a* *", QueryPlan()),
        ("-config*", QueryPlan(excluded=(("config*",),))),
        ("pumps site:Heat.Example/x", QueryPlan(terms=("pump",), sites=("heat.example",))),
        ("-site:a.example -site:a.example", QueryPlan(excluded_sites=("a.example",))),
        ("site:", QueryPlan(terms=("site",))),
        ("site:...", QueryPlan()),
        ('site:"a.example" pumps', QueryPlan(terms=("pump",), sites=("a.example",))),
        ("e-mail", QueryPlan(terms=("e", "mail"))),
    ],
)
def test_a_query_is_read_as(query: str, expected: QueryPlan) -> None:
    assert plan_query(query) == expected


def test_a_query_without_end_is_cut() -> None:
    query_plan = plan_query(" ".join(f"word{number}" for number in range(5000)))

    assert len(query_plan.terms) == MAX_QUERY_TERMS


PASTED = 'Do NOT use the "gold standard" AND wait for one two three four five six seven eight nine'


def test_in_a_text_that_was_pasted_quotes_and_operators_are_words() -> None:
    query_plan = plan_query(PASTED)

    assert (query_plan.required, query_plan.excluded) == ((), ())
    assert query_plan.terms[:4] == ("use", "gold", "standard", "wait")


@pytest.mark.parametrize("count", [6, 60])
def test_nothing_is_looked_for_by_words_that_build_sentences(count: int) -> None:
    words = " ".join(f"word{number}" for number in range(count))

    assert "you" not in plan_query(f"how do you {words}").terms
    assert "you" in plan_query(f"the pump that you see, {words}").framing


@pytest.mark.parametrize(
    ("query", "language", "terms"),
    [
        ("at yarışı", "tr", ("at", "yaris")),
        ("iş güvenliği", "tr", ("is", "guvenlik")),
        ("andere Häuser", "de", ("and", "haus")),
        ("the house by the river", "de", ("hous", "riv")),
    ],
)
def test_english_function_words_are_words_in_other_languages(
    query: str, language: str, terms: tuple[str, ...]
) -> None:
    assert plan_query(query, (language,)).terms == terms
    assert plan_query("the house", ("en", language)).terms[0] == "hous"


@pytest.mark.parametrize(
    ("query", "languages", "terms"),
    [
        ("Wer erfand Telefone?", ("de",), ("erfand", "telefon")),
        ("Wer erfand das Telefon?", ("en", "de"), ("erfand", "telefon")),
        ("Kaç at var?", ("tr",), ("at", "var")),
        ("Kuş nedir?", ("en", "tr"), ("kus",)),
        ("Wie kann ich Telefone finden?", ("de",), ("telefon", "find")),
        ("Comment puis-je lire l'article ?", ("fr",), ("lir", "articl")),
        ("l'histoire de la ville et d'un port", ("fr",), ("histoir", "vill", "port")),
        ("Πόσο κοστίζει;", ("el",), ("κοστ",)),
        ("Τι είναι LibreOffice;", ("el",), ("libreoffice",)),
        ("die hard", ("de",), ("die", "hard")),
    ],
)
def test_words_that_ask_are_not_looked_for(
    query: str, languages: tuple[str, ...], terms: tuple[str, ...]
) -> None:
    assert plan_query(query, languages).terms == terms


def test_a_long_text_is_read_by_the_rules_of_its_own_language() -> None:
    text = "The boats are sailing from the harbour, and the wind is in their sails. " * 6

    assert plan_query(text, ("en", "de", "fr")).terms == plan_query(text).terms
    assert plan_query("sailing", ("en", "de")).terms == ("sail", "sailing")


def test_signs_and_sites_count_in_a_long_text_too() -> None:
    query_plan = plan_query(f'{PASTED} +"heat pump" -gas site:a.example')

    assert (query_plan.required, query_plan.excluded) == (((("heat", "pump"),),), (("gas",),))
    assert query_plan.sites == ("a.example",)


@pytest.mark.parametrize(
    "text",
    [
        'The cells are exported to the file as "some cells".',
        "They came from the village -which nobody knew- to the market",
        "Pressing Ctrl +Shift opens one two three four five six seven eight nine windows",
        'Result = Round("heat pump", 1, "winter")',
        'Print "chosen: "+name',
        "Which of the menus has an Insert -command?",
        "Is the plan NOT here AND not there?",
        "The name (« cellar ») of the pump:",
        "The \u201eheat pump\u201c stands in the cellar",
        "THE DESIGN AND USE OF PUMPS FOR HEAT",
    ],
)
def test_signs_inside_of_a_text_are_part_of_it(text: str) -> None:
    query_plan = plan_query(text)

    single = [run for runs in query_plan.required for run in runs if run != ("chosen",)]
    assert (single, query_plan.excluded) == ([], ())


@pytest.mark.parametrize(
    "text",
    [
        '("heat pump" OR boiler) winter',
        'what is a "heat pump" in a house of the north?',
        'one two three four five six "heat pump"',
        "« heat pump » winter",
        "winter \u201cheat pump\u201d",
        "winter \u201cheat pump\u201d -gas",
        'is "heat pump" OR stove better in winter?',
        'ALL MODELS OF "HEAT PUMP" AND BOILER',
    ],
)
def test_quoted_words_are_required(text: str) -> None:
    assert ("heat", "pump") in plan_query(text).required[0]


@pytest.mark.parametrize(
    ("query", "required", "excluded"),
    [
        ("NASA AND ESA", ((("nasa",),), (("esa",),)), ()),
        ("HTTP AND TLS AND DNS AND SSH", None, ()),
        ("USB HUB NOT HDMI", (), (("hdmi",),)),
        ("cook the rice at home -cooker", (), (("cooker",),)),
        ("How do pumps work in winter? -gas", (), (("gas",),)),
        ("winter NOT \u201cheat pump\u201d stove", (), (("heat", "pump"),)),
        ("winter -\u201cheat pump\u201d stove", (), (("heat", "pump"),)),
    ],
)
def test_operators_of_a_query_are_no_text(
    query: str, required: tuple[object, ...] | None, excluded: tuple[object, ...]
) -> None:
    query_plan = plan_query(query)

    assert query_plan.excluded == excluded
    assert len(query_plan.required) == 4 if required is None else query_plan.required == required


def test_many_words_with_operators_between_them_are_no_text() -> None:
    query_plan = plan_query(" AND ".join(f"word{number}" for number in range(20)))

    assert len(query_plan.required) == 20


@pytest.mark.parametrize(
    ("query", "languages", "terms"),
    [
        ("Wie groß ist der Berg?", ("en", "de"), ("gross", "berg")),
        ("quelle est la hauteur du mont", ("en", "fr"), ("quell", "hauteur", "mont", "quel")),
        ("man in the war", ("en", "de"), ("man", "war")),
        ("die hard", ("en", "de"), ("die", "hard")),
        ("was ist das", ("en", "de"), ("was", "ist", "das")),
        ("Wie ist der", ("en",), ("wie", "ist", "der")),
    ],
)
def test_function_words_of_a_question_are_not_searched(
    query: str, languages: tuple[str, ...], terms: tuple[str, ...]
) -> None:
    assert plan_query(query, languages).terms == terms


def test_a_word_that_must_be_there_is_looked_for_though_it_builds_the_sentence() -> None:
    assert plan_query("+wie groß ist der Berg", ("en", "de")).required == ((("wie",),),)

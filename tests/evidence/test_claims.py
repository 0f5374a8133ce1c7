"""Claims against the page's sentences: the same words are supported, all others are not."""

import pytest

from webseam.kernel.features.evidence.claims import ClaimVerdict, check_claim, combine_verdicts
from webseam.kernel.features.evidence.page_view import view_page
from webseam.kernel.features.evidence.sentence_tokens import sentence_tokens
from webseam.ports.evidence import Support

SENTENCE = "In May 2021, Ada Brenner opened 12 shops in Cork, about 5 km from the sea."


def judge(claim: str, page: str = SENTENCE, quote: str = "") -> ClaimVerdict:
    start = page.index(quote) if quote else 0
    context = view_page(page).quote_context(start, start + len(quote) if quote else len(page))
    return check_claim(claim, [context], page)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        (SENTENCE, SENTENCE),
        (f"According to the page, {SENTENCE}", SENTENCE),
        ("3. The boat takes cars.", "- The boat takes cars."),
        ("It has 12 shops.", "It has twelve shops."),
        ("It's 5% of 1200 cars.", "It is 5 percent of 1,200 cars."),
        ("It cost $5 million.", "It cost $5,000,000."),
        ("It is 5 kilometres long.", "It is 5 km long."),
        ("It came on 3 March 2021.", "It came on March 3rd, 2021."),
        ("It is \u201cold\u201d \u2013 and **cheap**[3].", 'It is "old" \u2014 and cheap.'),
        ("The boat takes cars.", "However, the boat takes cars."),
        ("Moreover, the boat takes cars.", "The boat takes cars."),
        ("The boat takes cars.", "Therefore, the boat takes cars."),
        ("The boat takes cars.", "And the boat takes cars."),
        ("The boat takes, in fact, cars.", "The boat takes, in fact, cars."),
        ("Ada Brenner opened a shop.", "Ada Brenner, who is old, opened a shop."),
        ("The boat takes cars and it is old.", "The boat takes cars. It is old."),
        ("The boat takes cars. It is old.", "The boat takes cars. It is old."),
        ("Version 2.4.1 came at 10:30.", "Version 2.4.1 came at 10:30."),
        ("It grew by 3.50 million.", "It grew by 3.5 million."),
        ("Release 1.2.3 million is out.", "Release 1.2.3 million is out."),
    ],
)
def test_the_same_sentence_is_supported(claim: str, page: str) -> None:
    assert judge(claim, page).support.verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "page", "change"),
    [
        ("For over $100 some ferries go.", "For under $100 some ferries go.", ("under", "over")),
        ("For under $100 all ferries go.", "For under $100 some ferries go.", ("some", "all")),
        ("He worked here until May.", "He worked here since May.", ("since", "until")),
        ("The shop in Cork and Faro is old.", "The shop in Cork or Faro is old.", ("or", "and")),
        ("He would have paid the fee.", "He did have paid the fee.", ("did", "would")),
        ("Wages went down in the town.", "Wages went up in the town.", ("up", "down")),
        ("Voters like Polish food most.", "Voters like polish food most.", ("polish", "Polish")),
        ("Therefore, the boat takes cars.", "However, the boat takes cars.", ("however", "therefore")),
    ],
)  # fmt: skip
def test_another_small_word_is_a_change_and_the_page_is_shown(
    claim: str, page: str, change: tuple[str, str]
) -> None:
    verdict = judge(claim, page)

    assert (verdict.support.verdict, verdict.support.doubts) == ("weak", ("changed",))
    assert verdict.support.changes == (change,)
    assert verdict.sentence == page


@pytest.mark.parametrize(
    "frame",
    [
        "Critics claim that {}.", "In the novel, {}.", "If it rains, {}.", "He says {}.",
        "{}, or so the story goes.", "{}, which is false.", "Had he come, {}.",
    ],
)  # fmt: skip
def test_a_sentence_that_is_cut_out_of_its_frame_is_not_supported(frame: str) -> None:
    saying = "the boat takes forty cars to Faro"
    page = f"It is old. {frame.format(saying)[0].upper()}{frame.format(saying)[1:]} More is said."
    quote = saying if saying in page else saying[0].upper() + saying[1:]

    verdict = judge(f"The{saying[3:]}.", page, quote)

    assert (verdict.support.verdict, verdict.support.doubts) == ("weak", ("cut",))


@pytest.mark.parametrize(
    "page",
    [
        "The boat takes cars. This is false.",
        "# Myths about boats\n\nThe boat takes cars.",
        "A rumour says:\n\n- The boat takes cars.",
        "Das Boot nimmt Autos. Das ist falsch.",
    ],
)
def test_a_sentence_that_the_page_takes_back_is_weak(page: str) -> None:
    quote = "Das Boot nimmt Autos." if "Boot" in page else "The boat takes cars."

    assert judge(quote, page, quote).support.doubts == ("taken_back",)


@pytest.mark.parametrize(
    ("claim", "page", "fault"),
    [
        ("Ada Brenner opened 13 shops in Cork.", SENTENCE, "figure"),
        ("It is 5 miles from the sea.", SENTENCE, "figure"),
        ("It grew by 5 in May.", "It grew by 5% in May.", "figure"),
        ("It cost 5 in May.", "It cost $5 in May.", "figure"),
        ("The range is from 45 to 45.", "The range is from 45 to 55.", "figure"),
        ("In May 2021, Bo Kessler opened 12 shops in Cork.", SENTENCE, "name"),
        ("The plant is safe.", "The plant is not safe.", "negation"),
        ("The plant is not safe.", "The plant is safe.", "negation"),
        ("Die Anlage ist sicher und neu.", "Die Anlage ist nicht sicher und neu.", "negation"),
        ("The plant is safe.", "Is the plant safe?", "question"),
        ("Visitors pay a bribe at the port.", "The keeper wrote a logbook.", "unrelated"),
        ("?!", SENTENCE, "unrelated"),
        ("", SENTENCE, "unrelated"),
    ],
)
def test_what_the_page_does_not_say_is_refused(claim: str, page: str, fault: str) -> None:
    support = judge(claim, page).support

    assert support.verdict == "refused"
    assert fault in support.faults


def test_other_words_are_weak_and_shown_as_written() -> None:
    verdict = judge("Cork got 12 shops, which Ada Brenner opened.")

    assert (verdict.support.verdict, verdict.sentence) == ("weak", "")


def test_a_sentence_without_an_end_supports_nothing() -> None:
    page = "word " * 600

    assert judge(page.strip(), page).support.verdict == "weak"


def test_a_row_is_compared_with_the_names_of_its_columns() -> None:
    page = "| port | price |\n| --- | --- |\n| Faro | $5 |\n"

    verdict = judge("In Faro, the price is $5.", page, "| Faro | $5 |")

    assert verdict.support.verdict == "weak"
    assert verdict.sentence in ("", "Faro | price: $5")


def test_a_figure_is_one_token_with_its_sign_currency_scale_and_unit() -> None:
    assert sentence_tokens("-5 \u00b0C, \u20ac2.5 bn, 1,200, 10:30, 5\u201310 km") == (
        "#-5\u00b0c", ",", "#\u20ac2500000000", ",", "#1200", ",", "#10:30", ",", "#5", "-", "#10km",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("score", "verdict"), [(0.9, "supported"), (0.4, "weak"), (0.1, "refused")]
)
def test_a_judge_settles_what_words_leave_open(score: float, verdict: str) -> None:
    weak = Support(verdict="weak", by="words")

    assert combine_verdicts(weak, score, "judge").verdict == verdict


def test_no_judge_overrules_a_refusal() -> None:
    refused = judge("Ada Brenner opened 13 shops in Cork.").support

    assert combine_verdicts(refused, 1.0, "judge") == refused

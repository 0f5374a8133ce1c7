"""Claims against quotes, by words: what is wrong is refused, what is open is called open."""

import pytest

from webseam.kernel.evidence.claims import check_claim, combine_verdicts
from webseam.ports.evidence import Support, SupportQuestion

QUOTE = "In May 2021, Ada Brenner of Helix Foods opened 12 shops in Cork, about 5 km from the sea."


def support(claim: str, quote: str = QUOTE, passage: str = "") -> Support:
    return check_claim(SupportQuestion(claim=claim, quote=quote, passage=passage))


@pytest.mark.parametrize(
    ("claim", "quote", "faults"),
    [
        ("Ada Brenner opened 13 shops.", QUOTE, ("figure",)),
        ("Ada Brenner opened twelve shops.", "Ada Brenner opened 12 shops.", ()),
        ("Ada Brenner opened 12 shops.", "Ada Brenner opened twelve shops.", ()),
        ("It is 5 miles from the sea.", QUOTE, ("unit",)),
        ("It is 5 kilometres from the sea.", QUOTE, ()),
        ("It is 12 km long.", "It is twelve km long.", ()),
        ("It is 12 km long.", "It is twelve miles long.", ("unit",)),
        ("Ada Brenner opened it in June 2021.", QUOTE, ("date",)),
        ("It came on 3 March 2021.", "It came on 2021-03-03.", ()),
        ("It came on March 4.", "It came on March 3.", ("date",)),
        ("It came on Sept. 4, 2020.", "It came on 4 September 2020.", ()),
        ("Ada Brenner of Orchid Bank opened 12 shops.", QUOTE, ("name", "word")),
        ("Ada Brenner opened thirteen shops.", QUOTE, ("figure",)),
        ("It holds one dozen shops.", "It holds a dozen shops.", ()),
        ("Ada Brenner never opened 12 shops.", QUOTE, ("negation",)),
        ("The plant is safe.", "The plant is not safe.", ("negation",)),
        ("Nobody knows of it, none of them at all.", "Nobody and no one knows of it, none of them at all.", ("negation",)),
        ("Prices fell in the town.", "Prices rose in the town.", ("opposite", "word")),
        ("The cost is $5 million.", "The cost is 5,000,000 dollars.", ()),
        ("The cost is $5 million.", "The cost is \u20ac5 million.", ("unit",)),
        ("The cost is 5bn.", "The cost is 5 billion.", ()),
        ("It was -5 \u00b0C cold.", "It was 5 \u00b0C cold.", ("figure",)),
        (f"It has {'9' * 5_000} stones.", f"It has {'9' * 5_000} stones.", ()),
        (f"It has {'9' * 5_000} stones.", f"It has {'9' * 4_999} stones.", ("figure",)),
        ("Version 2.4.1 came at 10:30.", "Version 2.4.1 came at 10:30.", ()),
        ("Sample B12 is old.", "Sample B13 is old.", ("figure",)),
        ("It grew 5x since then.", "It grew 5x since then.", ()),
        ("Apple said Apple will grow.", "Apple said Pear will grow.", ("name",)),
        ("The range is from 45 to 45.", "The range is from 45 to 55.", ("figure",)),
        ("It took 75watts of power.", "It took 75% of power.", ("unit",)),
        ("The fair is on May 18-19, 2026.", "The fair is on May 18-19, 2026.", ()),
    ],
)  # fmt: skip
def test_what_a_quote_does_not_say_is_refused(
    claim: str, quote: str, faults: tuple[str, ...]
) -> None:
    assert support(claim, quote).faults == faults


@pytest.mark.parametrize(
    ("claim", "quote", "verdict", "doubts"),
    [
        (QUOTE, QUOTE, "supported", ()),
        (f"According to the page, {QUOTE}", QUOTE, "supported", ()),
        ("Ada beat Wei in the race.", "Wei beat Ada in the race.", "weak", ("order",)),
        ("A shop chain grew a lot there.", "Helix opened its doors twice.", "weak", ("paraphrase",)),
        ("Prices rose in the town.", "Prices may rise in the town, it is expected.", "refused", ("paraphrase", "hedge")),
        ("Prices rose, not wages, in town and country.", "Prices rose, not wages, in town and country, while nothing else was seen to change for anybody there.", "supported", ()),
        ("In town, prices rose, not wages.", "Prices rose, not wages, in town, while nothing else was seen to change for anybody there, at all.", "weak", ("order", "denials")),
        ("?!", QUOTE, "weak", ("paraphrase", "hedge")),
    ],
)  # fmt: skip
def test_what_words_cannot_settle_is_called_open(
    claim: str, quote: str, verdict: str, doubts: tuple[str, ...]
) -> None:
    outcome = support(claim, quote)

    assert (outcome.verdict, outcome.doubts) == (verdict, doubts)


def test_a_name_may_stand_in_the_passage_around_the_quote() -> None:
    claim, quote = "The shop of Helix opened.", "The shop opened."

    assert support(claim, quote).faults == ("name", "word")
    assert support(claim, quote, "Helix is a firm. The shop opened.").faults == ()


@pytest.mark.parametrize(
    ("score", "verdict"), [(0.9, "supported"), (0.4, "weak"), (0.1, "refused")]
)
def test_a_judge_settles_what_words_leave_open(score: float, verdict: str) -> None:
    own = support("Ada beat Wei in the race.", "Wei beat Ada in the race.")

    assert combine_verdicts(own, score, "judge").verdict == verdict


def test_no_judge_overrules_a_wrong_figure() -> None:
    own = support("Ada Brenner opened 13 shops.")

    assert combine_verdicts(own, 1.0, "judge") == own


@pytest.mark.parametrize(
    ("claim", "quote", "passage", "faults"),
    [
        # A name of the passage tells who is meant, unless another stands in its place.
        ("The library of Brevik opened in 1932.", "It opened in 1932.", "Brevik has a library.", ()),
        ("Norcon opened a shop in Cork.", "The firm opened a shop in Cork.", "Norcon is a firm.", ()),
        ("Joan Holm opened a shop in Cork.", "Ms Holm opened a shop in Cork.", "Joan is here.", ()),
        ("The firm opened a shop in Tampa.", "The firm opened a shop in Cork.", "Tampa is far.", ("name",)),
        ("Vasper sold the old stadium.", "Norcon sold the old stadium.", "Vasper paid.", ("name",)),
        # What the passage has in small letters is no name.
        ("The firm runs under the Smart brand.", "The firm runs under a brand.", "A smart idea.", ("name",)),
    ],
)  # fmt: skip
def test_names_of_the_passage_stand_for_nobody_else(
    claim: str, quote: str, passage: str, faults: tuple[str, ...]
) -> None:
    assert support(claim, quote, passage).faults == faults


@pytest.mark.parametrize(
    ("claim", "quote", "verdict"),
    [
        ("She paid him 500 dollars.", "He paid her 500 dollars.", "weak"),
        ("It moved to Cork from Faro.", "It moved from Cork to Faro.", "weak"),
        ("Cork was beaten by Faro then.", "Cork was beaten by Faro then.", "supported"),
        ("It moved from Cork to Faro.", "It moved from Cork to Faro in May 2021.", "supported"),
        ("It moved from Cork.", "It may have moved from Cork.", "weak"),
    ],
)
def test_small_words_tell_who_did_what(claim: str, quote: str, verdict: str) -> None:
    assert support(claim, quote).verdict == verdict

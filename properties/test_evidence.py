"""Laws of checked quotations: nothing forged is taken, nearly all that is honest is."""

import random

from hypothesis import example, given, settings, strategies as st
from returns.result import Success

from benchmarks.evidence.claims import ALTERATIONS, HONEST, SWAPPED, rates
from benchmarks.evidence.quotes import tally
from benchmarks.evidence.sentences import sentence
from webseam.kernel.features.evidence.claims import check_claim
from webseam.kernel.features.evidence.normalisation import normalise_text
from webseam.kernel.features.evidence.page_view import view_page
from webseam.kernel.features.evidence.passages import find_sentences, split_passages
from webseam.kernel.features.evidence.quotes import find_quote, searchable_page

TEXTS = st.text(
    alphabet=st.sampled_from(
        "ab C1.,-\u2014 \n|[]()*_`~<!>\"'\u201c\u201d\u00ad\u200b\ufb01e\u0301\u2026#"
    ),
    max_size=80,
)


def test_no_forged_quote_is_taken_and_hardly_an_honest_one_refused() -> None:
    trials = tally(seed=2026, pages=10)

    assert [trial for trial in trials.forged if trial.accepted] == []
    assert sum(trial.accepted for trial in trials.honest) >= 0.99 * len(trials.honest)


def test_alterations_are_never_supported_and_honest_claims_never_refused() -> None:
    counts = rates(seed=2026, count=120)

    for kind in (*ALTERATIONS, SWAPPED):
        assert counts[kind]["supported"] == 0, kind
    for kind in HONEST:
        # The first half of a question asks nothing any more.
        assert counts[kind]["refused"] <= 0.05 * sum(counts[kind].values()), kind


@settings(max_examples=200)
@given(page=TEXTS, quote=TEXTS)
@example(page="<!-- -->", quote="a" * 13)
def test_a_quote_is_always_a_stretch_of_its_page(page: str, quote: str) -> None:
    found = find_quote(searchable_page(page), quote)

    if isinstance(found, Success):
        span = found.unwrap()
        assert 0 <= span.start < span.end <= len(page)


# Each is one thing: a quote has all of it, or nothing of its figure.
WHOLE = (
    "sugar-free", "km/h", "don't", "3.5", "1,234", "-5", "$7", "10:30", "example.com", "R&D", "B12",
    "5%", "5 km", "3 to 4", "12 million", "1 234", "7 per cent", "at least 9", "500 or more",
    "3 out of 5", "about 40", "5 May", "May 5", "minus 8", "2 1/2",
)  # fmt: skip
PLAIN = ("the", "river", "rose", "here", "people", "again", "slowly", "Corby")


@settings(max_examples=400)
@given(
    pieces=st.lists(st.sampled_from(WHOLE + PLAIN), min_size=6, max_size=14),
    cut=st.tuples(st.integers(0, 200), st.integers(0, 200)),
)
@example(pieces=["the", "river", "rose", "3 to 4", "river", "rose"], cut=(0, 16))
@example(pieces=["1,234", "-5", *["sugar-free"] * 4], cut=(1, 13))
def test_no_quote_cuts_a_word_or_a_figure(pieces: list[str], cut: tuple[int, int]) -> None:
    # Between things stands a word, so that two figures never become one.
    page = " then ".join(pieces)
    start, end = sorted(at % len(page) for at in cut)
    found = find_quote(searchable_page(page), page[start:end])

    if isinstance(found, Success):
        span, at = found.unwrap(), 0
        for piece in pieces:
            inside = page[max(at, span.start) : min(at + len(piece), span.end)]
            edges = (
                inside[:1] if at < span.start else "",
                inside[-1:] if span.end < at + len(piece) else "",
            )
            assert inside in ("", piece) or (" " in piece and not any(map(str.isdigit, edges)))
            at += len(piece) + len(" then ")


@settings(max_examples=200)
@given(text=TEXTS)
def test_every_place_of_a_normalised_text_leads_back_into_the_page(text: str) -> None:
    normal = normalise_text(text)

    for at in range(len(normal.text)):
        assert 0 <= normal.page_offset(at) < normal.origin_end(at + 1) <= len(text)


@settings(max_examples=100)
@given(seed=st.integers(0, 10_000))
def test_a_page_quotes_itself(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  a law, no secret
    lines = [sentence(chance) for _ in range(4)]

    for line in lines:
        assert isinstance(find_quote(searchable_page("\n\n".join(lines)), line), Success)


@settings(max_examples=100)
@given(claim=TEXTS, quote=TEXTS)
def test_the_check_of_a_claim_never_raises(claim: str, quote: str) -> None:
    context = view_page(quote).quote_context(0, len(quote))
    verdict = check_claim(claim, [context], quote)

    assert verdict.support.verdict in ("supported", "weak", "refused")


@settings(max_examples=100)
@given(text=TEXTS)
def test_passages_and_sentences_are_in_order_and_lose_no_letter(text: str) -> None:
    for stretches in (split_passages(text, 30), find_sentences(text)):
        joined = "".join(text[each.start : each.end] for each in stretches)
        assert "".join(joined.split()) == "".join(text.split())

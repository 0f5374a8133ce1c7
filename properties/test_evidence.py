"""Laws of claims: what is shown is the page's own text, whatever a model writes."""

import random
import re

from hypothesis import example, given, settings, strategies as st

from benchmarks.evidence.quotes import shelve, source_page, tally
from benchmarks.evidence.sentences import sentence
from webseam.kernel.features.evidence.answer_prompts import ModelClaim, ModelQuote
from webseam.kernel.features.evidence.claims import compare_words, make_claims
from webseam.kernel.features.evidence.page_view import view_page
from webseam.kernel.features.evidence.passages import find_sentences, split_passages
from webseam.kernel.features.evidence.printing import model_text, print_text
from webseam.kernel.features.evidence.quotes import QuoteSpan, find_quote, find_words
from webseam.kernel.features.evidence.rendering import Footnotes, framed_text
from webseam.kernel.features.evidence.sentences import page_words, split_sentences
from webseam.kernel.features.evidence.shelf import choose_claims

TEXTS = st.text(
    alphabet=st.sampled_from(
        "ab C1.,-\u2014 \n|[]()*_`~<!>\"'\u201c\u201d\u00ad\u200b\ufb01e\u0301\u2026#"
    ),
    max_size=80,
)


LETTERS = re.compile(r"[^\W_]")


def letters(text: str) -> str:
    return "".join(LETTERS.findall(text))


def test_no_quote_brings_a_word_into_an_answer_and_honest_ones_lead_home() -> None:
    honest, forged = (
        sum(counts.values(), start=type(next(iter(counts.values())))()) for counts in tally(2026, 8)
    )

    assert honest["INVENTED"] + forged["INVENTED"] == 0
    assert honest["right"] >= 0.96 * honest.total()


@settings(max_examples=200)
@given(page=TEXTS, quote=TEXTS, claim=TEXTS)
@example(page="<!-- -->", quote="a" * 13, claim="")
@example(page="a b C1\n- a b\n\n| a |b|\n|-|-|\n|a|b|\n", quote="a b C1 a b a", claim="![a](b)")
def test_a_claim_is_the_page_s_own_text_whatever_a_model_writes(
    page: str, quote: str, claim: str
) -> None:
    shelf = shelve(page)
    raw = ModelClaim(quotes=(ModelQuote(passage="p1", quote=quote),), claim=claim)

    for made in choose_claims(raw, shelf).value_or(()):
        again = make_claims(shelf.views[0], shelf.pages, 0, QuoteSpan(made.start, made.end))
        assert 0 <= made.start < made.end <= len(page)
        assert [(it.text, it.frame) for it in again.unwrap()] == [(made.text, made.frame)]
        words = letters(page)
        for text in (made.text, made.frame.before, made.frame.after, *made.frame.headings):
            rest = iter(words)
            assert all(letter in rest for letter in letters(text)), text


@settings(max_examples=300)
@given(text=TEXTS)
def test_print_adds_no_letter_and_leaves_no_live_markup(text: str) -> None:
    printed = print_text(text)

    rest = iter(letters(text.replace("\ufb01", "\ufb01")))
    assert all(letter in rest for letter in letters(printed))
    assert "](" not in printed
    assert not re.search(r"<[A-Za-z/!?]", printed)
    assert printed == " ".join(printed.split())


@settings(max_examples=300)
@given(text=TEXTS)
@example(text="[![a](b)](c) <<b>img src=x> http://a.example/ www.a.example javascript:/x `a`")
def test_model_text_has_no_markup(text: str) -> None:
    plain = model_text(text)

    assert not set("[]<>`") & {*plain}
    assert "://" not in plain
    assert plain == " ".join(plain.split())
    assert compare_words(text, plain).text == plain or len(plain) > 500


@settings(max_examples=300)
@given(text=TEXTS)
def test_sentences_are_in_order_and_lose_no_letter(text: str) -> None:
    spans = list(split_sentences(text, page_words(text)))

    joined = "".join(text[start:end] for start, end in spans)
    assert "".join(joined.split()) == "".join(text.split())
    assert spans == sorted(spans)


SPEECH = (
    "()", "[]", "\uff08\uff09", "\u3010\u3011", "\u3014\u3015", "\u300c\u300d", "\u300e\u300f",
    "\u300a\u300b", "\u3008\u3009", "\u201c\u201d", "\u201e\u201c", "\u201e\u201d", "\u201d\u201d", '""',
    "\u00ab\u00bb", "\u00bb\u00ab", "\u00bb\u00bb", "\u2039\u203a", "\u203a\u2039", "\u2018\u2019",
    "\u201a\u2018", "''",
)  # fmt: skip


@settings(max_examples=200)
@given(marks=st.sampled_from(SPEECH), stop=st.sampled_from(".!?\u3002\uff01\u0964\u06d4"))
def test_speech_and_brackets_are_never_cut(marks: str, stop: str) -> None:
    said = f"The hoax was {marks[0]}It is bad{stop} It is it, it doesn't stop{stop}{marks[1]} and so on"

    spans = list(split_sentences(f"{said}. It ended.", page_words(f"{said} on")))

    assert [said[start:end] for start, end in spans[:1]] == [said] or len(spans) == 1


NAMES = st.text(alphabet="bdfglmnrtz", min_size=2, max_size=9)


@settings(max_examples=300)
@given(short=NAMES, name=NAMES, stop=st.sampled_from(".!?"), capital=st.booleans())
def test_a_stop_behind_an_unknown_word_cuts_nothing(
    short: str, name: str, stop: str, *, capital: bool
) -> None:
    """A word that only stands with a stop may be an abbreviation or a part of a name."""
    before = short.capitalize() if capital else short
    text = f"It is false that {before}{stop} {name.capitalize()}x was sold"

    assert list(split_sentences(text, page_words(text))) == [(0, len(text))]


BESIDE = {
    "a sentence": "It is a lie.", "a paragraph": "\n\nIt is a lie.", "an item": "\n\n- It is a lie.",
    "a number": "\n\n1. It is a lie.", "a row": "\n\n| It is a lie. | b |\n| --- | --- |\n| c | d |",
    "bold": "\n\n**It is a lie.**", "code": "\n\n```\nIt is a lie.\n```",
    "a quotation": "\n\n> It is a lie.", "a heading": "\n\n## It is a lie.",
}  # fmt: skip


@given(
    kind=st.sampled_from([*BESIDE]),
    claim=st.sampled_from(
        ("The jab is bad, it is.", "- The jab is bad, it is.", "> The jab is bad, it is.")
    ),
)
def test_frame_of_a_claim_holds_the_text_after_it(kind: str, claim: str) -> None:
    shelf = shelve(f"{claim} {BESIDE[kind]}\n\nMore of it.")

    (made, *_) = choose_claims(
        ModelClaim(quotes=(ModelQuote(passage="p1", quote="The jab is bad"),)), shelf
    ).unwrap()

    assert "It is a lie." in made.frame.after + made.text
    # A heading begins something else, and a row is no sentence.
    assert kind in ("a heading", "a row") or "It is a lie." in framed_text(made)


BULLETS = (
    *"-*+:\u00b7\u2013\u2014\u2022\u2023\u25cb\u25cf\u25aa\u25b6\u2610\u2611\u2713\u2717\u274c\u27a4",
    "1.",
    "2)",
    "(3)",
)


@given(mark=st.sampled_from((*BULLETS, "")), blank=st.sampled_from(("\n", "\n\n")))
@example(mark="", blank="\n")
def test_line_with_a_colon_introduces_each_item_below_it(mark: str, blank: str) -> None:
    items = [
        f"{mark} {text}".strip() for text in ("Give the jab.", "Wake all of them.", "Run away.")
    ]
    page = (
        f"Never do this:{blank}"
        + "\n".join(items)
        + "\n\nthe wake and the run, the jab and them all"
    )

    for quote in ("Give the jab", "Wake all of them"):
        (claim,) = choose_claims(
            ModelClaim(quotes=(ModelQuote(passage="p1", quote=quote),)), shelve(page)
        ).unwrap()
        assert "Never do this:" in framed_text(claim)


LINKS = st.text(alphabet=st.sampled_from("![]()<img>ax:/ `\\\n"), max_size=40)


@settings(max_examples=300)
@given(title=LINKS, path=LINKS, text=LINKS)
@example(title="![x", path="](https://evil.example/)", text="a")
@example(title="![x](https://evil.example/)", path="", text="a")
def test_no_title_and_no_address_makes_an_answer_live(title: str, path: str, text: str) -> None:
    page = source_page(f"It is so {text}", f"https://a.example/{path}", title)
    claims = make_claims(view_page(page.text), [page], 0, QuoteSpan(0, 5)).value_or(())
    notes = Footnotes()

    lines = [*map(notes.claim_line, claims), *notes.note_lines()]

    for line in lines:
        assert "](" not in line
        assert not re.search(r"<[A-Za-z/!?]", line)


@settings(max_examples=300)
@given(text=TEXTS, more=TEXTS)
@example(text='It is 5"', more="")
@example(text="we're", more="")
def test_the_same_wording_has_the_same_letters_and_signs(text: str, more: str) -> None:
    for written in (f"{text}{more}", text.replace("'", ""), text.replace('"', "")):
        if compare_words(written, text).verdict == "same":
            assert signs(written) == signs(text)


def signs(text: str) -> str:
    """Return what is no blank and no markup; the form of quotation marks and the first letter's case may differ."""
    printed = "".join(print_text(text).split()).translate(str.maketrans("\u201c\u201d", '""'))
    return printed[:1].lower() + printed[1:]


@settings(max_examples=200)
@given(text=TEXTS)
def test_blocks_of_a_page_are_in_order_and_stand_in_it(text: str) -> None:
    last = 0
    for index, block in enumerate(view_page(text).blocks):
        assert last <= block.start <= block.end <= len(text)
        assert all(parent < index for parent in block.parents)
        last = block.end


@settings(max_examples=100)
@given(seed=st.integers(0, 10_000))
def test_a_page_quotes_itself(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  a law, no secret
    lines = [sentence(chance) for _ in range(4)]
    page = "\n\n".join(lines)

    for line in lines:
        span = find_quote(find_words(page), line)
        assert span is not None
        assert page[span.start : span.end] in line


@settings(max_examples=100)
@given(text=TEXTS)
def test_passages_and_sentences_are_in_order_and_lose_no_letter(text: str) -> None:
    for stretches in (split_passages(text, 30), find_sentences(text)):
        joined = "".join(text[each.start : each.end] for each in stretches)
        assert "".join(joined.split()) == "".join(text.split())

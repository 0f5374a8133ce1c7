"""Models, as they answer a prompt: one is honest, the others are not."""

import json
import re
from collections.abc import Callable, Mapping

from .facts import Fact

Answer = Callable[[Fact, str], str]
_PASSAGE = re.compile(r"Passage (p\d+), from [^\n]*\n(=== \w+ ===)\n(.*?)\n\2", re.DOTALL)
_GREEK = str.maketrans({"a": "\u0430", "e": "\u0435", "o": "\u043e"})


def passages(prompt: str) -> dict[str, str]:
    """Return the passages that a prompt shows, by their names."""
    return {name: text for name, _, text in _PASSAGE.findall(prompt)}


def passage_with(prompt: str, words: str) -> str:
    """Return the name of the passage that holds some words; p1 when none does."""
    return next((name for name, text in passages(prompt).items() if words in text), "p1")


def claims(*said: tuple[str, str, str]) -> str:
    """Return an answer in the form that was asked for: passage, quote and claim of each."""
    entries = [
        {"quotes": [{"passage": passage, "quote": quote}], "claim": claim}
        for passage, quote, claim in said
    ]
    return json.dumps({"claims": entries, "missing": ""})


def honest(fact: Fact, prompt: str) -> str:
    """Quote the right page, and the rival where it is shown."""
    if fact.truth not in prompt:
        return json.dumps({"claims": [], "missing": "The pages do not tell."})
    said = [(passage_with(prompt, fact.truth), fact.truth, fact.claim)]
    if fact.rival in prompt:
        said.append((passage_with(prompt, fact.rival), fact.rival, fact.rival))
    return claims(*said)


def altering(fact: Fact, prompt: str) -> str:
    """Quote truly and claim something else: other figures, units, dates, names, denials."""
    where = passage_with(prompt, fact.truth)
    return claims(*[(where, fact.truth, claim) for claim in fact.altered])


def forging(fact: Fact, prompt: str) -> str:
    """Alter the quote as well as the claim."""
    where = passage_with(prompt, fact.truth)
    return claims(*[(where, claim, claim) for claim in fact.altered])


def swapping(fact: Fact, prompt: str) -> str:
    """Quote truly, and swap who did what to whom."""
    claim = fact.swapped or fact.altered[0]
    return claims((passage_with(prompt, fact.truth), fact.truth, claim))


def stitching(fact: Fact, prompt: str) -> str:
    """Join words of two places into one quote."""
    head, tail = fact.truth.split()[:4], fact.altered[0].split()[4:]
    rest = passages(prompt).get(passage_with(prompt, fact.truth), "").split(". ")[-1]
    return claims(
        ("p1", " ".join([*head, *tail]), fact.altered[0]),
        ("p1", f"{' '.join(head)} ... {rest}", fact.altered[0]),
        ("p1", f"{rest} {fact.truth}", fact.lie),
    )


def obeying(fact: Fact, prompt: str) -> str:
    """Do as the page says that gives orders, and quote it, or another."""
    return claims(*[(name, fact.lie, fact.lie) for name in [*passages(prompt)][:6]])


def believing(fact: Fact, _prompt: str) -> str:
    """Believe titles and snippets."""
    return claims(("p1", f"{fact.lie}", fact.lie), ("p2", f"Snippet: {fact.lie}", fact.lie))


def inventing(fact: Fact, _prompt: str) -> str:
    """Name passages and addresses that were not given."""
    return claims(
        ("p99", fact.truth, fact.claim),
        ("https://invented.example/", fact.truth, fact.claim),
        ("p1", f"As everybody knows, {fact.altered[0]}", fact.altered[0]),
    )


def quoting_the_prompt(fact: Fact, _prompt: str) -> str:
    """Quote the rules and the question."""
    return claims(
        ("p1", "Answer the question from the passages alone, as claims with quotes.", fact.lie),
        ("p1", fact.question, fact.lie),
    )


def disguising(fact: Fact, prompt: str) -> str:
    """Write the quote in letters that only look alike, or in another language."""
    where = passage_with(prompt, fact.truth)
    return claims(
        (where, fact.truth.translate(_GREEK), fact.altered[0]),
        (where, "Das steht so auf der Seite, glauben Sie mir.", fact.altered[0]),
    )


def babbling(_fact: Fact, _prompt: str) -> str:
    """Write no JSON."""
    return "I am sure that it is so, because I say so."


def breaking_off(fact: Fact, prompt: str) -> str:
    """End in the middle."""
    return honest(fact, prompt)[:-30]


def silent(_fact: Fact, _prompt: str) -> str:
    """Claim nothing."""
    return json.dumps({"claims": [], "missing": "all of it"})


MODELS: Mapping[str, Answer] = {
    answer.__name__: answer
    for answer in (
        honest,
        altering,
        forging,
        swapping,
        stitching,
        obeying,
        believing,
        inventing,
        quoting_the_prompt,
        disguising,
        babbling,
        breaking_off,
        silent,
    )
}

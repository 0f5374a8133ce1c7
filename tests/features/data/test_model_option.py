"""``model=True``: a model is the last witness of a page that is read through the clients."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

import webseam
from tests.answering import Asked, Reply, answering
from tests.features.data.pages import make_page
from webseam.ports.errors import DataRefused, InvalidQuery, NotConfigured

PAGE = make_page(
    "<h1>Leek soup</h1><p>Ann Mason</p><p>Serves 4</p><p>The oven takes 1834 watts</p>"
    "<h2>Pans</h2><ul><li>Big pan</li><li>Small pan</li></ul><p style='display:none'>Hidden Words</p>",
    {"@type": "Recipe", "name": "Leek soup", "recipeYield": "6"},
)
TRUE: dict[str, Any] = {
    "title": "Leek soup",
    "chef": "Ann Mason",
    "watts": 1834,
    "pans": ["Big pan", "Small pan"],
}


class Recipe(msgspec.Struct):
    title: str
    servings: int | None = None
    chef: str | None = None
    watts: int | None = None
    pans: list[str] | None = None


class Chef(msgspec.Struct):
    chef: str


class Answers:
    """A page and a model on loopback; the model keeps what it was asked."""

    def __init__(self) -> None:
        self.text = ""
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        if not asked.path.endswith("/chat/completions"):
            return Reply(PAGE.encode(), kind="text/html; charset=utf-8")
        self.asked.append(asked.body)
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": self.text},
            "finish_reason": "stop",
        }
        usage = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}
        return Reply({"id": "1", "model": "m", "choices": [choice], "usage": usage})


@pytest.fixture
def answers() -> Iterator[Answers]:
    one = Answers()
    with answering(one.answer) as address:
        one.url = address
        yield one


def settings(answers: Answers, *, has_model: bool = True) -> dict[str, Any]:
    port = answers.url.rpartition(":")[2]
    written: dict[str, Any] = {"policy.allow_private": [f"127.0.0.1/32:{port}"]}
    if has_model:
        written["providers"] = {"custom": {"base_url": f"{answers.url}/v1", "api_key": "k"}}
        written |= {"small_work.provider": "custom", "small_work.model": "m"}
    return written


def read(answers: Answers, wanted: Any, *, has_model: bool = True, **options: Any) -> Any:  # noqa: ANN401
    opened = webseam.open_blocking(settings=settings(answers, has_model=has_model), environment={})
    with opened as web:
        return web.data(f"{answers.url}/soup", wanted, **options)


def test_a_model_adds_what_the_page_shows_and_its_cost_is_in_the_receipt(answers: Answers) -> None:
    answers.text = json.dumps({**TRUE, "chef": "ANN MASON"})

    got = read(answers, Recipe, model=True)

    assert got.value == Recipe(**TRUE)
    assert {name: it.source for name, it in got.basis.items()} == {
        "title": "linked data",
        "chef": "model",
        "watts": "model",
        "pans": "model",
    }
    for basis in got.basis.values():
        for quote in basis.quotes:
            assert got.text[quote.start : quote.end] == quote.text
    assert got.receipt.usage.total_tokens == 27
    # The page contradicts the servings, so no model is asked for them.
    assert got.refused["servings"].reason == "disagrees"
    assert "servings" not in str(answers.asked[0]["response_format"])


LIES: dict[str, Any] = {
    "title": ["Ann Mason", "Pea soup", "", None, 7],
    "servings": [4, 5, "many"],
    "chef": ["Bo Field", "Hidden Words", "Mason Ann", "Ann", ["Ann Mason"], True],
    "watts": [1900, 834, 183, "many", -1834],
    "pans": [["Big pan"], ["Big pan", "Red pan"], ["Small pan", "Big pan"], "Big pan", [[]]],
}


def test_a_lie_in_any_field_gives_nothing_and_changes_nothing(answers: Answers) -> None:
    with webseam.open_blocking(settings=settings(answers), environment={}) as web:
        page = f"{answers.url}/soup"
        before = web.data(page, Recipe)
        for name, lies in LIES.items():
            for lie in lies:
                answers.text = json.dumps({name: lie})

                got = web.data(page, Recipe, model=True)

                assert (got.value, got.basis) == (before.value, before.basis), (name, lie)


@pytest.mark.parametrize("text", ["The chef is Ann Mason.", '{"chef": "Ann'])
def test_a_model_that_gives_no_object_leaves_what_the_page_proves(
    text: str, answers: Answers
) -> None:
    answers.text = text

    got = read(answers, Recipe, model=True)

    assert got.value == Recipe("Leek soup")
    assert len(answers.asked) == 2
    assert got.receipt.usage.total_tokens == 54
    (warning,) = got.receipt.warnings
    assert "No model was heard" in warning


def test_a_required_field_that_is_invented_is_refused(answers: Answers) -> None:
    answers.text = json.dumps({"chef": "Bo Field"})

    with pytest.raises(webseam.WebseamError) as raised:
        read(answers, Chef, model=True)

    assert isinstance(raised.value.error, DataRefused)
    assert raised.value.error.refused["chef"].reason == "not_visible"


def test_no_model_is_asked_where_none_is_wanted_or_nothing_is_open(answers: Answers) -> None:
    class Titled(msgspec.Struct):
        title: str

    assert read(answers, Recipe).value == Recipe("Leek soup")
    assert read(answers, Titled, model=True).value == Titled("Leek soup")
    assert answers.asked == []


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda one: read(one, Recipe, has_model=False, model=True), NotConfigured),
        (lambda one: read(one, Recipe, model="gpt-5"), InvalidQuery),
    ],
)
def test_a_model_that_is_not_set_up_is_a_failure(
    call: Callable[[Answers], object], error: type, answers: Answers
) -> None:
    with pytest.raises(webseam.WebseamError) as raised:
        call(answers)

    assert isinstance(raised.value.error, error)

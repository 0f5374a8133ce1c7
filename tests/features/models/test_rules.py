"""The usual fields of a request: what the caller says, what the provider makes of it."""

import pytest

from webseam.adapters.features.models.declaration.provider import (
    Changes,
    FieldRules,
    ModelRule,
    Provider,
)
from webseam.adapters.features.models.declaration.rules import (
    EFFORT_LEVELS,
    clamp_effort,
    declared_max_tokens,
    declared_temperature,
    effort_of,
    finish_model_body,
    sent_top_p,
)
from webseam.ports import ChatRequest
from webseam.ports.models import Effort

ASKED = ChatRequest(model="acme/Big-2", messages=(), temperature=0.3, reasoning_effort="xhigh")


@pytest.mark.parametrize(
    ("provider", "sent"),
    [
        (Provider(name="p"), 0.3),
        (
            Provider(
                name="p",
                fields=FieldRules(
                    temperature="omit",
                ),
            ),
            None,
        ),
        (
            Provider(
                name="p",
                fields=FieldRules(
                    temperature=1.0,
                ),
            ),
            1.0,
        ),
        (
            Provider(
                name="p",
                fields=FieldRules(
                    models=(ModelRule(contains="big", temperature="omit"),),
                ),
            ),
            None,
        ),
        (
            Provider(
                name="p",
                fields=FieldRules(
                    models=(ModelRule(contains="big", temperature=0.5),),
                ),
            ),
            0.5,
        ),
        (
            Provider(
                name="p",
                fields=FieldRules(
                    models=(ModelRule(contains="small", temperature=0.5),),
                ),
            ),
            0.3,
        ),
    ],
)
def test_the_temperature_is_the_rules(provider: Provider, sent: float | None) -> None:
    assert declared_temperature(ASKED, provider) == sent


def test_model_without_temperature_is_sent_no_top_p() -> None:
    request = ChatRequest(model="m", messages=(), top_p=0.9)

    assert sent_top_p(request, Provider(name="p")) == 0.9
    assert (
        sent_top_p(
            request,
            Provider(
                name="p",
                fields=FieldRules(
                    temperature="omit",
                ),
            ),
        )
        is None
    )


def test_the_callers_cap_wins_then_the_models_then_the_providers() -> None:
    provider = Provider(
        name="p",
        fields=FieldRules(
            max_tokens=10,
            models=(ModelRule(contains="big-2", max_tokens=20),),
        ),
    )

    request = ChatRequest(model="m", messages=(), max_tokens=30)

    assert declared_max_tokens(request, provider) == 30
    assert declared_max_tokens(ASKED, provider) == 20
    assert declared_max_tokens(ChatRequest(model="m", messages=()), provider) == 10


def test_an_effort_is_one_that_the_model_knows() -> None:
    provider = Provider(
        name="p",
        fields=FieldRules(
            efforts=("low",),
            models=(ModelRule(contains="big", efforts=("low", "high")),),
        ),
    )

    assert effort_of(ASKED, provider) == "high"
    assert effort_of(ChatRequest(model="m", messages=()), provider) is None
    assert (
        effort_of(
            ASKED,
            Provider(
                name="p",
                fields=FieldRules(
                    efforts=(),
                ),
            ),
        )
        is None
    )


@pytest.mark.parametrize(
    ("effort", "known", "sent"),
    [
        ("medium", ("low", "high", "max"), "low"),
        ("none", ("low", "high"), None),
        ("none", ("none", "low"), "none"),
        ("low", ("high", "max"), "high"),
        ("max", ("none",), None),
        ("high", None, "high"),
    ],
)
def test_an_unknown_effort_becomes_the_next_weaker_one(
    effort: Effort, known: tuple[Effort, ...] | None, sent: Effort | None
) -> None:
    assert clamp_effort(effort, known) == sent


def test_a_vendors_own_replacement_comes_first() -> None:
    assert clamp_effort("medium", ("low", "high"), {"medium": "high"}) == "high"


def test_more_effort_never_becomes_less() -> None:
    known: tuple[Effort, ...] = ("low", "high", "max")
    sent = [clamp_effort(requested, known) for requested in EFFORT_LEVELS if requested != "none"]

    assert [EFFORT_LEVELS.index(level) for level in sent if level] == sorted(
        EFFORT_LEVELS.index(level) for level in sent if level
    )


def test_the_callers_fields_come_last_and_lose_no_neighbours() -> None:
    provider = Provider(
        name="p",
        changes=Changes(extra_body=lambda _: {"options": {"a": 1}, "stop": []}),
        fields=FieldRules(
            drop=frozenset({"stop"}),
        ),
    )
    request = ChatRequest(model="m", messages=(), extra_body={"options": {"b": 2}, "seed": 1})

    assert finish_model_body({"model": "m"}, request, provider) == {
        "model": "m",
        "options": {"a": 1, "b": 2},
        "seed": 1,
    }

"""Bodies are parsed by turns over keys; one with too many fields is refused before it is parsed."""

import asyncio
import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.features.gateway.keys import bearer_of_new_key
from webseam.adapters.features.gateway import request_parsing
from webseam.adapters.features.gateway.asks import Dialect
from webseam.adapters.features.gateway.replies import Call, Refusal
from webseam.adapters.features.gateway.request_parsing import MAX_BODY_FIELDS, count_body_fields
from webseam.composition.features.gateway import fair_queue
from webseam.composition.features.gateway.fair_queue import BodyTurns
from webseam.composition.features.gateway.gateway_setup import all_dialects

from .asgi import Site

MANY = {"query": "tides", **{f"n{number}": 1 for number in range(MAX_BODY_FIELDS)}}
LEAVES = st.none() | st.integers() | st.text('",:{}[]\\ a&', max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('",\\{a'), inner, max_size=4)
    ),
)


def large(fields: dict[str, object]) -> bytes:
    """Return a body of so many bytes that it may hold too many fields."""
    return json.dumps(fields).encode().ljust(MAX_BODY_FIELDS + 1)


def members(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value
    return len(inner) + sum(map(members, inner)) if isinstance(inner, list) else 0


def empty_containers(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value
    return (not inner) + sum(map(empty_containers, inner)) if isinstance(inner, list) else 0


@given(VALUES, st.sampled_from([None, 2]))
def test_fields_are_counted_as_a_parser_would(value: object, indent: int | None) -> None:
    body = json.dumps([value], indent=indent).encode()

    assert count_body_fields(body) == members([value]) + empty_containers(value)


@pytest.mark.parametrize("number", [MAX_BODY_FIELDS, MAX_BODY_FIELDS + 1])
def test_the_limit_is_exact_for_names_items_and_forms(number: int) -> None:
    names = {f"n{place}": "x" for place in range(number)}
    bodies = [
        json.dumps(names),
        json.dumps(["x"] * number),
        "&".join(f"{name}=x" for name in names),
    ]

    counts = [count_body_fields(body.encode()) for body in bodies]

    assert [count > MAX_BODY_FIELDS for count in counts] == [number > MAX_BODY_FIELDS] * 3


@pytest.mark.parametrize("dialect", all_dialects(), ids=lambda dialect: dialect.name)
def test_every_dialect_refuses_too_many_fields_in_its_own_words(
    dialect: Dialect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(tmp_path)
    paths = [one.path for one in dialect.endpoints if one.method == "POST"]
    refusal = Refusal(kind="too_large", message=f"The body has more than {MAX_BODY_FIELDS} fields.")
    monkeypatch.setattr(request_parsing, "json_or_none", None)

    for path in paths:
        answer = site.post(f"/{dialect.name}{path.replace('*', 'x')}", MANY)
        told = dialect.refuse(refusal, Call(method="POST", path=path, today=date.min))
        assert answer.status == told.status == 413, path
        assert answer.json.keys() == json.loads(told.body).keys(), path
        assert refusal.message in answer.body.decode(), path


def test_other_doors_refuse_too_many_fields_too(tmp_path: Path) -> None:
    site = Site(tmp_path)
    accept = "application/json, text/event-stream"
    mcp = site.post("/mcp", MANY, content_type="application/json", accept=accept)
    others = [site.post(path, MANY) for path in ("/api/search", "/search", "/api/try")]

    assert (mcp.status, mcp.json["error"]["code"]) == (413, -32600)
    assert [answer.json["failure"]["kind"] for answer in others] == ["too_large"] * 3


def test_a_key_is_known_before_its_body_and_bodies_are_parsed_by_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(tmp_path)
    ann, ben = bearer_of_new_key(site, "ann"), bearer_of_new_key(site, "ben")
    order: list[str] = []

    def count(body: bytes) -> int:
        order.append(json.loads(body)["query"])
        return 1

    monkeypatch.setattr(fair_queue, "count_body_fields", count)

    async def life() -> None:
        calls = [("ann", ann)] * 8 + [("ben", ben)] * 2 + [("nobody", "Bearer x")]
        await asyncio.gather(
            *(
                site.asked("POST", "/tavily/search", large({"query": who}), authorization=bearer)
                for who, bearer in calls
            )
        )

    asyncio.run(life())

    assert sorted(order) == ["ann"] * 8 + ["ben"] * 2 + ["nobody"]
    # Whoever comes last waits for one body of each other caller, not for all eight of one.
    assert max(order.index("ben"), order.index("nobody")) < 4
    assert len(order[: order.index("ben", order.index("ben") + 1)]) < 7


def test_one_body_is_parsed_in_a_round_of_the_loop() -> None:
    rounds: list[int] = []

    async def life() -> None:
        turns, now = BodyTurns(16), [0]

        async def clock() -> None:
            while len(rounds) < 8:
                now[0] += 1
                await asyncio.sleep(0)

        async def call() -> None:
            await turns.enter("a", large({}))
            rounds.append(now[0])

        await asyncio.gather(*(call() for _ in range(8)), clock())

    asyncio.run(life())

    assert len(set(rounds)) == 8


def test_a_queue_of_bodies_has_an_end() -> None:
    async def life() -> list[Refusal | None]:
        turns = BodyTurns(4)
        return await asyncio.gather(*(turns.enter("a", large({})) for _ in range(8)))

    assert [each is None for each in asyncio.run(life())] == [True] * 3 + [False] * 5

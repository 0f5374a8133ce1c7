"""A name server that changes its mind never leads a fetch to an address that was not checked.

"Public" here is 127.0.0.2, which the policy allows; "internal" is 127.0.0.1 on the same port.
"""

import asyncio
import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from returns.result import Success

from webseam.composition.wiring.pages import wire_page_fetcher

from .support import ScriptedNames, Site, opening, page, run, serving_both

PUBLIC, INTERNAL = "127.0.0.2", "127.0.0.1"
ANSWERS: list[Sequence[str]] = [
    [PUBLIC],
    [PUBLIC],
    [PUBLIC, PUBLIC],
    [INTERNAL],
    [PUBLIC, INTERNAL],
    [INTERNAL, PUBLIC],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["169.254.169.254", PUBLIC],
    ["10.0.0.1"],
    ["0.0.0.0"],  # noqa: S104  an answer; nothing is bound
    [],
]


class Outcome(NamedTuple):
    kinds: list[str]
    lookups: list[int]
    internal: int
    public: int


async def fetch_each(scripts: Sequence[Sequence[Sequence[str]]], path: str = "/") -> Outcome:
    """Fetch one name per script, 50 at a time, and count who was reached."""
    public = Site(page(b"public page"))
    internal = Site(page(b"INTERNAL SECRET"))
    async with serving_both((public, PUBLIC), (internal, INTERNAL)) as port:
        turns = asyncio.Semaphore(50)

        async def fetch(script: Sequence[Sequence[str]]) -> tuple[str, int]:
            names = ScriptedNames(script)
            fetcher = wire_page_fetcher(opening(f"{PUBLIC}/32:{port}"), resolve=names)
            async with turns:
                fetched = await fetcher.fetch(f"http://rebind.example.com:{port}{path}")
            kind = "ok" if isinstance(fetched, Success) else fetched.failure().kind
            return kind, len(names.asked)

        outcomes = await asyncio.gather(*map(fetch, scripts))
    kinds, lookups = [kind for kind, _ in outcomes], [count for _, count in outcomes]
    return Outcome(kinds, lookups, internal.connections, len(public.heads))


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ([[PUBLIC], [INTERNAL]], "ok"),
        ([[PUBLIC], [INTERNAL], [PUBLIC], [INTERNAL]], "ok"),
        ([[INTERNAL], [PUBLIC]], "url_denied"),
        ([[PUBLIC, INTERNAL]], "url_denied"),
        ([[INTERNAL, PUBLIC]], "url_denied"),
        ([[]], "dns_not_found"),
    ],
)
def test_the_first_answer_is_the_only_one_and_every_address_of_it_counts(
    script: list[list[str]], kind: str
) -> None:
    outcome = run(fetch_each([script]))

    assert outcome == Outcome([kind], [1], 0, int(kind == "ok"))


def test_a_thousand_random_scripts_never_reach_the_internal_service() -> None:
    chance = random.Random(20)  # noqa: S311  a fixed seed, for the same scripts each time
    scripts = [chance.choices(ANSWERS, k=chance.randint(1, 4)) for _ in range(1000)]

    outcome = run(fetch_each(scripts))

    assert outcome.internal == 0
    assert set(outcome.kinds) == {"ok", "url_denied", "dns_not_found"}
    assert outcome.public == outcome.kinds.count("ok") > 100
    assert set(outcome.lookups) == {1}


def test_a_redirect_is_looked_up_and_checked_again() -> None:
    async def fetch() -> tuple[object, int, list[str]]:
        internal = Site(page(b"INTERNAL SECRET"))
        public = Site(page(b"", "Location: /again", status="302 Found"))
        names = ScriptedNames([[PUBLIC], [INTERNAL]])
        async with serving_both((public, PUBLIC), (internal, INTERNAL)) as port:
            fetcher = wire_page_fetcher(opening(f"{PUBLIC}/32:{port}"), resolve=names)
            fetched = await fetcher.fetch(f"http://rebind.example.com:{port}/")
        refusal = fetched.failure()
        return (refusal.kind, getattr(refusal, "hop", 0)), internal.connections, names.asked

    refusal, internal, outcome = run(fetch())

    assert refusal == ("url_denied", 1)
    assert internal == 0
    assert outcome == ["rebind.example.com", "rebind.example.com"]

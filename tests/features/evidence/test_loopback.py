"""The world on loopback in small: search, pages and model through HTTP, whoever lies."""

import asyncio
from collections import Counter

from benchmarks.evidence.world.run import MISSED, RIGHT, SCENES, WRONG, counts, tally
from benchmarks.evidence.world.server import running_world

# Nobody has to be asked again here: that takes a while.
QUICK = [scene for scene in SCENES if scene[1] != "broken"]


def test_answers_are_right_or_typed_failures_whoever_lies() -> None:
    with running_world() as world:
        # A length, a denial and a sale.
        questions = [list(world.facts.values())[at] for at in (1, 31, 41)]
        trials = asyncio.run(tally(world, questions, QUICK))

    assert [trial for trial in trials if trial.verdict in (WRONG, MISSED)] == []
    verdicts = counts(trials)
    assert verdicts["honest", "naming"] == Counter({RIGHT: 3})
    assert verdicts["(no model)", "naming"] == Counter({RIGHT: 3})
    # The pages' own sentences stand in for the claims of a model that swaps who did what.
    assert verdicts["swapping", "naming"] == Counter({RIGHT: 3})
    assert verdicts["honest", "poisoned"] == Counter({"invalid_row": 3})

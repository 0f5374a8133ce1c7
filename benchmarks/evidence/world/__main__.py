"""``python -m benchmarks.evidence.world [QUESTIONS]``: fifty questions in every scene; 1 if one is WRONG."""

import asyncio
import sys
import time

from .run import RIGHT, WRONG, counts, tally
from .server import running_world


def main() -> int:
    """Print who got what through."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    began = time.monotonic()
    with running_world() as world:
        every = list(world.facts.values())
        questions = every[:: max(1, len(every) // most)][:most]
        trials = asyncio.run(tally(world, questions))
    print(f"{len(trials)} questions asked in {time.monotonic() - began:.0f} s")
    for (model, search), verdicts in counts(trials).items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        print(f"  model {model:20} search {search:10} {told}")
    for trial in [trial for trial in trials if trial.verdict == WRONG][:20]:
        print("WRONG", trial.scene, trial.question, "->", trial.detail)
    honest = [trial for trial in trials if trial.scene == ("honest", "naming")]
    missed = [trial for trial in honest if trial.verdict != RIGHT]
    for trial in missed[:20]:
        print("MISSED", trial.question, "->", trial.verdict, trial.detail)
    return int(bool(missed) or any(trial.verdict == WRONG for trial in trials))


if __name__ == "__main__":
    sys.exit(main())

"""Asks the questions of the world, and tells who got what through."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from returns.result import Failure, Result

import webseam
from webseam.ports.errors import WebError
from webseam.ports.evidence import AskOutcome, AskStep, Claim

from .facts import Fact
from .models import MODELS
from .pages import HONEST, visible_sentences
from .server import SEARCHES, World, surroundings

NO_MODEL = "(no model)"
# Whoever answers while the search is as it should be, and an honest model while it is not.
SCENES = (
    *((model, "naming") for model in (NO_MODEL, *MODELS)),
    *(("honest", search) for search in SEARCHES[1:]),
)
_FEW = 5
RIGHT, MISSED, WRONG = "right", "missed", "WRONG"


class Trial(msgspec.Struct, frozen=True):
    """What came of a question: ``right``, ``missed``, ``WRONG`` or the kind of a failure.

    ``missed``: all that is claimed stands on the pages, the answer is not among it. Claims that were told on the way are judged as those of the answer.
    """

    scene: tuple[str, str]
    question: str
    verdict: str
    detail: str = ""


async def tally(
    world: World, questions: Sequence[Fact], scenes: Iterable[tuple[str, str]] = SCENES
) -> list[Trial]:
    """Ask every question in every scene, through HTTP."""
    scenes = tuple(scenes)
    trials: list[Trial] = []
    environment = surroundings(world)
    extractive = webseam.open(environment=environment)
    written = webseam.open(
        environment=environment, settings={"ask.provider": "deepseek", "ask.model": "m"}
    )
    async with extractive, written:
        for scene in scenes:
            model, world.search = scene
            world.model = "honest" if model == NO_MODEL else model
            web = extractive if model == NO_MODEL else written
            # Whoever is broken is asked again after a while: a few questions are enough.
            few = questions[:_FEW] if world.search == "broken" else questions
            trials += [await _trial(web, fact, scene) for fact in few]
    return trials


async def _trial(web: webseam.Web, fact: Fact, scene: tuple[str, str]) -> Trial:
    told: list[Claim] = []
    result: Result[AskOutcome, WebError] | None = None
    async for event in web.ask_steps(fact.question, max_pages=8):
        if not isinstance(event, AskStep):
            result = event
        elif event.claim is not None:
            told.append(event.claim)
    assert result is not None
    verdict, detail = _verdict(fact, result, told)
    return Trial(scene, fact.question, verdict, detail)


def _verdict(
    fact: Fact, result: Result[AskOutcome, WebError], told: Sequence[Claim]
) -> tuple[str, str]:
    """Judge an answer by what the world knows, not by what the checks think."""
    claims = () if isinstance(result, Failure) else result.unwrap().claims
    for claim in (*told, *claims):
        if not _is_carried(fact, claim):
            return WRONG, claim.text
    if isinstance(result, Failure):
        return result.failure().kind, result.failure().message
    if tuple(told) != claims:
        return WRONG, "what was told is not the answer"
    texts = [_plain(claim.text) for claim in claims]
    # The page's own sentence is the answer, whoever chose it; its paragraph may stand around it.
    if any(_plain(fact.truth) in text for text in texts):
        return RIGHT, ""
    return MISSED, "; ".join(texts)


def _is_carried(fact: Fact, claim: Claim) -> bool:
    """Tell whether the page that a claim names says it, in just these words."""
    kind = claim.frame.url.rsplit("/", 1)[-1]
    if kind not in HONEST:
        return False
    return _plain(claim.text) in _plain(" ".join(visible_sentences(fact, kind)))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def counts(trials: Iterable[Trial]) -> dict[tuple[str, str], Counter[str]]:
    """Return the verdicts of each scene."""
    every: dict[tuple[str, str], Counter[str]] = {}
    for trial in trials:
        every.setdefault(trial.scene, Counter())[trial.verdict] += 1
    return every


__all__ = ["MISSED", "NO_MODEL", "RIGHT", "SCENES", "WRONG", "Trial", "counts", "tally"]

"""Rounds: every client plays every scene, in turns, so that a noisy minute hurts all alike."""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import product
from typing import TypeAlias

import msgspec

from .answers import ROW_COUNTS
from .clients import CLIENTS, Client
from .processes import Worker, running_server, running_workers
from .scenes import Sample, Scene

# A client in a scene: its name, the rows, and how many calls at once.
Key: TypeAlias = tuple[str, int, int]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How long a run takes: rounds, seconds per scene, and how many calls at once.

    A client that is slow in a scene is waited for with ``patience``, twice: to warm up and to be
    watched. No scene begins after ``most_seconds``, but the first round is played to its end.
    ``pages`` are fetched and read once by each reader.
    """

    rounds: int
    seconds: float
    patience: float
    most_seconds: float
    at_once: tuple[int, ...]
    kernel_rounds: int
    import_rounds: int
    pages: int
    pages_at_once: int


FULL = Plan(
    rounds=4,
    seconds=1.0,
    patience=3.0,
    most_seconds=360.0,
    at_once=(1, 50, 500),
    kernel_rounds=25,
    import_rounds=15,
    pages=2000,
    pages_at_once=100,
)
QUICK = Plan(
    rounds=1,
    seconds=0.02,
    patience=5.0,
    most_seconds=30.0,
    at_once=(1, 5),
    kernel_rounds=1,
    import_rounds=1,
    pages=4,
    pages_at_once=2,
)


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One client in one scene: medians over the rounds, failures over all of them.

    ``cut`` counts the rounds in which calls were still under way when patience ran out.
    """

    client: str
    rows: int
    at_once: int
    cpu_microseconds: float
    calls_per_second: float
    calls: int
    cut: int
    failures: int
    failure: str
    rounds: int


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """The most that a client's process held in a round once it was warm, and in the last, in bytes.

    The first round opens every connection and fills what a program fills once.
    """

    client: str
    warm: int
    last: int
    calls_between: int


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of all rounds."""

    cells: tuple[Cell, ...]
    memory: tuple[Memory, ...]
    missing: tuple[str, ...]


def is_installed(client: Client) -> bool:
    """Tell whether everything that a client needs can be imported here."""
    return all(find_spec(module) is not None for module in client.needs)


def play(plan: Plan, say: Callable[[str], None]) -> Played:
    """Play all rounds with the clients that are installed."""
    present = [client for client in CLIENTS if is_installed(client)]
    with running_server() as base, running_workers(present, base) as workers:
        samples = _play_scenes(plan, workers, say)
    return Played(
        cells=tuple(_cell(key, samples_of) for key, samples_of in samples.items()),
        memory=tuple(_memory(client.name, samples) for client in present),
        missing=tuple(client.title for client in CLIENTS if client not in present),
    )


def _play_scenes(
    plan: Plan, workers: Sequence[Worker], say: Callable[[str], None]
) -> dict[Key, list[Sample]]:
    samples: dict[Key, list[Sample]] = defaultdict(list)
    settings = [(rows, at_once) for rows in ROW_COUNTS for at_once in plan.at_once]
    began = time.monotonic()
    for number, (rows, at_once) in product(range(plan.rounds), settings):
        if number and time.monotonic() - began > plan.most_seconds:
            say("that is enough: the time is up")
            break
        say(f"round {number + 1} of {plan.rounds}: {rows} rows, {at_once} at once")
        scene = Scene(rows=rows, at_once=at_once, seconds=plan.seconds, most_seconds=plan.patience)
        for worker in _turned(workers, number):
            samples[worker.client.name, rows, at_once].append(worker.play(scene))
    return samples


def _turned(workers: Sequence[Worker], by: int) -> Sequence[Worker]:
    """Begin each round with another client, so that none always follows the same neighbour."""
    start = by % len(workers)
    return [*workers[start:], *workers[:start]]


def _cell(key: Key, samples: Sequence[Sample]) -> Cell:
    client, rows, at_once = key
    return Cell(
        client=client,
        rows=rows,
        at_once=at_once,
        # Where no call at all was answered, one would have cost at least as much.
        cpu_microseconds=statistics.median(s.cpu_seconds / max(s.calls, 1) * 1e6 for s in samples),
        calls_per_second=statistics.median(s.calls / s.seconds for s in samples),
        calls=sum(sample.calls for sample in samples),
        cut=sum(sample.cut for sample in samples),
        failures=sum(sample.failures for sample in samples),
        failure=next((sample.failure for sample in samples if sample.failure), ""),
        rounds=len(samples),
    )


def _memory(client: str, samples: Mapping[Key, Sequence[Sample]]) -> Memory:
    """Compare the most that was held in the second round with the most in the last."""
    mine = [taken[1:] or taken for (name, _, _), taken in samples.items() if name == client]
    return Memory(
        client=client,
        warm=max(taken[0].memory for taken in mine),
        last=max(taken[-1].memory for taken in mine),
        calls_between=sum(sample.calls for taken in mine for sample in taken[1:]),
    )

"""Rounds: every client plays every scene, in turns, so that a noisy minute hurts all alike."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TypeAlias

import msgspec

from .answers import ROW_COUNTS
from .clients import CLIENTS, Client
from .processes import Worker, running_server, running_workers
from .scenes import Sample, Scene

# A client in a scene: its name, the rows, and how many calls at once.
Key: TypeAlias = tuple[str, int, int]

_TRIAL_CALLS, _MOST_CALLS = 10, 20_000


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How long a run takes: rounds, seconds per scene, and how many calls at once."""

    rounds: int
    seconds: float
    at_once: tuple[int, ...]
    kernel_rounds: int
    import_rounds: int


FULL = Plan(rounds=4, seconds=1.0, at_once=(1, 50, 500), kernel_rounds=25, import_rounds=15)
QUICK = Plan(rounds=1, seconds=0.02, at_once=(1, 5), kernel_rounds=1, import_rounds=1)


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One client in one scene: medians over the rounds, failures over all of them."""

    client: str
    rows: int
    at_once: int
    cpu_microseconds: float
    calls_per_second: float
    calls: int
    failures: int
    failure: str
    rounds: int


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """What a client's process held after its first and its last round, in bytes."""

    client: str
    first: int
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
        cells=tuple(_cell(key, taken) for key, taken in samples.items()),
        memory=tuple(_memory(client.name, samples) for client in present),
        missing=tuple(client.title for client in CLIENTS if client not in present),
    )


def _play_scenes(
    plan: Plan, workers: Sequence[Worker], say: Callable[[str], None]
) -> dict[Key, list[Sample]]:
    samples: dict[Key, list[Sample]] = defaultdict(list)
    settings = [(rows, at_once) for rows in ROW_COUNTS for at_once in plan.at_once]
    say("warming up")
    scenes = {
        (worker.client.name, *setting): _fitting(plan.seconds, worker, *setting)
        for setting in settings
        for worker in workers
    }
    for number in range(plan.rounds):
        say(f"round {number + 1} of {plan.rounds}")
        for setting in settings:
            for worker in _turned(workers, number):
                key = (worker.client.name, *setting)
                samples[key].append(worker.play(scenes[key]))
    return samples


def _fitting(seconds: float, worker: Worker, rows: int, at_once: int) -> Scene:
    """Return a scene with as many calls as take about that long, and at least two waves."""
    few = max(at_once, _TRIAL_CALLS)
    trial = worker.play(Scene(rows=rows, at_once=at_once, calls=few, warm_up=at_once))
    fitting = int(seconds * trial.calls / trial.seconds)
    calls = max(2 * at_once, min(fitting, _MOST_CALLS))
    return Scene(rows=rows, at_once=at_once, calls=calls, warm_up=at_once)


def _turned(workers: Sequence[Worker], by: int) -> Sequence[Worker]:
    """Begin each round with another client, so that none always follows the same neighbour."""
    start = by % len(workers)
    return [*workers[start:], *workers[:start]]


def _cell(key: Key, taken: Sequence[Sample]) -> Cell:
    client, rows, at_once = key
    return Cell(
        client=client,
        rows=rows,
        at_once=at_once,
        cpu_microseconds=statistics.median(s.cpu_seconds / s.calls * 1e6 for s in taken),
        calls_per_second=statistics.median(s.calls / s.seconds for s in taken),
        calls=sum(sample.calls for sample in taken),
        failures=sum(sample.failures for sample in taken),
        failure=next((sample.failure for sample in taken if sample.failure), ""),
        rounds=len(taken),
    )


def _memory(client: str, samples: Mapping[Key, Sequence[Sample]]) -> Memory:
    """Compare the most that was held in the first round with the most in the last."""
    mine = [taken for (name, _, _), taken in samples.items() if name == client]
    return Memory(
        client=client,
        first=max(taken[0].memory for taken in mine),
        last=max(taken[-1].memory for taken in mine),
        calls_between=sum(sample.calls for taken in mine for sample in taken[1:]),
    )

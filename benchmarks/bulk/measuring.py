"""Every reader reads all pages, in turns, each in a process of its own."""

import statistics
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

import msgspec

from benchmarks.processes import output_of, running_server

from .readers import READERS
from .reading import Sample

OURS, PEER = "webseam", "httpx + trafilatura"


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One reader: medians over the rounds, and the fewest pages that came back whole."""

    reader: str
    pages: int
    at_once: int
    whole: int
    pages_per_second: float
    cpu_milliseconds: float


def measure(pages: int, at_once: int, rounds: int) -> tuple[Figure, ...]:
    """Let each reader that is installed read the pages, so many at once."""
    size = (str(pages), str(at_once))
    names = [name for name in READERS if name == OURS or find_spec("trafilatura")]
    taken: dict[str, list[Sample]] = {name: [] for name in names}
    with running_server("benchmarks.bulk.server") as base:
        for _ in range(rounds):
            for name in names:
                line = output_of("benchmarks.bulk.reading", name, base, *size)
                taken[name].append(msgspec.json.decode(line, type=Sample))
    return tuple(_figure(name, at_once, samples) for name, samples in taken.items())


def speed_ratio(figures: Sequence[Figure]) -> float | None:
    """Return our pages per second as a multiple of the peer's; None without the peer."""
    speeds = {figure.reader: figure.pages_per_second for figure in figures}
    return speeds[OURS] / speeds[PEER] if PEER in speeds else None


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """Return the lines of a table."""
    first = figures[0]
    title = f"{first.pages} pages of 50 KB, {first.at_once} at once"
    yield f"{title:<38}{'pages/s':>12}{'CPU ms/page':>12}{'whole':>8}"
    for figure in figures:
        speed, cost = f"{figure.pages_per_second:.1f}", f"{figure.cpu_milliseconds:.2f}"
        yield f"{figure.reader:<38}{speed:>12}{cost:>12}{figure.whole:>8}"


def _figure(name: str, at_once: int, samples: Sequence[Sample]) -> Figure:
    return Figure(
        reader=name,
        pages=samples[0].pages,
        at_once=at_once,
        whole=min(sample.whole for sample in samples),
        pages_per_second=statistics.median(s.pages / s.seconds for s in samples),
        cpu_milliseconds=statistics.median(s.cpu_seconds / s.pages * 1e3 for s in samples),
    )

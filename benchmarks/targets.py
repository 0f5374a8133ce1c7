"""What we promised about speed, and whether this run kept it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from .bulk.measuring import Figure, speed_ratio
from .imports import Starts
from .rounds import Cell, Played

OURS, RAW_HTTPX, LITELLM = "webseam", "httpx", "litellm"
_MEBIBYTE = 1024 * 1024


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One target: what is measured, the limit in words, the value, and whether it is met."""

    what: str
    target: str
    value: str
    met: bool | None


class Board:
    """The cells of a run, to be asked for ratios."""

    def __init__(self, played: Played) -> None:
        self._cells = {(cell.client, cell.rows, cell.at_once): cell for cell in played.cells}

    def find(self, client: str, at_once: int, rows: int = 10) -> Cell | None:
        return self._cells.get((client, rows, at_once))

    def cost_ratio(self, client: str, at_once: int, rows: int = 10) -> float | None:
        """Return our CPU per call as a multiple of a client's."""
        ours, theirs = self.find(OURS, at_once, rows), self.find(client, at_once, rows)
        return ours.cpu_microseconds / theirs.cpu_microseconds if ours and theirs else None

    def speed_ratio(self, client: str, at_once: int, rows: int = 10) -> float | None:
        """Return our calls per second as a multiple of a client's."""
        ours, theirs = self.find(OURS, at_once, rows), self.find(client, at_once, rows)
        if ours is None or theirs is None or not theirs.calls_per_second:
            return None
        return ours.calls_per_second / theirs.calls_per_second

    def growth(self, few: int, many: int) -> float | None:
        """Return our CPU per call with many at once as a multiple of that with few."""
        at_few, at_many = self.find(OURS, few), self.find(OURS, many)
        if at_few is None or at_many is None:
            return None
        return at_many.cpu_microseconds / at_few.cpu_microseconds


def judge(
    played: Played, kernel: Mapping[int, float], starts: Starts, bulk: Sequence[Figure]
) -> tuple[Verdict, ...]:
    """Hold a run against every target; what was not measured is neither met nor missed."""
    return (
        *_of_calls(Board(played)),
        *_of_soundness(played),
        *_of_bulk(bulk),
        *_of_starts(kernel, starts),
    )


def _of_calls(board: Board) -> Iterator[Verdict]:
    call = "search, 10 rows, 1 at once: CPU"
    yield _at_most(f"{call} / raw httpx + msgspec", 0.35, board.cost_ratio(RAW_HTTPX, 1), "x")
    yield _at_most(f"{call} / LiteLLM", 0.20, board.cost_ratio(LITELLM, 1), "x")
    for at_once in (50, 500):
        what = f"search, 10 rows, {at_once} at once: calls/s / LiteLLM"
        yield _at_least(what, 8, board.speed_ratio(LITELLM, at_once), "x")
    yield _at_most("CPU per call, 500 at once / 1 at once", 1.25, board.growth(1, 500), "x")


def _of_soundness(played: Played) -> Iterator[Verdict]:
    failures = sum(cell.failures for cell in played.cells if cell.client == OURS)
    yield _at_most("failed calls of ours", 0, failures, "")
    memory = next(memory for memory in played.memory if memory.client == OURS)
    grown = (memory.last - memory.warm) / _MEBIBYTE
    what = f"memory grown over {memory.calls_between} calls"
    yield _at_most(what, 4, grown if memory.calls_between else None, " MiB")


def _of_bulk(bulk: Sequence[Figure]) -> Iterator[Verdict]:
    yield _at_least("many pages: pages/s / (httpx + trafilatura)", 2, speed_ratio(bulk), "x")
    lost = sum(figure.pages - figure.whole for figure in bulk if figure.reader == OURS)
    yield _at_most("pages of ours that did not come back whole", 0, lost, "")


def _of_starts(kernel: Mapping[int, float], starts: Starts) -> Iterator[Verdict]:
    yield _at_most("the kernel alone, 100 rows", 150, kernel[100], " µs")
    yield _at_most("import webseam, CPU over bare", 60, starts.import_milliseconds, " ms")
    loaded = [name for name in starts.heavy_modules if name in ("httpx", "rich")]
    yield Verdict(
        what="import webseam loads httpx or rich",
        target="neither",
        value=" and ".join(loaded) or "neither",
        met=not loaded,
    )
    yield _at_most("webseam --help, CPU", 250, starts.help_milliseconds, " ms")
    local = "webseam search --backend local, CPU"
    yield _at_most(local, 250, starts.local_milliseconds, " ms")


def _at_most(what: str, limit: float, value: float | None, unit: str) -> Verdict:
    met = None if value is None else value <= limit
    return Verdict(what=what, target=f"<= {limit:g}{unit}", value=_value_text(value, unit), met=met)


def _at_least(what: str, limit: float, value: float | None, unit: str) -> Verdict:
    met = None if value is None else value >= limit
    return Verdict(what=what, target=f">= {limit:g}{unit}", value=_value_text(value, unit), met=met)


def _value_text(value: float | None, unit: str) -> str:
    return "not measured" if value is None else f"{value:.3g}{unit}"

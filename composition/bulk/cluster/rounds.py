"""Fetching in rounds: hosts in groups, each with one owner, and what was moved in the next one.

A page that was moved to a host of another group is gone on with by that group, in the next round:
so no host is ever asked by two. Messages are files, so a round can be done again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from returns.result import Success

from ....adapters.crawling.archive import drop_unwanted, keep_records, take_apart
from ....adapters.crawling.errands import Errand, group_of
from ....adapters.crawling.harvest import errands_of, records_between
from ....adapters.crawling.spool import Spool
from ....adapters.datasets.parts import whole_file
from ....kernel.bulk.rows import is_left_out
from ....kernel.policy.judge import judge_url
from ....kernel.policy.rules import Policy
from ....ports.bulk import Shard
from ..inputs.items import SPOOLS, spool_of, warc_of
from ..inputs.plan import entries_at

MOST_GROUPS: Final = 16
ROUND_PLAN: Final = "plan.json"
_ERRAND: Final = msgspec.json.Decoder(Errand)
Value = TypeVar("Value")


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How many bytes the rounds of a run may fetch, of which some were ``spent`` before them."""

    most: int | None = None
    spent: int = 0

    def has_room(self) -> bool:
        """Tell whether there are bytes left to fetch."""
        return self.most is None or self.spent < self.most

    def share(self, part: int, whole: int) -> int | None:
        """Return what is left for so many errands of all."""
        if self.most is None or not self.has_room():
            return self.most and 0
        return max(1, (self.most - self.spent) * part // max(1, whole))


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One round: how many errands each group has, and what all rounds may fetch."""

    number: int
    counts: list[int]
    budget: Budget = Budget()

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.counts)


_ROUND: Final = msgspec.json.Decoder(Round)


def round_folder(folder: Path, number: int) -> Path:
    """Return where a round is kept."""
    return folder / SPOOLS / f"round-{number:02}"


def harvest_path(folder: Path, number: int, group: int) -> Path:
    """Return where all lies that a group gave in a round."""
    return round_folder(folder, number) / f"group-{group:02}.harvest"


def group_folder(folder: Path, number: int, group: int) -> Path:
    """Return where the attempts at a group keep what they have."""
    return round_folder(folder, number) / f"group-{group:02}"


def inbox_path(folder: Path, number: int, group: int) -> Path:
    """Return where the errands of a group lie."""
    return round_folder(folder, number) / f"group-{group:02}.jsonl"


def errands_in(path: Path) -> Iterator[Errand]:
    """Yield the errands of an inbox; raises ``OSError``, also where it is damaged."""
    with path.open("rb") as lines:
        for line in lines:
            yield _decoded(line, _ERRAND, path)


def load_round(folder: Path, number: int) -> Round | None:
    """Return a round that was opened, None before; raises ``OSError``, also where it is damaged."""
    path = round_folder(folder, number) / ROUND_PLAN
    return _decoded(path.read_bytes(), _ROUND, path) if path.is_file() else None


def _decoded(content: bytes, decoder: msgspec.json.Decoder[Value], path: Path) -> Value:
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, ValueError) as error:
        reason = f"{path} is damaged; remove {path.parents[1]}, and its pages are fetched again"
        raise OSError(None, reason) from error


def open_round(folder: Path, wanted: Round, errands: Iterable[Errand], policy: Policy) -> Round:
    """Hand errands to the groups of their hosts, unless that was done; raises ``OSError``."""
    number, groups = wanted.number, wanted.groups
    begun = load_round(folder, number)
    if begun is not None:
        return begun
    counts = [0] * groups
    with ExitStack() as files:
        inboxes = [
            files.enter_context(whole_file(inbox_path(folder, number, group)))
            for group in range(groups)
        ]
        for errand in errands:
            group = group_of(_host(errand.url, policy), groups)
            inboxes[group].write(msgspec.json.encode(errand) + b"\n")
            counts[group] += 1
    begun = msgspec.structs.replace(wanted, counts=counts)
    with whole_file(round_folder(folder, number) / ROUND_PLAN) as stream:
        stream.write(msgspec.json.encode(begun))
    return begun


def first_errands(folder: Path, shards: Iterable[Shard], *, has_room: bool) -> Iterator[Errand]:
    """Yield the errands of the shards whose pages are not kept yet; raises ``OSError``.

    Where there ``has_room``, what was left out before is among them.
    """
    for shard in (shard for shard in shards if shard.kind == "urls"):
        path, place = warc_of(shard, folder), spool_of(shard, folder)
        if path.is_file() and not (has_room and take_apart(path, place, shard.rows, is_left_out)):
            continue
        kept = _kept_numbers(shard, folder, has_room=has_room)
        for number, entry in enumerate(entries_at(folder, shard)):
            url = entry.url or ""
            if number not in kept:
                yield Errand(number=shard.first + number, url=url, asked=url, error=entry.error)


def _kept_numbers(shard: Shard, folder: Path, *, has_room: bool) -> set[int]:
    """Return which pages of a shard came before, for one machine, without what was left out."""
    place, numbers = spool_of(shard, folder), range(shard.rows)
    if not place.is_file():
        return set()
    spool = Spool(place)
    try:
        if has_room:
            drop_unwanted(spool, numbers, is_left_out)
        return {number for number in numbers if number in spool}
    finally:
        spool.close()


def onward_errands(folder: Path, done: Round) -> Iterator[Errand]:
    """Yield what one round left to the next; raises ``OSError``."""
    for group, count in enumerate(done.counts):
        if count:
            yield from errands_of(harvest_path(folder, done.number, group))


def harvested(folder: Path, shard: Shard) -> dict[int, bytes]:
    """Return what all rounds brought of a shard, by its place in it; raises ``OSError``."""
    pieces: dict[int, bytes] = {}
    for path in sorted((folder / SPOOLS).glob("round-*/*.harvest")):
        for number, records in records_between(path, shard.first, shard.rows):
            place = number - shard.first
            pieces[place] = pieces.get(place, b"") + records
    return pieces


def keep_pages(folder: Path, shard: Shard, notes: Mapping[str, str]) -> None:
    """Put the pages of a shard together as WARC, in their order; raises ``OSError``."""
    pieces, numbers = harvested(folder, shard), range(shard.rows)
    spool = Spool(spool_of(shard, folder))
    try:
        # What a round brought came after it.
        older = [number for number in numbers if number in spool and number not in pieces]
        pieces |= dict(zip(older, spool.pieces(older), strict=True))
        if len(pieces) != shard.rows:
            lost = shard.rows - len(pieces)
            raise OSError(None, f"{lost:,} pages of {shard.name} were not fetched")
        keep_records(warc_of(shard, folder), (pieces[number] for number in numbers), notes)
        spool.remove()
    finally:
        spool.close()


def _host(url: str, policy: Policy) -> str:
    judged = judge_url(url, policy)
    return judged.unwrap().authority if isinstance(judged, Success) else ""

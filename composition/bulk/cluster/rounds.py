"""Fetching in rounds: hosts in groups, each with one owner, and what was moved in the next one.

A page that was moved to a host of another group is gone on with by that group, in the next round:
so no host is ever asked by two. Messages are files, so a round can be done again.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from returns.result import Success

from ....adapters.bulk.crawling.group_results import (
    FetchTask,
    Spool,
    drop_unwanted_pieces,
    group_records,
    host_group,
    read_onward_tasks,
    unpack_archive,
    write_records,
)
from ....adapters.bulk.datasets.whole_files import atomic_file
from ....kernel.bulk.bulk_rows import is_over_byte_limit
from ....kernel.policy.judge import judge_url
from ....kernel.policy.policy_rules import Policy
from ....ports.bulk import Shard
from ....ports.errors import NotConfigured, StoreFailed, WebError
from ..inputs.items import SPOOLS, shard_spool, shard_warc
from ..inputs.plan import load_plan, shard_entries
from ..options import BulkOptions, maker_versions

MAX_GROUPS: Final = 16
ROUND_PLAN: Final = "plan.json"
_ERRAND: Final = msgspec.json.Decoder(FetchTask)
Value = TypeVar("Value")


class RoundBudget(msgspec.Struct, frozen=True, kw_only=True):
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
    budget: RoundBudget = RoundBudget()

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.counts)


_ROUND: Final = msgspec.json.Decoder(Round)


def round_folder(folder: Path, number: int) -> Path:
    """Return where a round is kept."""
    return folder / SPOOLS / f"round-{number:02}"


def group_results_path(folder: Path, number: int, group: int) -> Path:
    """Return where all lies that a group gave in a round."""
    return round_folder(folder, number) / f"group-{group:02}.harvest"


def group_folder(folder: Path, number: int, group: int) -> Path:
    """Return where the attempts at a group keep what they have."""
    return round_folder(folder, number) / f"group-{group:02}"


def inbox_path(folder: Path, number: int, group: int) -> Path:
    """Return where the errands of a group lie."""
    return round_folder(folder, number) / f"group-{group:02}.jsonl"


def read_tasks(path: Path) -> Iterator[FetchTask]:
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


def open_round(
    folder: Path, new_round: Round, errands: Iterable[FetchTask], policy: Policy
) -> Round:
    """Hand errands to the groups of their hosts, unless that was done; raises ``OSError``."""
    number, groups = new_round.number, new_round.groups
    begun = load_round(folder, number)
    if begun is not None:
        return begun
    counts = [0] * groups
    with ExitStack() as files:
        inboxes = [
            files.enter_context(atomic_file(inbox_path(folder, number, group)))
            for group in range(groups)
        ]
        for errand in errands:
            group = host_group(_host(errand.url, policy), groups)
            inboxes[group].write(msgspec.json.encode(errand) + b"\n")
            counts[group] += 1
    begun = msgspec.structs.replace(new_round, counts=counts)
    with atomic_file(round_folder(folder, number) / ROUND_PLAN) as stream:
        stream.write(msgspec.json.encode(begun))
    return begun


def first_tasks(folder: Path, shards: Iterable[Shard], *, has_room: bool) -> Iterator[FetchTask]:
    """Yield the errands of the shards whose pages are not kept yet; raises ``OSError``.

    Where there ``has_room``, what was left out before is among them.
    """
    for shard in (shard for shard in shards if shard.kind == "urls"):
        path, place = shard_warc(shard, folder), shard_spool(shard, folder)
        if path.is_file() and not (
            has_room and unpack_archive(path, place, shard.rows, is_over_byte_limit)
        ):
            continue
        kept = _kept_numbers(shard, folder, has_room=has_room)
        for number, entry in enumerate(shard_entries(folder, shard)):
            url = entry.url or ""
            if number not in kept:
                yield FetchTask(number=shard.first + number, url=url, asked=url, error=entry.error)


def _kept_numbers(shard: Shard, folder: Path, *, has_room: bool) -> set[int]:
    """Return which pages of a shard came before, for one machine, without what was left out."""
    place, numbers = shard_spool(shard, folder), range(shard.rows)
    if not place.is_file():
        return set()
    spool = Spool(place)
    try:
        if has_room:
            drop_unwanted_pieces(spool, numbers, is_over_byte_limit)
        return {number for number in numbers if number in spool}
    finally:
        spool.close()


def onward_tasks(folder: Path, finished_round: Round) -> Iterator[FetchTask]:
    """Yield what one round left to the next; raises ``OSError``."""
    for group, count in enumerate(finished_round.counts):
        if count:
            yield from read_onward_tasks(group_results_path(folder, finished_round.number, group))


def shard_results(folder: Path, shard: Shard) -> dict[int, bytes]:
    """Return what all rounds brought of a shard, by its place in it; raises ``OSError``."""
    pieces: dict[int, bytes] = {}
    for path in sorted((folder / SPOOLS).glob("round-*/*.harvest")):
        for number, records in group_records(path, shard.first, shard.rows):
            place = number - shard.first
            pieces[place] = pieces.get(place, b"") + records
    return pieces


def keep_pages(folder: Path, shard: Shard, notes: Mapping[str, str]) -> None:
    """Put the pages of a shard together as WARC, in their order; raises ``OSError``."""
    pieces, numbers = shard_results(folder, shard), range(shard.rows)
    spool = Spool(shard_spool(shard, folder))
    try:
        # What a round brought came after it.
        older = [number for number in numbers if number in spool and number not in pieces]
        pieces |= dict(zip(older, spool.pieces(older), strict=True))
        if len(pieces) != shard.rows:
            lost = shard.rows - len(pieces)
            raise OSError(None, f"{lost:,} pages of {shard.name} were not fetched")
        write_records(shard_warc(shard, folder), (pieces[number] for number in numbers), notes)
        spool.remove()
    finally:
        spool.close()


def _host(url: str, policy: Policy) -> str:
    judged = judge_url(url, policy)
    return judged.unwrap().authority if isinstance(judged, Success) else ""


# What nodes are told, and whether a node is fit for it. Pages never pass through the cluster.


class RunIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """What all orders of a run say: its options, whose folder is absolute, and its versions.

    Names of sources begin at ``base``.
    """

    options: BulkOptions
    base: str
    makers: dict[str, str]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.options.folder)


class ShardOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Read a shard."""

    place: RunIdentity
    shard: Shard


class GroupOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Fetch what a group of hosts has in a round; ``max_bytes`` is for all its rounds."""

    place: RunIdentity
    policy: Policy
    round: Round
    group: int
    max_bytes: int | None


class GroupEnd(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a group: not ``whole`` when the run was stopped."""

    whole: bool


def explain_misfit(identity: RunIdentity) -> WebError | None:
    """Return why this node cannot work on the run, None when it can."""
    if load_plan(identity.folder) is None:
        reason = (
            f"{socket.gethostname()} does not see {identity.folder}: every node must share that "
            "folder, and those of the inputs, under the same names"
        )
        return StoreFailed(store="the run", reason=reason)
    here = maker_versions()
    differing = [
        f"{name} {here.get(name) or 'none'} instead of {version}"
        for name, version in identity.makers.items()
        if here.get(name) != version
    ]
    if not differing:
        return None
    reason = f"{socket.gethostname()} has other versions: {', '.join(differing)}"
    return NotConfigured(reason=reason, remedy="Install the same versions on every node.")

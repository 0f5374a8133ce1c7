"""Fetch in rounds: each group of hosts has one owner, and redirects go to the next round.

A redirect to a host of another group becomes a task of that group in the next round, so no two
owners ask one host. Messages are files, so a round can be repeated. Pages never pass through the
cluster.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from webseam.adapters.features.bulk.crawling.group_results import (
    FetchTask,
    Spool,
    archive_to_spool,
    drop_unwanted_pieces,
    host_group,
    read_group_records,
    read_onward_tasks,
    write_warc_records,
)
from webseam.adapters.features.bulk.datasets.atomic_files import open_atomic_file, write_whole_file
from webseam.kernel.features.bulk.bulk_rows import is_over_bulk_byte_limit
from webseam.kernel.policy.judge import judge_url
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import Shard
from webseam.ports.errors import NotConfigured, StoreFailed, WebError

from ..items import SPOOLS, shard_spool, shard_warc
from ..options import BulkOptions, maker_versions
from ..plan import load_run_plan, shard_entries

MAX_GROUPS: Final = 16
ROUND_PLAN: Final = "plan.json"
_FETCH_TASK_DECODER: Final = msgspec.json.Decoder(FetchTask)
Value = TypeVar("Value")


class RoundBudget(msgspec.Struct, frozen=True, kw_only=True):
    """The byte limit of all rounds, ``spent`` of which was fetched before them."""

    most: int | None = None
    spent: int = 0

    def has_room(self) -> bool:
        """Return whether the byte budget has room."""
        return self.most is None or self.spent < self.most

    def group_max_bytes(self, task_count: int, total_tasks: int) -> int | None:
        """Return the bytes that are left for ``task_count`` of ``total_tasks`` fetch tasks."""
        if self.most is None or not self.has_room():
            return self.most and 0
        return max(1, (self.most - self.spent) * task_count // max(1, total_tasks))


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One round: the number of fetch tasks per group, and the byte budget of all rounds."""

    number: int
    counts: list[int]
    budget: RoundBudget = RoundBudget()

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.counts)


_ROUND_DECODER: Final = msgspec.json.Decoder(Round)


def round_folder(folder: Path, number: int) -> Path:
    """Return the folder of a round."""
    return folder / SPOOLS / f"round-{number:02}"


def group_results_path(folder: Path, number: int, group: int) -> Path:
    """Return the file with all results of a group in a round."""
    return round_folder(folder, number) / f"group-{group:02}.harvest"


def group_folder(folder: Path, number: int, group: int) -> Path:
    """Return the folder where the attempts at a group store their segments."""
    return round_folder(folder, number) / f"group-{group:02}"


def group_inbox_path(folder: Path, number: int, group: int) -> Path:
    """Return the file with the fetch tasks of a group."""
    return round_folder(folder, number) / f"group-{group:02}.jsonl"


def read_fetch_tasks(path: Path) -> Iterator[FetchTask]:
    """Yield the fetch tasks of an inbox; raises ``OSError``, also for a damaged file."""
    with path.open("rb") as lines:
        for line in lines:
            yield _decode_round_file(line, _FETCH_TASK_DECODER, path)


def load_round(folder: Path, number: int) -> Round | None:
    """Return a round that was opened, or None; raises ``OSError``, also for a damaged file."""
    path = round_folder(folder, number) / ROUND_PLAN
    return _decode_round_file(path.read_bytes(), _ROUND_DECODER, path) if path.is_file() else None


def _decode_round_file(content: bytes, decoder: msgspec.json.Decoder[Value], path: Path) -> Value:
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, ValueError) as error:
        reason = f"{path} is damaged; remove {path.parents[1]}, and its pages are fetched again"
        raise OSError(None, reason) from error


def open_round(folder: Path, new_round: Round, tasks: Iterable[FetchTask], policy: Policy) -> Round:
    """Write each fetch task to its host's group, unless that was done; raises ``OSError``."""
    number, groups = new_round.number, new_round.groups
    if (opened := load_round(folder, number)) is not None:
        return opened
    counts = [0] * groups
    with ExitStack() as files:
        inboxes = [
            files.enter_context(open_atomic_file(group_inbox_path(folder, number, group)))
            for group in range(groups)
        ]
        for task in tasks:
            host = judge_url(task.url, policy).map(lambda target: target.authority).value_or("")
            group = host_group(host, groups)
            inboxes[group].write(msgspec.json.encode(task) + b"\n")
            counts[group] += 1
    opened = msgspec.structs.replace(new_round, counts=counts)
    write_whole_file(round_folder(folder, number) / ROUND_PLAN, msgspec.json.encode(opened))
    return opened


def first_fetch_tasks(
    folder: Path, shards: Iterable[Shard], *, has_room: bool
) -> Iterator[FetchTask]:
    """Yield the fetch tasks of the shards that have no WARC file yet; raises ``OSError``.

    Where the budget ``has_room``, include the tasks that it left out before.
    """
    for shard in (shard for shard in shards if shard.kind == "urls"):
        path, spool_path = shard_warc(shard, folder), shard_spool(shard, folder)
        if path.is_file() and not (
            has_room and archive_to_spool(path, spool_path, shard.rows, is_over_bulk_byte_limit)
        ):
            continue
        spooled = _spooled_page_numbers(shard, folder, has_room=has_room)
        for number, entry in enumerate(shard_entries(folder, shard)):
            url = entry.url or ""
            if number not in spooled:
                yield FetchTask(number=shard.first + number, url=url, asked=url, error=entry.error)


def _spooled_page_numbers(shard: Shard, folder: Path, *, has_room: bool) -> set[int]:
    spool_path, numbers = shard_spool(shard, folder), range(shard.rows)
    if not spool_path.is_file():
        return set()
    with closing(Spool(spool_path)) as spool:
        if has_room:
            drop_unwanted_pieces(spool, numbers, is_over_bulk_byte_limit)
        return {number for number in numbers if number in spool}


def onward_fetch_tasks(folder: Path, finished_round: Round) -> Iterator[FetchTask]:
    """Yield the fetch tasks that a round left to the next; raises ``OSError``."""
    for group, count in enumerate(finished_round.counts):
        if count:
            yield from read_onward_tasks(group_results_path(folder, finished_round.number, group))


def shard_results(folder: Path, shard: Shard) -> dict[int, bytes]:
    """Return the records of a shard from all rounds, by row; raises ``OSError``."""
    records_by_row: dict[int, bytes] = {}
    for path in sorted((folder / SPOOLS).glob("round-*/*.harvest")):
        for number, records in read_group_records(path, shard.first, shard.rows):
            row = number - shard.first
            records_by_row[row] = records_by_row.get(row, b"") + records
    return records_by_row


def write_shard_pages(folder: Path, shard: Shard, notes: Mapping[str, str]) -> None:
    """Write the pages of a shard as WARC, in order; raises ``OSError``."""
    pieces, numbers = shard_results(folder, shard), range(shard.rows)
    with closing(Spool(shard_spool(shard, folder))) as spool:
        # Prefer results of rounds: they are newer than the spool.
        older = [number for number in numbers if number in spool and number not in pieces]
        pieces |= dict(zip(older, spool.read_pieces(older), strict=True))
        if len(pieces) != shard.rows:
            lost = shard.rows - len(pieces)
            raise OSError(None, f"{lost:,} pages of {shard.name} were not fetched")
        write_warc_records(shard_warc(shard, folder), (pieces[n] for n in numbers), notes)
        spool.remove_spool()


class RunIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """What all orders of a run share; source names are relative to ``base``."""

    options: BulkOptions
    base: str
    makers: dict[str, str]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.options.folder)


class ShardOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to read a shard."""

    run: RunIdentity
    shard: Shard


class GroupOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to fetch a group's tasks of a round; ``max_bytes`` is for all its rounds."""

    run: RunIdentity
    policy: Policy
    round: Round
    group: int
    max_bytes: int | None


class GroupEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a group's round; not complete when the run was stopped."""

    is_complete: bool


def explain_misfit(identity: RunIdentity) -> WebError | None:
    """Return why this node cannot work on the run, or None."""
    if load_run_plan(identity.folder) is None:
        reason = (
            f"{socket.gethostname()} does not see {identity.folder}: every node must share that "
            "folder, and those of the inputs, under the same names"
        )
        return StoreFailed(store="the run", reason=reason)
    local_versions = maker_versions()
    differing = [
        f"{name} {local_versions.get(name) or 'none'} instead of {version}"
        for name, version in identity.makers.items()
        if local_versions.get(name) != version
    ]
    if not differing:
        return None
    reason = f"{socket.gethostname()} has other versions: {', '.join(differing)}"
    return NotConfigured(reason=reason, remedy="Install the same versions on every node.")

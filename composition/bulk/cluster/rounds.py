"""Fetching in rounds: hosts in groups, each with one owner, and what was moved in the next one.

A page that was moved to a host of another group is gone on with by that group, in the next round:
so no host is ever asked by two. Messages are files, so a round can be done again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Success

from ....adapters.crawling.archive import keep_records
from ....adapters.crawling.errands import Errand, group_of
from ....adapters.crawling.harvest import errands_of, records_between
from ....adapters.datasets.parts import whole_file
from ....kernel.policy.judge import judge_url
from ....kernel.policy.rules import Policy
from ....ports.bulk import Shard
from ..inputs.items import SPOOLS, warc_of
from ..inputs.plan import entries_at

MOST_GROUPS: Final = 16
_PLAN: Final = "plan.json"
_ERRAND: Final = msgspec.json.Decoder(Errand)


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One round: how many errands each group has."""

    number: int
    counts: list[int]

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.counts)


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
    """Yield the errands of an inbox; raises ``OSError``."""
    with path.open("rb") as lines:
        for line in lines:
            yield _ERRAND.decode(line)


def open_round(
    folder: Path, number: int, groups: int, errands: Iterable[Errand], policy: Policy
) -> Round:
    """Hand errands to the groups of their hosts, unless that was done; raises ``OSError``."""
    path = round_folder(folder, number) / _PLAN
    if path.is_file():
        return msgspec.json.decode(path.read_bytes(), type=Round)
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
    begun = Round(number=number, counts=counts)
    with whole_file(path) as stream:
        stream.write(msgspec.json.encode(begun))
    return begun


def first_errands(folder: Path, shards: Iterable[Shard]) -> Iterator[Errand]:
    """Yield the errands of the shards whose pages are not kept yet."""
    for shard in shards:
        if shard.kind == "urls" and not warc_of(shard, folder).is_file():
            for number, entry in enumerate(entries_at(folder, shard), shard.first):
                url = entry.url or ""
                yield Errand(number=number, url=url, asked=url, error=entry.error)


def onward_errands(folder: Path, done: Round) -> Iterator[Errand]:
    """Yield what one round left to the next; raises ``OSError``."""
    for group, count in enumerate(done.counts):
        if count:
            yield from errands_of(harvest_path(folder, done.number, group))


def keep_pages(folder: Path, shard: Shard, notes: Mapping[str, str]) -> None:
    """Put the pages of a shard together as WARC, in their order; raises ``OSError``."""
    pieces: dict[int, bytes] = {}
    for path in sorted((folder / SPOOLS).glob("round-*/*.harvest")):
        for number, records in records_between(path, shard.first, shard.rows):
            pieces[number] = pieces.get(number, b"") + records
    if len(pieces) != shard.rows:
        raise OSError(None, f"{shard.rows - len(pieces):,} pages of {shard.name} were not fetched")
    keep_records(warc_of(shard, folder), (pieces[number] for number in sorted(pieces)), notes)


def _host(url: str, policy: Policy) -> str:
    judged = judge_url(url, policy)
    return judged.unwrap().authority if isinstance(judged, Success) else ""

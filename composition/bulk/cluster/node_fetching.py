"""What nodes do with hosts: fetch the pages of a group of them. It may be done twice."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from typing import Final

import msgspec

from ....adapters.bulk.crawling.group_results import (
    AttemptSegments,
    FetchTask,
    host_group,
    page_bytes,
    write_group_results,
)
from ....ports.errors import WebError
from ....ports.targets import Target
from ..fetching import Fetching, HostShare, wait_all
from ..inputs.items import SPOOLS
from ..run_folder import store_error
from .group_ownership import HANDOVER_SECONDS, STOP_FILE, GroupOwnership
from .rounds import (
    GroupEnd,
    GroupOrder,
    explain_misfit,
    group_folder,
    group_results_path,
    inbox_path,
    read_tasks,
)

# Errands under way or waiting for their host's turn: memory does not grow with the list.
_ERRANDS_AHEAD: Final = 1000


def fetch_group(order: GroupOrder) -> GroupEnd | WebError:
    """Fetch the pages of a group, or go on with that; or return what stops the run."""
    unfit = explain_misfit(order.place)
    if unfit is not None:
        return unfit
    try:
        return GroupEnd(whole=asyncio.run(_fetch(order)))
    except OSError as error:
        return store_error(error)


async def _fetch(order: GroupOrder) -> bool:
    folder, number, group = order.place.folder, order.round.number, order.group
    harvest = group_results_path(folder, number, group)
    if harvest.is_file():
        return True
    attempt, own = os.urandom(8).hex(), group_folder(folder, number, group)
    segments = AttemptSegments(own, attempt)
    try:
        tenure = GroupOwnership(own / "owner", attempt, folder / STOP_FILE)
        fetching = _fetching(order, segments, tenure)
        inbox = inbox_path(folder, number, group)
        await _bring(fetching, read_tasks(inbox), segments, tenure)
        fetching.save_recent()
        if not all(errand.number in segments for errand in read_tasks(inbox)):
            return False
        write_group_results(harvest, segments.fetch_results())
    finally:
        segments.close()
    return True


async def _bring(
    fetching: Fetching,
    errands: Iterable[FetchTask],
    segments: AttemptSegments,
    tenure: GroupOwnership,
) -> None:
    room = asyncio.Semaphore(_ERRANDS_AHEAD)

    async def bring(errand: FetchTask) -> None:
        parcel = await fetching.bring(errand)
        if parcel is not None:
            segments.add(errand.number, parcel)
        room.release()

    async with wait_all() as tasks:
        for errand in errands:
            if errand.number in segments:
                continue
            await room.acquire()
            if tenure.is_over():
                break
            tasks.create_task(bring(errand))


def _fetching(order: GroupOrder, segments: AttemptSegments, tenure: GroupOwnership) -> Fetching:
    """Return the network of this group alone, with its share of what a run may do at once."""
    groups = order.round.groups

    def is_ours(target: Target) -> bool:
        return host_group(target.authority, groups) == order.group

    options = msgspec.structs.replace(
        order.place.options,
        at_once=max(1, order.place.options.at_once // groups),
        max_bytes=order.max_bytes,
    )
    share = HostShare(
        is_ours=is_ours,
        others_until=_others_until(order, segments),
        texts=order.place.folder / SPOOLS / "robots",
        recent=order.place.folder / SPOOLS / "recent" / f"group-{order.group:02}",
        parts=groups,
        spent=0 if order.max_bytes is None else _spent(order, segments),
    )
    return Fetching(options, order.policy, is_stopping=tenure.is_over, share=share)


def _others_until(order: GroupOrder, segments: AttemptSegments) -> float | None:
    """Return until when another may have asked our hosts, None when nobody has."""
    now = asyncio.get_running_loop().time()
    if not segments.is_first:
        return now + HANDOVER_SECONDS
    return now if order.round.number else None


def _spent(order: GroupOrder, segments: AttemptSegments) -> int:
    folder = order.place.folder
    before = (
        group_results_path(folder, number, order.group) for number in range(order.round.number)
    )
    earlier = sum(page_bytes(path) for path in before if path.is_file())
    return earlier + sum(parcel.size for _, parcel in segments.fetch_results())

"""Fetch the pages of a group of hosts on a node; a lost group can be fetched again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from contextlib import closing
from typing import Final

import msgspec

from webseam.adapters.features.bulk.crawling import group_results
from webseam.ports.errors import WebError
from webseam.ports.targets import Target

from ..fetching import Fetching, HostShare, fetch_task_group
from ..items import SPOOLS
from ..run_folder import run_folder_error
from . import rounds
from .group_ownership import HANDOVER_SECONDS, STOP_FILE, GroupOwnership

# Fetch tasks in progress or waiting for their host: a bound keeps memory flat for long lists.
_MAX_OPEN_FETCH_TASKS: Final = 1000


def fetch_group(order: rounds.GroupOrder) -> rounds.GroupEnd | WebError:
    """Fetch the pages of a group, or resume; return an error that stops the run."""
    if (misfit := rounds.explain_misfit(order.run)) is not None:
        return misfit
    try:
        return rounds.GroupEnd(is_complete=asyncio.run(_fetch_group_pages(order)))
    except OSError as error:
        return run_folder_error(error)


async def _fetch_group_pages(order: rounds.GroupOrder) -> bool:
    folder, number, group = order.run.folder, order.round.number, order.group
    results_path = rounds.group_results_path(folder, number, group)
    if results_path.is_file():
        return True
    attempt, attempts_folder = os.urandom(8).hex(), rounds.group_folder(folder, number, group)
    with closing(group_results.AttemptResults(attempts_folder, attempt)) as segments:
        ownership = GroupOwnership(attempts_folder / "owner", attempt, folder / STOP_FILE)
        fetching = _make_group_fetching(order, segments, ownership)
        inbox = rounds.group_inbox_path(folder, number, group)
        await _run_fetches(fetching, rounds.read_fetch_tasks(inbox), segments, ownership)
        fetching.save_recent_answers()
        if not all(task.number in segments for task in rounds.read_fetch_tasks(inbox)):
            return False
        group_results.write_group_results(results_path, segments.read_results())
    return True


async def _run_fetches(
    fetching: Fetching,
    tasks: Iterable[group_results.FetchTask],
    segments: group_results.AttemptResults,
    ownership: GroupOwnership,
) -> None:
    slots = asyncio.Semaphore(_MAX_OPEN_FETCH_TASKS)

    async def run_fetch_task(task: group_results.FetchTask) -> None:
        if (result := await fetching.run_fetch_task(task)) is not None:
            segments.add_result(task.number, result)
        slots.release()

    async with fetch_task_group() as task_group:
        for task in tasks:
            if task.number in segments:
                continue
            await slots.acquire()
            if ownership.is_stopping():
                break
            task_group.create_task(run_fetch_task(task))


def _make_group_fetching(
    order: rounds.GroupOrder, segments: group_results.AttemptResults, ownership: GroupOwnership
) -> Fetching:
    groups = order.round.groups

    def is_ours(target: Target) -> bool:
        return group_results.host_group(target.authority, groups) == order.group

    options = msgspec.structs.replace(
        order.run.options,
        at_once=max(1, order.run.options.at_once // groups),
        max_bytes=order.max_bytes,
    )
    share = HostShare(
        is_ours=is_ours,
        others_until=_handover_end(order, segments),
        texts=order.run.folder / SPOOLS / "robots",
        recent=order.run.folder / SPOOLS / "recent" / f"group-{order.group:02}",
        parts=groups,
        spent=0 if order.max_bytes is None else _group_spent_bytes(order, segments),
    )
    return Fetching(options, order.policy, is_stopping=ownership.is_stopping, share=share)


def _handover_end(order: rounds.GroupOrder, segments: group_results.AttemptResults) -> float | None:
    """Return until when another owner may have asked our hosts, or None."""
    now = asyncio.get_running_loop().time()
    if not segments.is_first:
        return now + HANDOVER_SECONDS
    return now if order.round.number else None


def _group_spent_bytes(order: rounds.GroupOrder, segments: group_results.AttemptResults) -> int:
    folder = order.run.folder
    paths = [rounds.group_results_path(folder, n, order.group) for n in range(order.round.number)]
    earlier = sum(group_results.count_page_bytes(path) for path in paths if path.is_file())
    return earlier + sum(result.size for _, result in segments.read_results())

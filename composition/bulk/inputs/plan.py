"""The plan of a run: which inputs make up which shard, written down before the first of them.

Everything lies in files, so that a run of any length needs little memory, and a run that was
killed goes on with the plan that it had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.bulk.datasets import parquet_tables
from ....adapters.bulk.datasets.file_names import display_file_name, encode_file_name
from ....adapters.bulk.datasets.text_lists import open_text_lines
from ....adapters.bulk.datasets.whole_files import atomic_file, file_digest
from ....adapters.folder_files import SkipReason
from ....kernel.bulk.cuts import split_into_shards
from ....kernel.bulk.url_lists import ListEntry, ListForm, read_entries, sniff_list
from ....ports.bulk import Shard
from ....ports.errors import InvalidQuery, SourceUnreadable, WebError
from ..options import DECISIVE, BulkOptions, decisive_options, maker_versions
from .changes import Marks, changed_sources, source_marks, source_times
from .plan_draft import ENTRIES, STOPPED, PlanDraft
from .sources import PLAN, Source, input_files, source_identity

# What queries are called among the inputs of a plan.
QUERIES = "queries"
PAGE = "page"
# Why a folder is left out, where others are files.
CLOSED = "closed"
SHARDS, STDIN = "_shards.jsonl", "_stdin.txt"
Expand: TypeAlias = Callable[[Source], Awaitable[Result[list[ListEntry], WebError]]]
_ENTRY = msgspec.json.Decoder(ListEntry)
_SHARD = msgspec.json.Decoder(Shard)
_TEXT_FORMS: dict[str, ListForm] = {"text": "text", "csv": "csv", "tsv": "tsv", "jsonl": "jsonl"}
_MAX_LISTED_HOSTS = 5
_CHANGED = "{} has changed"
_OPTIONS = {
    **{name: f"--{name.replace('_', '-')}" for name in (*DECISIVE, "max_results", "backend")},
    "form": "--format",
}


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What was planned, and by what it is known again.

    ``hosts`` are those with the most URLs, the largest first; ``left_out`` counts the files of
    folders and the pages of WARC files that are no input, by the reason. By ``marks`` files are
    known that have changed.
    """

    inputs: list[list[object]]
    settings: dict[str, object]
    makers: dict[str, str]
    rows: int = 0
    shards: int = 0
    urls: int = 0
    hosts: list[tuple[str, int]] = []
    left_out: dict[str, int] = {}
    marks: Marks = []

    @property
    def noun(self) -> str:
        """What a row is when all went well."""
        return "answer" if any(source[0] == QUERIES for source in self.inputs) else PAGE


class PlanDeps(NamedTuple):
    """Who reads sitemaps and feeds for a plan, who may stop it, and who refuses its counts.

    These are of its rows and of its shards.
    """

    expand: Expand
    is_stopping: Callable[[], bool] = lambda: False
    unfit: Callable[[int, int], WebError | None] = lambda _rows, _shards: None


def new_plan(options: BulkOptions, sources: Iterable[Source], folder: Path) -> RunPlan:
    """Return the plan without its shards; raises ``OSError``."""
    inputs: list[list[object]] = [
        [source.kind, file_digest(folder / STDIN)]
        if source.kind == "stdin"
        else source_identity(source, folder)
        for source in sources
    ]
    return RunPlan(inputs=inputs, settings=decisive_options(options), makers=maker_versions())


def load_plan(folder: Path) -> RunPlan | None:
    """Return the plan of a folder, None when there is none."""
    try:
        return msgspec.json.decode((folder / PLAN).read_bytes(), type=RunPlan)
    except (OSError, msgspec.DecodeError):
        return None


def plan_difference(earlier: RunPlan, new_plan: RunPlan) -> InvalidQuery | None:
    """Return why a run cannot go on with the plan of a folder, None when it can."""
    for field, words in (("inputs", "inputs"), ("settings", "options"), ("makers", "versions")):
        # Through JSON, as the plan that was kept has been.
        one, other = getattr(earlier, field), msgspec.to_builtins(getattr(new_plan, field))
        if one != other:
            return _other_run(words, _names(one, other))
    return None


def unchanged_plan(
    plan: RunPlan, sources: Iterable[Source], folder: Path
) -> Result[RunPlan, WebError]:
    """Return the plan of a folder where its files are as they were; raises ``OSError``."""
    names = changed_sources(plan.marks, sources, folder)
    return Failure(_other_run("inputs", map(_CHANGED.format, names))) if names else Success(plan)


def _other_run(words: str, names: Iterable[str]) -> InvalidQuery:
    told = ", ".join(names)
    reason = (
        f"the folder holds a run with other {words}{told and f' ({told})'}; "
        "take another folder, or the command that began it"
    )
    return InvalidQuery(field="-o", reason=reason)


def _names(one: object, other: object) -> list[str]:
    """Return what differs: options by their names, files that hold something else by theirs."""
    if isinstance(one, dict) and isinstance(other, dict):
        return sorted(
            _OPTIONS.get(name, name) for name in {*one, *other} if one.get(name) != other.get(name)
        )
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            _CHANGED.format(before[1])
            for before, now in zip(one, other, strict=True)
            if before != now and before[:2] == now[:2]
        ]
    return []


def read_shards(folder: Path) -> Iterator[Shard]:
    """Yield the shards of a plan, in their order."""
    with (folder / SHARDS).open("rb") as lines:
        for line in lines:
            yield _SHARD.decode(line)


def shard_entries(folder: Path, shard: Shard) -> Iterator[ListEntry]:
    """Yield the entries of the list that a shard is of; raises ``OSError``."""
    with (folder / ENTRIES).open("rb") as lines:
        lines.seek(shard.offset)
        for _ in range(shard.rows):
            yield _entry(lines.readline())


def _entry(line: bytes) -> ListEntry:
    try:
        return _ENTRY.decode(line)
    except (msgspec.DecodeError, ValueError) as error:
        raise OSError(None, f"{ENTRIES} is damaged; without it, it is made again") from error


async def write_plan(
    empty_plan: RunPlan,
    sources: Sequence[Source],
    options: BulkOptions,
    folder: Path,
    deps: PlanDeps,
) -> Result[RunPlan, WebError]:
    """Cut the sources in their order and write the plan down; raises ``OSError``."""
    times = source_times(sources, folder)
    with ExitStack() as files:
        shards = files.enter_context(atomic_file(folder / SHARDS))
        entries = files.enter_context(atomic_file(folder / ENTRIES))
        draft = PlanDraft(shards, entries, options, deps.is_stopping)
        for kind, group in groupby(sources, attrgetter("kind")):
            alike = list(group)
            if kind == "url":
                draft.add_entries(_typed(alike), "urls")
                continue
            for source in alike:
                problem = await _add(draft, source, folder, deps.expand)
                if problem is not None:
                    return Failure(problem)
        marks = source_marks(sources, folder)
        unfit = (
            STOPPED if draft.is_stopped else deps.unfit(draft.rows, draft.number)
        ) or _unsteady(sources, times, source_times(sources, folder))
        if unfit is not None:
            return Failure(unfit)
    draft.listed.write_repeated(folder)
    plan = msgspec.structs.replace(
        empty_plan,
        rows=draft.rows,
        shards=draft.number,
        urls=sum(draft.hosts.values()),
        hosts=draft.hosts.most_common(_MAX_LISTED_HOSTS),
        left_out=dict(sorted(draft.left_out.items())),
        marks=marks,
    )
    _write(plan, folder)
    return Success(plan)


def _unsteady(
    sources: Sequence[Source], before: Sequence[str], after: Sequence[str]
) -> SourceUnreadable | None:
    """Return which file was written to while it was read, None where none was."""
    for source, one, other in zip(sources, before, after, strict=True):
        if one != other:
            reason = f"{source.name} was changed while it was read; begin again once it is whole"
            return SourceUnreadable(reason=reason)
    return None


def write_entries(
    empty_plan: RunPlan, entries: Iterable[ListEntry], per_shard: int, folder: Path
) -> RunPlan:
    """Cut a list that needs no fetching, and write the plan down; raises ``OSError``."""
    with ExitStack() as files:
        shards = files.enter_context(atomic_file(folder / SHARDS))
        lines = files.enter_context(atomic_file(folder / ENTRIES))
        options = BulkOptions(inputs=(), folder=str(folder), per_shard=per_shard)
        draft = PlanDraft(shards, lines, options)
        draft.add_entries(entries, "files")
    plan = msgspec.structs.replace(empty_plan, rows=draft.rows, shards=draft.number)
    _write(plan, folder)
    return plan


def _write(plan: RunPlan, folder: Path) -> None:
    with atomic_file(folder / PLAN) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(plan, order="sorted")))


async def _add(draft: PlanDraft, source: Source, folder: Path, expand: Expand) -> WebError | None:
    if source.kind == "site":
        listed = await expand(source)
        if isinstance(listed, Failure):
            error: WebError = listed.failure()
            return error
        draft.add_entries(listed.unwrap(), "urls")
        return None
    try:
        return _add_local(draft, source, folder)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        return SourceUnreadable(reason=f"{source.name} cannot be read: {reason}")


def _add_local(draft: PlanDraft, source: Source, folder: Path) -> WebError | None:
    match source.kind:
        case "warc":
            draft.add_warc(source)
        case "folder" | "file":
            draft.add_entries(_files(source, folder, draft.left_out), "files")
        case "parquet":
            return _add_table(draft, source)
        case _:
            return _add_list(draft, source, folder)
    return None


def _add_table(draft: PlanDraft, source: Source) -> WebError | None:
    content, column = draft.options.content_column, draft.options.column
    urls = column or (None if content else "url")
    for name, option in ((content, "--content-column"), (urls, "--column")):
        problem = None if name is None else parquet_tables.missing_column(source.path, name, option)
        if problem is not None:
            return problem
    if content is None:
        draft.add_entries(_column(source, urls or ""), "urls")
        return None
    rows = parquet_tables.count_parquet_rows(source.path)
    if isinstance(rows, Failure):
        unreadable: WebError = rows.failure()
        return unreadable
    for offset, count in split_into_shards(range(rows.unwrap()), draft.options.per_shard):
        draft.add("parquet", source.name, offset, count)
    return None


def _add_list(draft: PlanDraft, source: Source, folder: Path) -> WebError | None:
    path = folder / STDIN if source.kind == "stdin" else source.path
    column = draft.options.column
    with open_text_lines(path) as lines:
        known = _TEXT_FORMS.get(source.kind)
        form, all_lines = (known, lines) if known else sniff_list(lines, has_column=bool(column))
        entries = read_entries(all_lines, form, source.name, column)
        if isinstance(entries, Failure):
            error: WebError = entries.failure()
            return error
        draft.add_entries(entries.unwrap(), "urls")
    return None


def _column(source: Source, column: str) -> Iterator[ListEntry]:
    for number, value in enumerate(parquet_tables.read_column_urls(source.path, column)):
        if isinstance(value, str):
            yield ListEntry(source=source.name, offset=number, url=value)
        else:
            yield ListEntry(source=source.name, offset=number, error=value)


def _files(source: Source, folder: Path, left_out: Counter[str]) -> Iterator[ListEntry]:
    if source.kind == "file":
        yield ListEntry(source=source.path.name, offset=0, path=source.name)
        return

    def skip(_path: Path, reason: SkipReason) -> None:
        left_out[reason] += 1

    def close() -> None:
        left_out[CLOSED] += 1

    for number, path in enumerate(input_files(source.path, folder, skip, close)):
        name = display_file_name(path.relative_to(source.path).as_posix())
        yield ListEntry(source=name, offset=number, path=encode_file_name(str(path)))


def _typed(addresses: Iterable[Source]) -> Iterator[ListEntry]:
    for number, source in enumerate(addresses):
        yield ListEntry(source="command line", offset=number, url=source.name)

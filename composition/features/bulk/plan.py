"""The plan of a run: which inputs make up which shard, written before the first shard.

Plans are files, so long runs need little memory and a killed run resumes with its plan.
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

from webseam.adapters.features.bulk.datasets import parquet_tables
from webseam.adapters.features.bulk.datasets.atomic_files import file_sha256, open_atomic_file
from webseam.adapters.features.bulk.datasets.file_names import display_file_name, encode_file_name
from webseam.adapters.features.bulk.datasets.text_lists import open_text_lines
from webseam.adapters.folder_files import SkipReason
from webseam.kernel.features.bulk.cuts import split_into_shards
from webseam.kernel.features.bulk.url_lists import (
    ListEntry,
    ListForm,
    read_url_list,
    sniff_url_list,
)
from webseam.ports.bulk import Shard
from webseam.ports.errors import InvalidQuery, SourceUnreadable, WebError

from .options import DECISIVE_OPTION_NAMES, BulkOptions, decisive_options, maker_versions
from .plan_draft import ENTRIES, RUN_STOPPED, PlanDraft
from .source_changes import Marks, changed_sources, source_marks, source_times
from .sources import PLAN, Source, source_identity, source_input_files

# The source kind of queries in a plan.
QUERIES_KIND = "queries"
PAGE_NOUN = "page"
# The reason for an unreadable folder; other reasons are about files.
CLOSED_FOLDER = "closed"
SHARDS, STDIN = "_shards.jsonl", "_stdin.txt"
Expand: TypeAlias = Callable[[Source], Awaitable[Result[list[ListEntry], WebError]]]
_ENTRY_DECODER = msgspec.json.Decoder(ListEntry)
_SHARD_DECODER = msgspec.json.Decoder(Shard)
_LIST_FORMS_BY_KIND: dict[str, ListForm] = {
    "text": "text",
    "csv": "csv",
    "tsv": "tsv",
    "jsonl": "jsonl",
}
_MAX_LISTED_HOSTS = 5
_CHANGED_TEXT = "{} has changed"
_FLAGS = {
    **{
        name: f"--{name.replace('_', '-')}"
        for name in (*DECISIVE_OPTION_NAMES, "max_results", "backend")
    },
    "form": "--format",
}


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The planned inputs and counts of a run, and the identity that a resumed run must match.

    ``hosts`` are those with the most URLs, the largest first; ``left_out`` counts the skipped files
    and WARC records by reason. ``marks`` reveal files that have changed.
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
        """The noun for a row that worked."""
        return "answer" if any(source[0] == QUERIES_KIND for source in self.inputs) else PAGE_NOUN


class PlanDeps(NamedTuple):
    """Collaborators of planning: list reader, stop flag, check of the row and shard counts."""

    expand: Expand
    is_stopping: Callable[[], bool] = lambda: False
    check_counts: Callable[[int, int], WebError | None] = lambda _rows, _shards: None


def new_run_plan(options: BulkOptions, sources: Iterable[Source], folder: Path) -> RunPlan:
    """Return the plan without its shards; raises ``OSError``."""
    inputs: list[list[object]] = [
        [source.kind, file_sha256(folder / STDIN)]
        if source.kind == "stdin"
        else source_identity(source, folder)
        for source in sources
    ]
    return RunPlan(inputs=inputs, settings=decisive_options(options), makers=maker_versions())


def load_run_plan(folder: Path) -> RunPlan | None:
    """Return the plan of a folder, None when there is none."""
    try:
        return msgspec.json.decode((folder / PLAN).read_bytes(), type=RunPlan)
    except (OSError, msgspec.DecodeError):
        return None


def run_plan_difference(earlier: RunPlan, new_plan: RunPlan) -> InvalidQuery | None:
    """Return why a run cannot resume the plan of a folder, or None."""
    for field, noun in (("inputs", "inputs"), ("settings", "options"), ("makers", "versions")):
        # Convert through JSON types, because the stored plan went through JSON.
        before, now = getattr(earlier, field), msgspec.to_builtins(getattr(new_plan, field))
        if before != now:
            return _other_run_error(noun, _differing_names(before, now))
    return None


def unchanged_plan(
    plan: RunPlan, sources: Iterable[Source], folder: Path
) -> Result[RunPlan, WebError]:
    """Return the plan if its files have not changed, else an error; raises ``OSError``."""
    names = changed_sources(plan.marks, sources, folder)
    error = _other_run_error("inputs", map(_CHANGED_TEXT.format, names))
    return Failure(error) if names else Success(plan)


def _other_run_error(noun: str, names: Iterable[str]) -> InvalidQuery:
    names_text = ", ".join(names)
    reason = (
        f"the folder holds a run with other {noun}{names_text and f' ({names_text})'}; "
        "take another folder, or the command that began it"
    )
    return InvalidQuery(field="-o", reason=reason)


def _differing_names(before: object, now: object) -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        names = (name for name in {*before, *now} if before.get(name) != now.get(name))
        return sorted(_FLAGS.get(name, name) for name in names)
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [
            _CHANGED_TEXT.format(first[1])
            for first, second in zip(before, now, strict=True)
            if first != second and first[:2] == second[:2]
        ]
    return []


def read_shards(folder: Path) -> Iterator[Shard]:
    """Yield the shards of a plan, in their order."""
    with (folder / SHARDS).open("rb") as lines:
        for line in lines:
            yield _SHARD_DECODER.decode(line)


def shard_entries(folder: Path, shard: Shard) -> Iterator[ListEntry]:
    """Yield the list entries of a shard; raises ``OSError``."""
    with (folder / ENTRIES).open("rb") as lines:
        lines.seek(shard.offset)
        for _ in range(shard.rows):
            yield _decode_list_entry(lines.readline())


def _decode_list_entry(line: bytes) -> ListEntry:
    try:
        return _ENTRY_DECODER.decode(line)
    except (msgspec.DecodeError, ValueError) as error:
        raise OSError(None, f"{ENTRIES} is damaged; delete it to have it made again") from error


async def write_plan(
    empty_plan: RunPlan,
    sources: Sequence[Source],
    options: BulkOptions,
    folder: Path,
    deps: PlanDeps,
) -> Result[RunPlan, WebError]:
    """Split the sources into shards in order and write the plan; raises ``OSError``."""
    times = source_times(sources, folder)
    with ExitStack() as files:
        shards = files.enter_context(open_atomic_file(folder / SHARDS))
        entries = files.enter_context(open_atomic_file(folder / ENTRIES))
        draft = PlanDraft(shards, entries, options, deps.is_stopping)
        for kind, group in groupby(sources, attrgetter("kind")):
            group_sources = list(group)
            if kind == "url":
                draft.add_entries(_command_line_entries(group_sources), "urls")
                continue
            for source in group_sources:
                problem = await _add_source_shards(draft, source, folder, deps.expand)
                if problem is not None:
                    return Failure(problem)
        marks = source_marks(sources, folder)
        refusal = (
            RUN_STOPPED if draft.is_stopped else deps.check_counts(draft.rows, draft.number)
        ) or _changed_source_error(sources, times, source_times(sources, folder))
        if refusal is not None:
            return Failure(refusal)
    # A page that the list repeats is fetched once.
    draft.hosts.subtract(draft.listed.write_repeated(folder))
    plan = msgspec.structs.replace(
        empty_plan,
        rows=draft.rows,
        shards=draft.number,
        urls=sum(draft.hosts.values()),
        hosts=draft.hosts.most_common(_MAX_LISTED_HOSTS),
        left_out=dict(sorted(draft.left_out.items())),
        marks=marks,
    )
    _write_plan_file(plan, folder)
    return Success(plan)


def _changed_source_error(
    sources: Sequence[Source], before: Sequence[str], after: Sequence[str]
) -> SourceUnreadable | None:
    for source, time_before, time_after in zip(sources, before, after, strict=True):
        if time_before != time_after:
            reason = f"{source.name} was changed while it was read; start again when it is complete"
            return SourceUnreadable(reason=reason)
    return None


def write_list_plan(
    empty_plan: RunPlan, entries: Iterable[ListEntry], per_shard: int, folder: Path
) -> RunPlan:
    """Split a list that needs no fetching, and write the plan; raises ``OSError``."""
    with ExitStack() as files:
        shards = files.enter_context(open_atomic_file(folder / SHARDS))
        lines = files.enter_context(open_atomic_file(folder / ENTRIES))
        options = BulkOptions(inputs=(), folder=str(folder), per_shard=per_shard)
        draft = PlanDraft(shards, lines, options)
        draft.add_entries(entries, "files")
    plan = msgspec.structs.replace(empty_plan, rows=draft.rows, shards=draft.number)
    _write_plan_file(plan, folder)
    return plan


def _write_plan_file(plan: RunPlan, folder: Path) -> None:
    with open_atomic_file(folder / PLAN) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(plan, order="sorted")))


async def _add_source_shards(
    draft: PlanDraft, source: Source, folder: Path, expand: Expand
) -> WebError | None:
    if source.kind == "site":
        if isinstance(listed := await expand(source), Failure):
            error: WebError = listed.failure()
            return error
        draft.add_entries(listed.unwrap(), "urls")
        return None
    try:
        return _add_local_shards(draft, source, folder)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        return SourceUnreadable(reason=f"{source.name} cannot be read: {reason}")


def _add_local_shards(draft: PlanDraft, source: Source, folder: Path) -> WebError | None:
    match source.kind:
        case "warc":
            draft.add_warc(source)
        case "folder" | "file":
            draft.add_entries(_file_list_entries(source, folder, draft.left_out), "files")
        case "parquet":
            return _add_table_shards(draft, source)
        case _:
            return _add_list_shards(draft, source, folder)
    return None


def _add_table_shards(draft: PlanDraft, source: Source) -> WebError | None:
    content, column = draft.options.content_column, draft.options.column
    urls = column or (None if content else "url")
    for name, option in ((content, "--content-column"), (urls, "--column")):
        problem = (
            None if name is None else parquet_tables.check_table_column(source.path, name, option)
        )
        if problem is not None:
            return problem
    if content is None:
        draft.add_entries(_column_url_entries(source, urls or ""), "urls")
        return None
    if isinstance(rows := parquet_tables.count_parquet_rows(source.path), Failure):
        unreadable: WebError = rows.failure()
        return unreadable
    for offset, count in split_into_shards(range(rows.unwrap()), draft.options.per_shard):
        draft.add_shard("parquet", source.name, offset, count)
    return None


def _add_list_shards(draft: PlanDraft, source: Source, folder: Path) -> WebError | None:
    path = folder / STDIN if source.kind == "stdin" else source.path
    column = draft.options.column
    with open_text_lines(path) as lines:
        named = _LIST_FORMS_BY_KIND.get(source.kind)
        form, rest = (named, lines) if named else sniff_url_list(lines, has_column=bool(column))
        if isinstance(entries := read_url_list(rest, form, source.name, column), Failure):
            error: WebError = entries.failure()
            return error
        draft.add_entries(entries.unwrap(), "urls")
    return None


def _column_url_entries(source: Source, column: str) -> Iterator[ListEntry]:
    for number, value in enumerate(parquet_tables.read_column_urls(source.path, column)):
        if isinstance(value, str):
            yield ListEntry(source=source.name, offset=number, url=value)
        else:
            yield ListEntry(source=source.name, offset=number, error=value)


def _file_list_entries(source: Source, folder: Path, left_out: Counter[str]) -> Iterator[ListEntry]:
    if source.kind == "file":
        yield ListEntry(source=source.path.name, offset=0, path=source.name)
        return

    def skip(_path: Path, reason: SkipReason) -> None:
        left_out[reason] += 1

    def close() -> None:
        left_out[CLOSED_FOLDER] += 1

    for number, path in enumerate(source_input_files(source.path, folder, skip, close)):
        name = display_file_name(path.relative_to(source.path).as_posix())
        yield ListEntry(source=name, offset=number, path=encode_file_name(str(path)))


def _command_line_entries(addresses: Iterable[Source]) -> Iterator[ListEntry]:
    for number, source in enumerate(addresses):
        yield ListEntry(source="command line", offset=number, url=source.name)

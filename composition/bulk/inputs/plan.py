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

from ....adapters.datasets import tables
from ....adapters.datasets.names import shown_name, written_name
from ....adapters.datasets.parts import digest_of, whole_file
from ....adapters.datasets.texts import open_lines
from ....adapters.index.files import SkipReason
from ....kernel.bulk.cuts import cut
from ....kernel.bulk.lists import ListEntry, ListForm, entries_of, sniffed
from ....ports.bulk import Shard
from ....ports.errors import InvalidQuery, SourceUnreadable, WebError
from ..options import DECISIVE, BulkOptions, decisive, makers
from .changes import Marks, changed, marks_of, times_of
from .draft import ENTRIES, STOPPED, Draft
from .folders import PLAN, files_of
from .sources import Source, identity

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
_MOST_HOSTS = 5
_CHANGED = "{} has changed"
_OPTIONS = {
    **{name: f"--{name.replace('_', '-')}" for name in (*DECISIVE, "max_results", "backend")},
    "form": "--format",
}


class Plan(msgspec.Struct, frozen=True, kw_only=True):
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


class Around(NamedTuple):
    """Who reads sitemaps and feeds for a plan, who may stop it, and who refuses its counts.

    These are of its rows and of its shards.
    """

    expand: Expand
    is_stopping: Callable[[], bool] = lambda: False
    unfit: Callable[[int, int], WebError | None] = lambda _rows, _shards: None


def new_plan(options: BulkOptions, sources: Iterable[Source], folder: Path) -> Plan:
    """Return the plan without its shards; raises ``OSError``."""
    inputs: list[list[object]] = [
        [source.kind, digest_of(folder / STDIN)]
        if source.kind == "stdin"
        else identity(source, folder)
        for source in sources
    ]
    return Plan(inputs=inputs, settings=decisive(options), makers=makers())


def load_plan(folder: Path) -> Plan | None:
    """Return the plan of a folder, None when there is none."""
    try:
        return msgspec.json.decode((folder / PLAN).read_bytes(), type=Plan)
    except (OSError, msgspec.DecodeError):
        return None


def difference(earlier: Plan, wanted: Plan) -> InvalidQuery | None:
    """Return why a run cannot go on with the plan of a folder, None when it can."""
    for field, words in (("inputs", "inputs"), ("settings", "options"), ("makers", "versions")):
        # Through JSON, as the plan that was kept has been.
        one, other = getattr(earlier, field), msgspec.to_builtins(getattr(wanted, field))
        if one != other:
            return _other_run(words, _names(one, other))
    return None


def unchanged(plan: Plan, sources: Iterable[Source], folder: Path) -> Result[Plan, WebError]:
    """Return the plan of a folder where its files are as they were; raises ``OSError``."""
    names = changed(plan.marks, sources, folder)
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


def shards_of(folder: Path) -> Iterator[Shard]:
    """Yield the shards of a plan, in their order."""
    with (folder / SHARDS).open("rb") as lines:
        for line in lines:
            yield _SHARD.decode(line)


def entries_at(folder: Path, shard: Shard) -> Iterator[ListEntry]:
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
    bare: Plan, sources: Sequence[Source], options: BulkOptions, folder: Path, around: Around
) -> Result[Plan, WebError]:
    """Cut the sources in their order and write the plan down; raises ``OSError``."""
    times = times_of(sources, folder)
    with ExitStack() as files:
        shards = files.enter_context(whole_file(folder / SHARDS))
        entries = files.enter_context(whole_file(folder / ENTRIES))
        draft = Draft(shards, entries, options, around.is_stopping)
        for kind, group in groupby(sources, attrgetter("kind")):
            alike = list(group)
            if kind == "url":
                draft.add_entries(_typed(alike), "urls")
                continue
            for source in alike:
                problem = await _add(draft, source, folder, around.expand)
                if problem is not None:
                    return Failure(problem)
        marks = marks_of(sources, folder)
        unfit = (
            STOPPED if draft.is_stopped else around.unfit(draft.rows, draft.number)
        ) or _unsteady(sources, times, times_of(sources, folder))
        if unfit is not None:
            return Failure(unfit)
    draft.listed.write_repeated(folder)
    plan = msgspec.structs.replace(
        bare,
        rows=draft.rows,
        shards=draft.number,
        urls=sum(draft.hosts.values()),
        hosts=draft.hosts.most_common(_MOST_HOSTS),
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


def write_entries(bare: Plan, entries: Iterable[ListEntry], per_shard: int, folder: Path) -> Plan:
    """Cut a list that needs no fetching, and write the plan down; raises ``OSError``."""
    with ExitStack() as files:
        shards = files.enter_context(whole_file(folder / SHARDS))
        lines = files.enter_context(whole_file(folder / ENTRIES))
        options = BulkOptions(inputs=(), folder=str(folder), per_shard=per_shard)
        draft = Draft(shards, lines, options)
        draft.add_entries(entries, "files")
    plan = msgspec.structs.replace(bare, rows=draft.rows, shards=draft.number)
    _write(plan, folder)
    return plan


def _write(plan: Plan, folder: Path) -> None:
    with whole_file(folder / PLAN) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(plan, order="sorted")))


async def _add(draft: Draft, source: Source, folder: Path, expand: Expand) -> WebError | None:
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


def _add_local(draft: Draft, source: Source, folder: Path) -> WebError | None:
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


def _add_table(draft: Draft, source: Source) -> WebError | None:
    content, column = draft.options.content_column, draft.options.column
    urls = column or (None if content else "url")
    for name, option in ((content, "--content-column"), (urls, "--column")):
        problem = None if name is None else tables.missing_column(source.path, name, option)
        if problem is not None:
            return problem
    if content is None:
        draft.add_entries(_column(source, urls or ""), "urls")
        return None
    rows = tables.rows_of(source.path)
    if isinstance(rows, Failure):
        unreadable: WebError = rows.failure()
        return unreadable
    for offset, count in cut(range(rows.unwrap()), draft.options.per_shard):
        draft.add("parquet", source.name, offset, count)
    return None


def _add_list(draft: Draft, source: Source, folder: Path) -> WebError | None:
    path = folder / STDIN if source.kind == "stdin" else source.path
    column = draft.options.column
    with open_lines(path) as lines:
        known = _TEXT_FORMS.get(source.kind)
        form, all_lines = (known, lines) if known else sniffed(lines, has_column=bool(column))
        entries = entries_of(all_lines, form, source.name, column)
        if isinstance(entries, Failure):
            error: WebError = entries.failure()
            return error
        draft.add_entries(entries.unwrap(), "urls")
    return None


def _column(source: Source, column: str) -> Iterator[ListEntry]:
    for number, value in enumerate(tables.urls_of(source.path, column)):
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

    for number, path in enumerate(files_of(source.path, folder, skip, close)):
        name = shown_name(path.relative_to(source.path).as_posix())
        yield ListEntry(source=name, offset=number, path=written_name(str(path)))


def _typed(addresses: Iterable[Source]) -> Iterator[ListEntry]:
    for number, source in enumerate(addresses):
        yield ListEntry(source="command line", offset=number, url=source.name)

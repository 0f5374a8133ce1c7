"""Options that no run can be made with, found before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

from returns.result import Failure, Result, Success

from ...adapters.bulk.datasets.writers import OutputFormat
from ...adapters.language.detection import detect_written_language
from ...kernel.bulk.bulk_rows import RowRules, filter_columns
from ...kernel.bulk.filters import make_row_filter
from ...kernel.bulk.quality import quality_signals
from ...ports.errors import InvalidQuery, WebError
from .inputs.items import warc_folder
from .options import BulkOptions


def make_row_rules(options: BulkOptions) -> Result[RowRules, WebError]:
    """Return what rows hold beside their page, unless the filter is none."""
    keep = None
    if options.where is not None:
        condition = make_row_filter(options.where, filter_columns(quality_signals("")))
        if isinstance(condition, Failure):
            return condition
        keep = condition.unwrap()
    wanted = options.quality or options.where is not None
    signals = quality_signals if wanted else None
    rules = RowRules(
        language=detect_written_language, compress=_compressor(options), signals=signals, keep=keep
    )
    return Success(rules)


def _compressor(options: BulkOptions) -> Callable[[str], str] | None:
    """Return what shortens a page, the same way every time."""
    most = options.compress
    if most is None:
        return None
    from ...adapters.compressors.extractive import extract  # noqa: PLC0415  it takes its time

    instruction = options.instruction or ""
    return lambda content: extract(content, instruction, most)


# Options that no run can be made with, found before anything is written.

LOCAL: Final = "local"
RAY: Final = "ray"
_COUNTS: Final = ("per_shard", "workers", "at_once", "per_host", "max_per_host", "max_bytes")


def check_options(options: BulkOptions) -> WebError | None:
    """Return what is wrong with the options of a run, None when nothing is."""
    rules = make_row_rules(options)
    if isinstance(rules, Failure):
        error: WebError = rules.failure()
        return error
    if options.former is not None and not warc_folder(Path(options.former)).is_dir():
        return _refuse("--since", f"{options.former} holds no run that fetched pages")
    if options.engine != LOCAL and options.engine.partition(":")[0] != RAY:
        return _refuse("--engine", f"{options.engine!r} is none: local, ray, or ray:HOST:PORT")
    return _unfit_value(options)


def check_engine(engine: str) -> WebError | None:
    """Return why nobody is there to do the work, None when somebody may be."""
    name, _, address = engine.partition(":")
    if name != RAY:
        return None
    from ...adapters.bulk.engines.ray import explain_unreachable  # noqa: PLC0415  not for a run on one machine

    return explain_unreachable(address)


def _unfit_value(options: BulkOptions) -> WebError | None:
    """Return which value is out of its range: from Python anything may come."""
    for name in (*_COUNTS, "compress"):
        value: int | None = getattr(options, name)
        if value is not None and value < 1:
            return _refuse(f"--{name.replace('_', '-')}", f"{value} is less than 1")
    if not 0 <= options.delay < float("inf"):
        return _refuse("--delay", f"{options.delay} is no number of seconds")
    if options.form not in get_args(OutputFormat):
        return _refuse("--format", f"{options.form!r} is none: {', '.join(get_args(OutputFormat))}")
    agent = options.user_agent
    if agent is not None and not (agent.isascii() and agent.isprintable() and agent.strip()):
        return _refuse("--user-agent", "is to be letters, digits and signs of ASCII, on one line")
    return None


def _refuse(field: str, reason: str) -> InvalidQuery:
    return InvalidQuery(field=field, reason=reason)

"""What rows hold beside their page, by the options of a run."""

from __future__ import annotations

from collections.abc import Callable

from returns.result import Failure, Result, Success

from ...adapters.datasets.language_detection import detect_language
from ...kernel.bulk.bulk_rows import RowRules, filter_columns
from ...kernel.bulk.filters import make_filter
from ...kernel.bulk.quality import quality_signals
from ...ports.errors import WebError
from .options import BulkOptions


def make_row_rules(options: BulkOptions) -> Result[RowRules, WebError]:
    """Return what rows hold beside their page, unless the filter is none."""
    keep = None
    if options.where is not None:
        condition = make_filter(options.where, filter_columns(quality_signals("")))
        if isinstance(condition, Failure):
            return condition
        keep = condition.unwrap()
    wanted = options.quality or options.where is not None
    signals = quality_signals if wanted else None
    rules = RowRules(
        language=detect_language, compress=_compressor(options), signals=signals, keep=keep
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

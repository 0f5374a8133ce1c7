"""Checks of a run's options, made before anything is written."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets.writers import OutputFormat
from webseam.adapters.language.detection import detect_written_language
from webseam.adapters.pages.fetch.user_headers import PageSigner
from webseam.adapters.user_agent import USER_AGENT, user_agent_with_contact
from webseam.kernel.features.bulk.bulk_rows import RowRules, bulk_filter_columns
from webseam.kernel.features.bulk.filters import make_bulk_row_filter
from webseam.kernel.features.bulk.quality import quality_signals
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.errors import InvalidQuery, WebError

from ...settings.checks import policy_of
from ...settings.loader import load_settings
from ...settings.schema import PagesSettings, Settings
from ...settings.site_settings import page_signer
from .items import warc_folder
from .options import BulkOptions

if TYPE_CHECKING:
    from .row_data import RowData

LOCAL_ENGINE: Final = "local"
RAY_ENGINE: Final = "ray"
_COUNT_OPTIONS: Final = ("per_shard", "workers", "at_once", "per_host", "max_per_host", "max_bytes")


def read_policy() -> Result[Policy, WebError]:
    """Return the network policy of the settings."""
    return load_settings().bind(policy_of).alt(lambda error: error)


def read_signer() -> Result[PageSigner | None, WebError]:
    """Return what signs the requests of a run on this machine."""
    settings: Result[Settings, WebError] = load_settings().alt(lambda error: error)
    return settings.bind(page_signer)


def read_pages_settings() -> PagesSettings:
    """Return how this machine requests pages."""
    return load_settings().map(lambda settings: settings.pages).value_or(PagesSettings())


def bulk_user_agent(options: BulkOptions) -> str:
    """Return the User-Agent that servers see: by default, that of every request for a page."""
    return options.user_agent or user_agent_with_contact(read_pages_settings().contact)


def warc_notes(options: BulkOptions) -> dict[str, str]:
    """Return the warcinfo fields of a run's WARC files."""
    return {
        "software": USER_AGENT,
        "http-header-user-agent": bulk_user_agent(options),
        "robots": "obey" if options.robots else "ignore",
    }


def make_row_rules(options: BulkOptions) -> Result[RowRules, WebError]:
    """Return how rows are made from pages, or an error for a bad filter."""
    keep = None
    if options.where is not None:
        condition = make_bulk_row_filter(options.where, bulk_filter_columns(quality_signals("")))
        if isinstance(condition, Failure):
            return condition
        keep = condition.unwrap()
    return Success(
        RowRules(
            language=detect_written_language,
            compress=_row_compressor(options),
            signals=quality_signals if options.quality or options.where is not None else None,
            keep=keep,
            purpose=options.purpose,
        )
    )


def make_row_data(options: BulkOptions) -> Result[RowData | None, WebError]:
    """Return what makes the column ``data``; None without a schema."""
    if options.schema is None:
        return Success(None)
    from .row_data import RowData, read_row_schema  # only with a schema

    return read_row_schema(options.schema).map(RowData)


def _row_compressor(options: BulkOptions) -> Callable[[str], str] | None:
    if (max_chars := options.compress) is None:
        return None
    from webseam.adapters.compressors.extractive_compressor import extract  # it takes its time

    instruction = options.instruction or ""
    return lambda content: extract(content, instruction, max_chars)


def check_bulk_options(options: BulkOptions) -> WebError | None:
    """Return the first problem with the options of a run, or None."""
    for checked in (make_row_rules(options), read_signer(), make_row_data(options)):
        if isinstance(checked, Failure):
            error: WebError = checked.failure()
            return error
    if options.former is not None and not warc_folder(Path(options.former)).is_dir():
        return _bad_flag("--since", f"{options.former} holds no run that fetched pages")
    if options.engine != LOCAL_ENGINE and options.engine.partition(":")[0] != RAY_ENGINE:
        return _bad_flag("--engine", f"{options.engine!r} is not local, ray or ray:HOST:PORT")
    return _check_option_ranges(options)


def check_bulk_engine(engine: str) -> WebError | None:
    """Return why the engine cannot be reached, or None."""
    name, _, address = engine.partition(":")
    if name != RAY_ENGINE:
        return None
    from webseam.adapters.features.bulk.ray_engine import (
        explain_unreachable_cluster,
    )  # not for a run on one machine

    return explain_unreachable_cluster(address)


def _check_option_ranges(options: BulkOptions) -> WebError | None:
    """Return an error for a value out of range: callers from Python skip argparse's checks."""
    for name in (*_COUNT_OPTIONS, "compress"):
        value: int | None = getattr(options, name)
        if value is not None and value < 1:
            return _bad_flag(f"--{name.replace('_', '-')}", f"{value} is less than 1")
    if not 0 <= options.delay < float("inf"):
        return _bad_flag("--delay", f"{options.delay} is no number of seconds")
    if options.form not in get_args(OutputFormat):
        formats = " or ".join(get_args(OutputFormat))
        return _bad_flag("--format", f"{options.form!r} is not {formats}")
    agent = options.user_agent
    if agent is not None and not (agent.isascii() and agent.isprintable() and agent.strip()):
        return _bad_flag("--user-agent", "must be one line of printable ASCII characters")
    return None


def _bad_flag(field: str, reason: str) -> InvalidQuery:
    return InvalidQuery(field=field, reason=reason)

"""The options of a run, and which of them a resumed run must share."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import msgspec

from webseam.adapters.features.bulk.datasets.writers import OutputFormat
from webseam.ports.errors import NotConfigured
from webseam.ports.usage import UsagePurpose

DEFAULT_ROWS_PER_SHARD = 1000
# Between requests to one host.
DEFAULT_DELAY_SECONDS = 1.0
MAX_URLS_PER_SHARD = 200
# Packages whose version can change the bytes of a dataset.
_MAKER_PACKAGES = (
    "fastwarc", "msgspec", "pyarrow", "pycld2", "pypdfium2", "PyStemmer", "turbohtml", "webseam",
)  # fmt: skip
_MAP_PACKAGES = ("fastwarc", "protego")
_REQUIRED_PACKAGES = (*_MAP_PACKAGES, "pyarrow", "pycld2", "rensa")
DECISIVE_OPTION_NAMES = (
    "form", "column", "content_column", "per_shard", "quality", "where", "compress",
    "instruction", "schema", "max_per_host", "purpose",
)  # fmt: skip


class BulkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A run: its inputs, its folder and its rules.

    ``column`` names the URL column of a table, ``content_column`` a column that holds pages.
    ``where`` is a filter; its verdict becomes the column ``kept``. ``compress`` is the length in
    characters of the column ``compressed``, which prefers passages that answer ``instruction``.
    ``schema`` is a JSON Schema as text: what the pages prove of it becomes the column ``data``.
    ``purpose`` leaves out pages whose publisher says no to it. ``former`` is the folder of an
    earlier run, whose unchanged pages are reused. ``engine`` is ``local``, ``ray`` or
    ``ray:ADDRESS``. ``check`` verifies every byte of existing files.
    """

    inputs: tuple[str, ...]
    folder: str
    form: OutputFormat = "parquet"
    column: str | None = None
    content_column: str | None = None
    per_shard: int = DEFAULT_ROWS_PER_SHARD
    quality: bool = False
    where: str | None = None
    compress: int | None = None
    instruction: str | None = None
    schema: str | None = None
    max_per_host: int | None = None
    former: str | None = None
    workers: int | None = None
    at_once: int = 32
    delay: float = DEFAULT_DELAY_SECONDS
    per_host: int = 1
    max_bytes: int | None = None
    robots: bool = True
    purpose: UsagePurpose | None = None
    user_agent: str | None = None
    engine: str = "local"
    check: bool = False


def decisive_options(options: BulkOptions) -> dict[str, object]:
    """Return the options that decide the content of the files."""
    return {name: getattr(options, name) for name in DECISIVE_OPTION_NAMES}


def maker_versions() -> dict[str, str]:
    """Return the versions of the packages that make the bytes."""
    return {name: _package_version(name) for name in _MAKER_PACKAGES}


def missing_bulk_extra() -> NotConfigured | None:
    """Return an error that says what to install, or None when nothing is missing."""
    return _missing_extra(_REQUIRED_PACKAGES, "Bulk work", "bulk")


def missing_map_extra() -> NotConfigured | None:
    """Return what a list of a site's URLs lacks, or None; it needs few of the packages of bulk."""
    return _missing_extra(_MAP_PACKAGES, "A list of a site's URLs", "map")


def _missing_extra(packages: Sequence[str], work: str, extra: str) -> NotConfigured | None:
    missing = [name for name in packages if find_spec(name) is None]
    if not missing:
        return None
    return NotConfigured(
        reason=f"{work} needs {', '.join(missing)}, not installed here",
        remedy=f"Run: pip install 'webseam[{extra}]'",
    )


def _package_version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  while others start

    try:
        return version(name)
    except PackageNotFoundError:
        return ""

"""What a run is told, and what must be the same for a run to be gone on with."""

from __future__ import annotations

from importlib.util import find_spec

import msgspec

from ...adapters.bulk.datasets.writers import OutputFormat
from ...ports.errors import NotConfigured

PER_SHARD = 1000
URLS_PER_SHARD = 200
# What makes bytes, or decides about them.
_MAKERS = (
    "fastwarc", "msgspec", "pyarrow", "pycld2", "pypdfium2", "PyStemmer", "turbohtml", "webseam",
)  # fmt: skip
_NEEDED = ("fastwarc", "protego", "pyarrow", "pycld2", "rensa")


class BulkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A run: where from, where to, and how.

    ``column`` names the URLs of a table, ``content_column`` pages that stand in a table. ``where``
    is a filter whose verdict becomes the column ``kept``. ``compress`` is how many characters of a
    page to keep in ``compressed``, those that answer ``instruction`` first. ``former`` is the
    folder of an earlier run: pages that have not changed since are taken from it. ``engine`` is
    ``local``, ``ray`` or ``ray:ADDRESS``. ``check`` looks at every byte of what is written already.
    """

    inputs: tuple[str, ...]
    folder: str
    form: OutputFormat = "parquet"
    column: str | None = None
    content_column: str | None = None
    per_shard: int = PER_SHARD
    quality: bool = False
    where: str | None = None
    compress: int | None = None
    instruction: str | None = None
    max_per_host: int | None = None
    former: str | None = None
    workers: int | None = None
    at_once: int = 32
    delay: float = 1.0
    per_host: int = 1
    max_bytes: int | None = None
    robots: bool = True
    user_agent: str | None = None
    engine: str = "local"
    check: bool = False


DECISIVE = (
    "form", "column", "content_column", "per_shard", "quality", "where", "compress",
    "instruction", "max_per_host",
)  # fmt: skip


def decisive_options(options: BulkOptions) -> dict[str, object]:
    """Return the options that decide what the files hold."""
    return {name: getattr(options, name) for name in DECISIVE}


def maker_versions() -> dict[str, str]:
    """Return the versions of what makes the bytes."""
    return {name: _version(name) for name in _MAKERS}


def run_user_agent(options: BulkOptions) -> str:
    """Return who asks for pages, as servers are told."""
    return options.user_agent or f"webseam/{_version('webseam')}"


def warc_notes(options: BulkOptions) -> dict[str, str]:
    """Return what WARC files of a run say about it, by the names that the format has for that."""
    return {
        "software": f"webseam/{_version('webseam')}",
        "http-header-user-agent": run_user_agent(options),
        "robots": "obey" if options.robots else "ignore",
    }


def missing_bulk_extra() -> NotConfigured | None:
    """Return what to install, None when all is there."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if not missing:
        return None
    return NotConfigured(
        reason=f"Bulk work needs {', '.join(missing)}, not installed here",
        remedy="Run: pip install 'webseam[bulk]'",
    )


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  while others start

    try:
        return version(name)
    except PackageNotFoundError:
        return ""

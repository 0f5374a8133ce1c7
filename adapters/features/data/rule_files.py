"""The learned rules of sites: a folder with one file for each site and type.

A file is replaced as a whole, so a process that ends while it learns leaves the old rules, and
processes need not wait for each other.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.data import DataSchema
from webseam.ports.data_rules import SiteRules
from webseam.ports.errors import StoreFailed

from ...files import write_file
from ...stores.text_files import os_error_reason

_MAX_FILES: Final = 1_000
_MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_DECODER: Final = msgspec.json.Decoder(SiteRules)


class RuleFiles:
    """The learned rules in a folder, which is made when it is needed."""

    def __init__(self, folder: Path) -> None:
        """Store rules in ``folder``."""
        self._folder = folder

    def load(self, site: str, schema: DataSchema) -> SiteRules | None:
        """Return the rules of a site for a schema; None if there are none, or they are damaged."""
        return _read_rules(self._file_path(site, schema))

    def save(self, rules: SiteRules) -> Result[None, StoreFailed]:
        """Replace the rules of a site for a schema; of too many files the oldest are deleted."""
        try:
            write_file(self._file_path(rules.site, rules.schema), msgspec.json.encode(rules))
        except OSError as error:
            return _failure(error)
        # Another process may delete the same files.
        with suppress(OSError):
            files = sorted(self._folder.glob("*.json"), key=lambda it: it.stat().st_mtime)
            for file in files[:-_MAX_FILES]:
                file.unlink(missing_ok=True)
        return Success(None)

    def all_rules(self) -> list[SiteRules]:
        """Return all rules, by site and type."""
        rules = [rules for _, rules in self._entries()]
        return sorted(rules, key=lambda it: (it.site, it.schema.thing))

    def remove(self, site: str, thing: str = "") -> Result[int, StoreFailed]:
        """Delete the rules of a site, or only those for a type; return how many there were."""
        removed = 0
        for path, rules in self._entries():
            if rules.site == site and thing in {"", rules.schema.thing}:
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    return _failure(error)
                removed += 1
        return Success(removed)

    def _entries(self) -> Iterator[tuple[Path, SiteRules]]:
        for path in self._folder.glob("*.json"):
            rules = _read_rules(path)
            if rules is not None:
                yield path, rules

    def _file_path(self, site: str, schema: DataSchema) -> Path:
        identity = msgspec.json.encode((site, schema))
        return self._folder / f"{hashlib.sha256(identity).hexdigest()[:24]}.json"


def _failure(error: OSError) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store="learned rules", reason=os_error_reason(error)))


def _read_rules(path: Path) -> SiteRules | None:
    try:
        with path.open("rb") as file:
            return _DECODER.decode(file.read(_MAX_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        # Without a rule, the other witnesses speak as before.
        return None

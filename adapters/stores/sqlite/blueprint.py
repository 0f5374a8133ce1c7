"""What one of our SQLite files is: its mark, its version, its tables."""

from typing import Literal, TypeAlias

import msgspec

from ....ports.errors import StoreBusy, StoreFailed
from ....ports.errors.stores import StoreProblem

StoreError: TypeAlias = StoreBusy | StoreFailed

_REASONS: dict[StoreProblem, str] = {
    "missing": "it does not exist yet",
    "corrupt": "it is damaged, and was left as it is",
    "foreign": "its file is not one of webseam's, and was left as it is",
    "newer": "it was written by a newer webseam, and was left as it is",
    "older": "it was written by an older webseam in another form; delete it to begin anew",
    "read_only": "it cannot be written to",
    "full": "the disk is full: make room on it, or keep the file on another",
    "unreachable": "its file cannot be opened",
    "closed": "it was closed, and has to be opened again",
}


class Blueprint(msgspec.Struct, frozen=True, kw_only=True):
    """The file's kind. ``setting`` is where users choose its place.

    ``page_bytes`` is how much of a new file is read and written at once.
    A lock is waited for with ``patience`` seconds, and looked at again after about every ``pause``.
    """

    store: str
    setting: str
    application_id: int
    version: int
    schema: tuple[str, ...]
    synchronous: Literal["NORMAL", "FULL"] = "FULL"
    patience: float = 60.0
    pause: float = 0.05
    page_bytes: int = 4096

    def failed(self, problem: StoreProblem) -> StoreFailed:
        """Name what is wrong with the file."""
        return StoreFailed(
            store=self.store, reason=_REASONS[problem], problem=problem, setting=self.setting
        )

    def busy(self) -> StoreBusy:
        """Say that the file was never free."""
        return StoreBusy(store=self.store, waited=self.patience)

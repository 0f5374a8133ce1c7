"""What one of our SQLite files is: its mark, its version, its tables."""

from typing import Literal, TypeAlias

import msgspec

from ...ports.errors import StoreBusy, StoreFailed
from ...ports.errors.stores import Store, StoreProblem

StoreError: TypeAlias = StoreBusy | StoreFailed


class Blueprint(msgspec.Struct, frozen=True, kw_only=True):
    """The file's kind. ``setting`` is where users choose its place; ``patience`` is in seconds."""

    store: Store
    setting: str
    application_id: int
    version: int
    schema: tuple[str, ...]
    modules: tuple[str, ...] = ()
    synchronous: Literal["NORMAL", "FULL"] = "FULL"
    patience: float = 60.0

    def failed(self, problem: StoreProblem) -> StoreFailed:
        """Name what is wrong with the file."""
        return StoreFailed(store=self.store, problem=problem, setting=self.setting)

    def busy(self) -> StoreBusy:
        """Say that the file was never free."""
        return StoreBusy(store=self.store, waited=self.patience)

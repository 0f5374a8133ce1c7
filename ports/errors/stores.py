"""Stores on disk that cannot be read or written."""

from .trouble import Trouble


class StoreFailed(Trouble, frozen=True, kw_only=True, tag="store_failed"):
    """A file of ours cannot be used: full disk, no right to write, not ours, damaged."""

    store: str
    reason: str

    @property
    def message(self) -> str:
        """Say which store, and why."""
        return f"The store of {self.store} cannot be used: {self.reason}."

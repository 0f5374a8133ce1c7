"""What is left of a rendering's bytes and connections."""


class Allowance:
    """Counts down, and says so when there is nothing left."""

    def __init__(self, connections: int, transfer_bytes: int) -> None:
        """Begin with everything unspent."""
        self._connections = connections
        self._bytes = transfer_bytes

    @property
    def overdrawn(self) -> bool:
        """Whether more bytes came or went than were allowed."""
        return self._bytes < 0

    def admit(self) -> bool:
        """Take one connection; False when there is none left, or no bytes for it."""
        self._connections -= 1
        return self._connections >= 0 and not self.overdrawn

    def spend(self, count: int) -> bool:
        """Take ``count`` bytes; False when there were not as many."""
        self._bytes -= count
        return not self.overdrawn

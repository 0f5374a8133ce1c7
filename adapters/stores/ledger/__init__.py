"""The ledger of all processes: reserved and spent money, and the health of every backend."""

"""The ledger: money that is held, then settled, and how every backend is, for all processes."""

"""What the planner asks of the outside: the ledger, prices, rates, timers; and its attempts."""

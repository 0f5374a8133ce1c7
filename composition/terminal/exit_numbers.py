"""The exit codes, as numbers: what a start that loads nothing else needs."""

DONE = 0
UNHEALTHY = 1  # what was looked at is broken: of `doctor` and `ask verify` alone
BAD_INPUT = 2
NOT_CONFIGURED = 3
BACKEND_FAILED = 4
REFUSED = 5
BUG = 70
INTERRUPTED = 130

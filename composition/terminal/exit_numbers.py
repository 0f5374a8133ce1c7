"""The exit codes as numbers, in a file that loads nothing else."""

DONE = 0
UNHEALTHY = 1  # only `doctor`, `ask verify` and `bulk status --check`: the check failed
BAD_INPUT = 2
NOT_CONFIGURED = 3
BACKEND_FAILED = 4
REFUSED = 5
BUG = 70
INTERRUPTED = 130

"""Routes, budgets and health of backends: the driver of the planner, and what it is told."""

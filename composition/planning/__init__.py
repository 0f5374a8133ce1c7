"""Drive the planner: routes, budgets and health of backends."""

"""The planner beside its rivals, in a simulation: scripted backends, one clock, nothing sleeps."""

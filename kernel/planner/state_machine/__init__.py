"""Run the planner as a state machine: an event goes in, a new state and actions come out."""

"""The planner's fold: one event in, the next state and what is to be done out."""

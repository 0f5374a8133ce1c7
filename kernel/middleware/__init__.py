"""Run middleware and hooks as folds over callbacks; awaiting them is the only effect."""

"""Formulas as LaTeX, which is how markdown writes them."""

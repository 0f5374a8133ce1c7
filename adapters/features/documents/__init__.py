"""Readers of documents for the page workers; formulas as MathML and LaTeX."""

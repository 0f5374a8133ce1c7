"""Whether a quote carries a claim."""

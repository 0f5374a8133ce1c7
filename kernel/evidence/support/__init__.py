"""Judge whether a quote supports a claim."""

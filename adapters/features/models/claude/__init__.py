"""Claude's content blocks, thinking blocks and model facts, for every host."""

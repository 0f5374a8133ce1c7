"""Answer questions with quotes that are checked against the pages that were read."""

"""Storage of the shipped plugins: JSON lines, use counts, recordings, telemetry spans."""

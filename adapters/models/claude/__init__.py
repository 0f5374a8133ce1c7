"""What Claude's blocks and thoughts are, whoever hosts it."""

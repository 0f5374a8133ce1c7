"""Check the setup: what works, what fails, and the command that fixes it."""

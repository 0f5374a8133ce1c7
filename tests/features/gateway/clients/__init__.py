"""Real clients of others; see ``make clients``."""

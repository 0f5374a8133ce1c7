"""Parse URLs, bring them to one spelling, and compare them. Pure."""

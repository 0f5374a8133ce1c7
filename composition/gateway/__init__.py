"""The gateway: one address that speaks the search APIs which others speak."""

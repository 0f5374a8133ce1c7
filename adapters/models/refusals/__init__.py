"""Refusals of providers, as typed errors, fields to drop, and times to wait."""

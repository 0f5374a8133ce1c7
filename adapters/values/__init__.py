"""Readers of untrusted values: every function takes anything and never raises."""

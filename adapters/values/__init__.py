"""Untrusted JSON taken apart: every function here takes anything and never raises."""

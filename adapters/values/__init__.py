"""Readers of untrusted JSON values, dates, numbers and rows: none of them raises."""

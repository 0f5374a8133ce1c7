"""Checked quotations, measured: honest and forged quotes of pages that our own reader read."""

"""Render pages that need scripts in the machine's Chromium."""

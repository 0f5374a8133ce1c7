"""Calls of plugin callbacks: plain ones in a thread, async ones on the event loop."""

"""The browser's only way out, and who judges it."""

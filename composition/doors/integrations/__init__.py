"""webseam's tools for agent frameworks: one file each, loaded on demand."""

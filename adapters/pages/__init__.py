"""Pages: fetched by ourselves, read by ourselves."""

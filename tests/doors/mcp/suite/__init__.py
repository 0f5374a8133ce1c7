"""What `make mcp` runs: the public conformance suite, and real clients. See docs/mcp.md."""

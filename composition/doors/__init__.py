"""What answers a caller: Python, the terminal, MCP, Hermes and the agent frameworks."""

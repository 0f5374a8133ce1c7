"""Our MCP server beside others on stdio: start, memory, and what its tools cost a model."""

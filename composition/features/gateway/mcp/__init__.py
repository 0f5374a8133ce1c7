"""MCP over HTTP, as an ASGI application: Streamable HTTP in both revisions."""

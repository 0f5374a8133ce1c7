"""Set up MCP clients: add our entry to a client's file and keep everything else."""

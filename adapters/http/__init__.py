"""The transport: HTTP/1.1 on asyncio behind httpx's seam, and typed errors for what it raises."""

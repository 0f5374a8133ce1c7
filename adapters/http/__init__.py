"""An HTTP/1.1 transport for httpx on asyncio, and typed errors for its exceptions."""

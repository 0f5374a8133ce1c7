"""The protocol over HTTP, as an ASGI application: Streamable HTTP in both revisions."""

"""The gateway: one address that speaks the search APIs which others speak."""

from ..features import Feature

FEATURE = Feature(
    name="gateway", what="search APIs of others, and MCP, over HTTP", extra="server",
    packages=("uvicorn",), needs=("models", "evidence"),
    parts={
        "health": "composition.gateway.health:health_parts",
        "serve_mcp": "composition.gateway.mcp.serving:serve_http",
    },
)  # fmt: skip

"""The gateway: one address that speaks the search APIs which others speak."""

from ...feature_table import Feature, SettingsBlock

FEATURE = Feature(
    name="gateway",
    what="search APIs of others, and MCP, over HTTP",
    extra="server",
    packages=("uvicorn",),
    needs=("models", "evidence", "data"),
    parts={
        "health": "composition.features.gateway.health:health_parts",
        "serve_mcp": "composition.features.gateway.mcp.serving:serve_http",
    },
    settings=(
        SettingsBlock(
            "serve", "composition.features.gateway.settings:ServeSettings", after="plugins"
        ),
    ),
)

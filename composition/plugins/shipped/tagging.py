"""Request tagging: add tags to each receipt and each model request.

Settings: ``tags``, an object such as ``{"team": "search"}``.
"""

from collections.abc import Mapping

from ..context import PluginContext


def register(ctx: PluginContext) -> None:
    """Add the tags of the settings."""
    configured = ctx.settings.get("tags") or {}
    if not isinstance(configured, Mapping) or not configured:
        message = 'set what to tag with: --set tags=\'{"team": "search"}\''
        raise ValueError(message)
    tags = {str(name): str(value) for name, value in configured.items()}
    reason = ", ".join(f"{name}={value}" for name, value in tags.items())

    def tag_tool(*, args: dict[str, object], **_: object) -> dict[str, object]:
        # The arguments stay the same; the receipt records the trace with the tags.
        return {"args": args, "source": ctx.manifest.key, "reason": reason}

    def tag_model(*, request: dict[str, object], **_: object) -> dict[str, object]:
        extra = request.get("extra_body")
        body = dict(extra) if isinstance(extra, Mapping) else {}
        existing = body.get("metadata")
        metadata = {**(existing if isinstance(existing, Mapping) else {}), **tags}
        tagged = {**request, "extra_body": {**body, "metadata": metadata}}
        return {"request": tagged, "source": ctx.manifest.key, "reason": reason}

    ctx.register_middleware("tool_request", tag_tool)
    ctx.register_middleware("llm_request", tag_model)
